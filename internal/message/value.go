package message

import (
	"math"

	"github.com/kafsck/kafsck/internal/javatext"
)

// Value is the value of one field, or one element of an array.
type Value struct {
	Kind  Kind // of the value, or of the elements
	Array bool
	Null  bool
	// Int is a number or, for Float64, its bits; 1 or 0 for a Bool.
	Int int64
	// Bytes are those of a String, of Bytes or the 16 of a UUID. They alias
	// what the message was read from.
	Bytes []byte
	// Nested is nil but in arrays and Objects, where it never is, not even for null.
	*Nested
}

// Nested is what arrays and Objects hold.
type Nested struct {
	// Items are the elements of an array, or the fields of an Object: one for
	// each of Fields, with its default where the message does not have it.
	Items  []Value
	Fields []Field
	// Unknown are an Object's tagged fields that the schema doesn't know.
	Unknown []Tagged
}

// Of the nested values of a message no more than these are read: a value takes
// far more room in memory than on disk.
const maxValues = 1_000_000

// Tagged is a tagged field as it stands in a message. Data aliases what the
// message was read from.
type Tagged struct {
	Tag  uint32
	Data []byte
}

// Float is the value of a Float64.
func (v *Value) Float() float64 { return math.Float64frombits(uint64(v.Int)) }

// Bool is the value of a Bool.
func (v *Value) Bool() bool { return v.Int != 0 }

// Text is the value of a String, "" for null. What isn't UTF-8 becomes U+FFFD.
func (v *Value) Text() string { return string(javatext.AppendUTF8(nil, v.Bytes)) }

// TextOrNil is the value of a String that may be null.
func (v *Value) TextOrNil() *string {
	if v.Null {
		return nil
	}
	s := v.Text()
	return &s
}

// Texts are the elements of an array of Strings.
func (v *Value) Texts() []string {
	s := make([]string, len(v.Items))
	for i := range v.Items {
		s[i] = v.Items[i].Text()
	}
	return s
}

// Ints are the elements of an array of Int32.
func (v *Value) Ints() []int32 {
	n := make([]int32, len(v.Items))
	for i := range v.Items {
		n[i] = int32(v.Items[i].Int)
	}
	return n
}

// UUID is the value of a UUID.
func (v *Value) UUID() (id [16]byte) {
	copy(id[:], v.Bytes)
	return id
}

// Get returns the field of an Object with this name. It is a fault of the
// caller if there is none.
func (v *Value) Get(name string) *Value {
	if field := v.Find(name); field != nil {
		return field
	}
	panic("message: no field " + name)
}

// Find is Get for a field that the type may not have: nil if it hasn't.
func (v *Value) Find(name string) *Value {
	for i := range v.Fields {
		if v.Fields[i].Name == name {
			return &v.Items[i]
		}
	}
	return nil
}

// Message is one message as it was read.
type Message struct {
	Schema  *Schema
	Version int16
	Value   // an Object
}

// defaultValue is the value of a field in a message that doesn't have it.
func defaultValue(f *Field) Value {
	v := Value{Kind: f.Kind, Array: f.Array, Null: f.DefaultNull, Int: f.Default}
	switch {
	case f.Array || f.Kind == Object && f.DefaultNull:
		v.Nested = &Nested{Fields: f.Fields}
	case f.DefaultNull:
	case f.Kind == UUID:
		v.Bytes = zeroUUID[:]
	case f.Kind == Object:
		v.Nested = &Nested{Fields: f.Fields, Items: make([]Value, len(f.Fields))}
		for i := range f.Fields {
			v.Items[i] = defaultValue(&f.Fields[i])
		}
	}
	return v
}

var zeroUUID [16]byte

// isDefault says whether the value is that of a field left out. Kafka writes
// a tagged field only if it isn't.
func (v *Value) isDefault(f *Field) bool {
	if v.Null || f.DefaultNull {
		return v.Null == f.DefaultNull
	}
	switch {
	case f.Array:
		return len(v.Items) == 0
	case f.Kind == UUID:
		return string(v.Bytes) == string(zeroUUID[:])
	case f.Kind == String || f.Kind == Bytes:
		return len(v.Bytes) == 0
	case f.Kind == Object:
		for i := range f.Fields {
			if !v.Items[i].isDefault(&f.Fields[i]) {
				return false
			}
		}
		return len(v.Unknown) == 0
	}
	return v.Int == f.Default
}
