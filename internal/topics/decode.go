package topics

import (
	"errors"
	"fmt"

	"github.com/kafsck/kafsck/internal/message"
)

// Decoded is one record of one of Kafka's topics. What could be decoded is
// there beside the error that says why the rest could not.
type Decoded struct {
	Topic  Topic
	Offset int64
	// TypeID is the number of the record's type, -1 where it can't be read, and
	// Type its name, "UNKNOWN" where there is none.
	TypeID int16
	Type   string
	// Version is that of the value, -1 where there is no value or it can't be read.
	Version int16
	// Key and Value are nil where there is none or it could not be decoded.
	Key, Value *message.Message
	// RawKey and RawValue are the bytes as given; nil is null. A nil RawValue
	// in a topic with keys is a tombstone.
	RawKey, RawValue []byte
	// Err is nil, an *Error, an *UnknownTypeError, a *message.UnknownVersionError
	// or ErrNoKey.
	Err error

	reason  string           // what Kafka's tool says of Err
	printed *message.Message // what it prints of a value: Value, or one of an unknown version
}

// Error says which part of a record is damaged, and how.
type Error struct {
	Part  string // "key" or "value"
	Cause error
}

func (e *Error) Error() string { return e.Part + ": " + e.Cause.Error() }
func (e *Error) Unwrap() error { return e.Cause }

// UnknownTypeError says that a record is of a type newer than the tables, or
// of none that ever was. It is no damage: only its bytes can be shown.
type UnknownTypeError struct{ TypeID int16 }

func (e *UnknownTypeError) Error() string {
	return fmt.Sprintf("record type %d is not known", e.TypeID)
}

// ErrNoKey is for a record without a key in a topic where each has one. Kafka's
// dump tool ends there.
var ErrNoKey = errors.New("the record has no key")

// errNoValue is for a record without a value in a topic without keys.
var errNoValue = errors.New("the record has no value")

// errShort is for bytes that end before the version does.
var errShort = errors.New("shorter than a version")

// Decode decodes one record: offset is only for texts, nil is null. What it
// returns aliases key and value. t must not be None.
func (t Topic) Decode(offset int64, key, value []byte) *Decoded {
	d := &Decoded{Topic: t, Offset: offset, TypeID: -1, Type: "UNKNOWN", Version: -1, RawKey: key, RawValue: value}
	switch t {
	case ClusterMetadata, RemoteLogMetadata:
		d.framed()
	default:
		d.keyed()
	}
	return d
}

func (d *Decoded) fail(part string, cause error, reason string, args ...any) {
	d.Err, d.reason = &Error{part, cause}, fmt.Sprintf(reason, args...)
}

// keyed decodes a coordinator's record: a key of i16 type and message of version
// 0, a value of i16 version and message (CoordinatorRecordSerde). What is left
// over behind either is nobody's business.
func (d *Decoded) keyed() {
	if d.RawKey == nil {
		d.Err = ErrNoKey
		return
	}
	id, rest, ok := cutInt16(d.RawKey)
	if !ok {
		d.fail("key", errShort, "Could not read version from key's buffer.")
		return
	}
	d.TypeID = id
	t, ok := types[d.Topic][id]
	if !ok {
		d.Err = &UnknownTypeError{id}
		return
	}
	d.Type = t.name
	m, _, err := t.key.Read(rest, 0)
	if err != nil {
		d.fail("key", err, "Could not read record with version %d from key's buffer due to: %s.", id, kafkaText(err))
		return
	}
	d.Key = &m
	if d.RawValue != nil {
		d.keyedValue(t)
	}
}

func (d *Decoded) keyedValue(t recordType) {
	version, rest, ok := cutInt16(d.RawValue)
	if !ok {
		d.fail("value", errShort, "Could not read version from value's buffer.")
		return
	}
	d.Version = version
	if !t.value.Valid.Has(version) {
		d.Err = &message.UnknownVersionError{Type: t.name, Version: version}
		d.reason = fmt.Sprintf("Found an unknown record version %d for %d type", version, t.id)
		return
	}
	m, _, err := t.value.Read(rest, version)
	if err != nil {
		d.fail("value", err, "Could not read record with version %d from value's buffer due to: %s.", version, kafkaText(err))
		return
	}
	d.Value, d.printed = &m, &m
}

func cutInt16(b []byte) (int16, []byte, bool) {
	if len(b) < 2 {
		return 0, nil, false
	}
	return int16(b[0])<<8 | int16(b[1]), b[2:], true
}

func kafkaText(err error) string {
	var e *message.Error
	if errors.As(err, &e) {
		return e.Kafka
	}
	return err.Error()
}
