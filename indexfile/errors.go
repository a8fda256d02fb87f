package indexfile

import (
	"errors"
	"fmt"
	"strconv"
)

// The stories that errors of this package tell, for errors.Is.
var (
	// ErrFull: the index has no room for another entry.
	ErrFull = errors.New("index is full")
	// ErrNotIncreasing: an offset or timestamp is not above the last one.
	ErrNotIncreasing = errors.New("entry does not increase")
	// ErrOffsetOverflow: an offset minus the base offset is not in 0…2³¹−1.
	ErrOffsetOverflow = errors.New("relative offset does not fit 31 bits")
	// ErrMaxIndexSize: segment.index.bytes is smaller than one entry.
	ErrMaxIndexSize = errors.New("maximum index size is smaller than one entry")
	// ErrNoSlot: the slot asked for isn't in the file.
	ErrNoSlot = errors.New("no such slot")
	// ErrTooLarge: the index has more than 2³¹−1 bytes; Kafka can't map it.
	ErrTooLarge = errors.New("index is larger than kafka can map (2147483647 bytes)")
	// ErrVersion: an aborted transaction has a version that Kafka refuses.
	ErrVersion = errors.New("unsupported aborted transaction version")
)

// ReadError says where reading an index failed. Err is the cause:
// io.ErrUnexpectedEOF if the file has become shorter than its size was (a
// broker trimmed it meanwhile).
type ReadError struct {
	File     string // name given to the reader, may be empty
	Position int64  // first byte that was asked for
	Err      error
}

func (e *ReadError) Error() string {
	return fmt.Sprintf("%sread at position %d: %v", prefix(e.File), e.Position, e.Err)
}

func (e *ReadError) Unwrap() error { return e.Err }

func prefix(file string) string {
	if file == "" {
		return ""
	}
	return strconv.QuoteToGraphic(file) + ": "
}

// KafkaError is an exception that Kafka raises: class with package, and the
// text (empty where the exception has none).
type KafkaError struct {
	Class   string
	Message string
}

// Error is the first line of a Java stack trace.
func (e *KafkaError) Error() string {
	if e.Message == "" {
		return e.Class
	}
	return e.Class + ": " + e.Message
}

// Classes of Kafka's exceptions, as of 4.4.0.
const (
	classIllegalArgument = "java.lang.IllegalArgumentException"
	classIllegalState    = "java.lang.IllegalStateException"
	classBufferOverflow  = "java.nio.BufferOverflowException"
	classInvalidOffset   = "org.apache.kafka.common.errors.InvalidOffsetException"
	classKafka           = "org.apache.kafka.common.KafkaException"
	classCorruptIndex    = "org.apache.kafka.storage.internals.log.CorruptIndexException"
	classOffsetOverflow  = "org.apache.kafka.storage.internals.log.IndexOffsetOverflowException"
)

// AppendError says why an entry was refused. Err is [ErrFull],
// [ErrNotIncreasing] or [ErrOffsetOverflow].
type AppendError struct {
	Kind    Kind
	Entries int    // entries in the index: the slot that was to be written
	Field   string // "offset" or "timestamp": what was refused; empty if full
	Value   int64  // the refused value
	Last    int64  // the last value appended, or for an overflow the base offset
	Err     error

	hard bool // the mapped buffer itself is full, the reserved slot included
}

func (e *AppendError) Error() string {
	switch {
	case errors.Is(e.Err, ErrFull):
		return fmt.Sprintf("%s index of %d entries: %v", e.Kind, e.Entries, e.Err)
	case errors.Is(e.Err, ErrOffsetOverflow):
		return fmt.Sprintf("%s index: slot %d: offset %d with base offset %d: %v", e.Kind, e.Entries, e.Value, e.Last, e.Err)
	}
	return fmt.Sprintf("%s index: slot %d: %s %d behind %d: %v", e.Kind, e.Entries, e.Field, e.Value, e.Last, e.Err)
}

func (e *AppendError) Unwrap() error { return e.Err }

// Kafka returns the exception that the broker would raise for an index at
// path, which should be absolute. Sources: OffsetIndex.append,
// TimeIndex.maybeAppend, TransactionIndex.append, AbstractIndex.relativeOffset.
func (e *AppendError) Kafka(path string) *KafkaError {
	switch {
	case e.hard:
		return &KafkaError{Class: classBufferOverflow}
	case errors.Is(e.Err, ErrFull) && e.Kind == Time:
		return &KafkaError{classIllegalArgument, fmt.Sprintf("Attempt to append to a full time index (size = %d).", e.Entries)}
	case errors.Is(e.Err, ErrFull):
		return &KafkaError{classIllegalArgument, fmt.Sprintf("Attempt to append to a full index (size = %d).", e.Entries)}
	case errors.Is(e.Err, ErrOffsetOverflow):
		return &KafkaError{classOffsetOverflow, fmt.Sprintf("Integer overflow for offset: %d (%s)", e.Value, path)}
	case e.Kind == Txn:
		return &KafkaError{classIllegalArgument, fmt.Sprintf("The last offset of appended transactions must increase sequentially, but %d is not greater than current last offset %d of index %s", e.Value, e.Last, path)}
	case e.Kind == Offset:
		return &KafkaError{classInvalidOffset, fmt.Sprintf("Attempt to append an offset %d to position %d no larger than the last offset appended (%d) to %s", e.Value, e.Entries, e.Last, path)}
	case e.Field == "timestamp":
		return &KafkaError{classIllegalState, fmt.Sprintf("Attempt to append a timestamp (%d) to slot %d no larger than the last timestamp appended (%d) to %s", e.Value, e.Entries, e.Last, path)}
	}
	return &KafkaError{classInvalidOffset, fmt.Sprintf("Attempt to append an offset (%d) to slot %d no larger than the last offset appended (%d) to %s", e.Value, e.Entries, e.Last, path)}
}

// SizeError refuses a maximum index size below one entry.
type SizeError struct {
	Kind         Kind
	MaxIndexSize int
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s index: %d bytes: %v", e.Kind, e.MaxIndexSize, ErrMaxIndexSize)
}

func (e *SizeError) Unwrap() error { return ErrMaxIndexSize }

// Kafka returns the exception of AbstractIndex's constructor.
func (e *SizeError) Kafka() *KafkaError {
	return &KafkaError{classIllegalArgument, fmt.Sprintf("Invalid max index size: %d", e.MaxIndexSize)}
}

// VersionError stops a walk through a transaction index where Kafka's stops:
// a broker fails the fetch or the load that meets this entry. It is a version
// that nobody supports, which need not be damage.
type VersionError struct {
	File    string
	Slot    int
	Version int16
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%sslot %d at position %d: version %d: %v", prefix(e.File), e.Slot, int64(e.Slot)*TxnEntrySize, e.Version, ErrVersion)
}

func (e *VersionError) Unwrap() error { return ErrVersion }

// Kafka returns the exception of TransactionIndex's iterator for an index at
// path, as of 4.4.0.
func (e *VersionError) Kafka(path string) *KafkaError {
	return &KafkaError{classKafka, fmt.Sprintf("Unexpected aborted transaction version %d in transaction index %s, supported version range is 0 to 0", e.Version, path)}
}
