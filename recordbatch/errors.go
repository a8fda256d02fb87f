package recordbatch

import (
	"errors"
	"fmt"
)

// What can be wrong with the framing of a log or with one batch. A
// *CorruptError wraps one of them and says where.
var (
	// ErrTornTail: the file ends inside a header or a batch.
	ErrTornTail = errors.New("the file ends inside a batch")
	// ErrZeroTail: zero bytes up to the end of the file.
	ErrZeroTail = errors.New("zero bytes to the end of the file")
	// ErrZeroHole: a run of zero bytes with something behind it.
	ErrZeroHole = errors.New("zero bytes with a batch behind them")
	// ErrGarbage: bytes that are no batch.
	ErrGarbage = errors.New("bytes that are no batch")
	// ErrBadSize: a length below the smallest, or one that leads past the end
	// of the file or into the middle of other batches.
	ErrBadSize = errors.New("wrong batch length")
	// ErrBadMagic: a magic that no Kafka version writes, or not the one of the
	// format that the checksum proves.
	ErrBadMagic = errors.New("wrong magic")
	// ErrChecksum: stored and computed checksum differ.
	ErrChecksum = errors.New("checksum mismatch")
	// ErrCount: the header's record count isn't what the records show.
	ErrCount = errors.New("wrong record count")
	// ErrTrailingBytes: bytes behind the last record of a batch.
	ErrTrailingBytes = errors.New("bytes behind the last record")
	// ErrRecord: a record, or a message inside a wrapper, that can't be decoded.
	ErrRecord = errors.New("malformed record")
	// ErrControl: a control record whose key or value can't be decoded.
	ErrControl = errors.New("malformed control record")
)

// CorruptError is damage at a place: the typed error of this package.
type CorruptError struct {
	File        string // as given to the scanner; may be empty
	Position    int64  // first byte of what is damaged
	EndPosition int64  // behind its last byte
	Offset      int64  // the first offset concerned; −1 unknown
	LastOffset  int64  // the last offset concerned; −1 unknown
	Record      int    // index of the record within the batch; −1 where none is meant
	Err         error  // one of the Err… values, perhaps wrapped
	Detail      string // stored and computed values, in words
}

// Error names file, position, cause and detail.
func (e *CorruptError) Error() string {
	text := e.Err.Error()
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	where := fmt.Sprintf("position %d", e.Position)
	if e.Offset >= 0 {
		where += fmt.Sprintf(", offset %d", e.Offset)
	}
	if e.File == "" {
		return where + ": " + text
	}
	return e.File + ": " + where + ": " + text
}

// Unwrap gives errors.Is the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

// batchError is damage of the batch b as a whole.
func batchError(b *Batch, cause error, detail string, args ...any) *CorruptError {
	offset, last := b.Offset, b.LastOffset()
	if last < offset {
		last = offset
	}
	return &CorruptError{
		Position: b.Position, EndPosition: b.EndPosition(),
		Offset: offset, LastOffset: last, Record: -1,
		Err: cause, Detail: fmt.Sprintf(detail, args...),
	}
}

// regionError is damage of bytes that belong to no batch.
func regionError(from, to int64, cause error, detail string, args ...any) *CorruptError {
	return &CorruptError{
		Position: from, EndPosition: to, Offset: -1, LastOffset: -1, Record: -1,
		Err: cause, Detail: fmt.Sprintf(detail, args...),
	}
}
