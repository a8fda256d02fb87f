// Package message reads the messages that Kafka keeps in its own topics and in
// control records: offsets, groups, transactions, share groups, cluster
// metadata, tiers, quorum control.
//
// Kafka generates a class for each from a schema file. Here the schemas are
// tables (tables_*.go, written by go generate from the schema files in Kafka's
// jars) and one interpreter reads them all.
package message

//go:generate go run -tags gen ./gen

// Kind is the type of a field, or of the elements of an array.
type Kind uint8

// Sizes are those on disk; all numbers are big-endian two's complement.
const (
	Bool    Kind = iota + 1 // 1 byte, true unless 0
	Int8                    // 1 byte
	Int16                   // 2 bytes
	Uint16                  // 2 bytes
	Int32                   // 4 bytes
	Uint32                  // 4 bytes
	Int64                   // 8 bytes
	Float64                 // 8 bytes, IEEE 754
	UUID                    // 16 bytes
	String                  // length, UTF-8
	Bytes                   // length, bytes
	Object                  // the fields of Field.Fields
)

// Versions is a range of message versions, Begin included and End not. The zero
// value holds none.
type Versions struct{ Begin, End int32 }

// Has says whether version v is in the range.
func (r Versions) Has(v int16) bool { return int32(v) >= r.Begin && int32(v) < r.End }

// A range that reaches the first or the last version of its message goes on
// beyond it, as in Kafka's readers.
const (
	first = -1 << 15
	last  = 1 << 15
)

var all = Versions{first, last}

// Schema says how one message type is laid out.
type Schema struct {
	Name     string // Kafka's, such as "OffsetCommitValue"
	Key      int16  // apiKey; -1 for those without
	Valid    Versions
	Flexible Versions // versions with compact lengths and tagged fields
	Fields   []Field  // in the order of Kafka's schema file
}

// Field says how one field is laid out. Fields follow each other in the order
// of the schema, tagged ones in a section behind the others.
type Field struct {
	Name  string // as in Kafka's JSON
	Kind  Kind
	Array bool // a length and elements of Kind
	In    Versions
	// Nullable holds the versions in which the value may be null.
	Nullable Versions
	// Tagged holds the versions in which the field is in the tagged section, as Tag.
	Tagged Versions
	Tag    uint32
	// Default is the value, of a number or bool, in messages without the field.
	// Strings, bytes and arrays are empty, UUIDs zero, unless DefaultNull.
	Default     int64
	DefaultNull bool
	// MapKey marks what Kafka takes for the key of the elements. Nothing on
	// disk depends on it.
	MapKey bool
	// Fields are those of an Object.
	Fields []Field
	// Closed names the Object's type where Kafka's reader refuses to read it in
	// versions above the message's last.
	Closed string
}

// The tables, each sorted by key. A coordinator's topic has two schemas for a
// key, one for record keys and one for record values.

// Offsets are the record keys and values of __consumer_offsets.
func Offsets() []Schema { return offsets }

// Transactions are the record keys and values of __transaction_state.
func Transactions() []Schema { return transactions }

// Shares are the record keys and values of __share_group_state.
func Shares() []Schema { return shares }

// Metadata are the record values of __cluster_metadata.
func Metadata() []Schema { return metadata }

// Tiers are the record values of __remote_log_metadata.
func Tiers() []Schema { return tiers }

// Common are the messages in control records of the metadata quorum, and those
// that consumers put into the metadata of their group.
func Common() []Schema { return common }
