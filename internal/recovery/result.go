package recovery

import (
	"errors"

	"github.com/kafsck/kafsck/indexfile"
)

// Timestamp is a largest timestamp and the offset that has it.
type Timestamp struct {
	Timestamp int64 // epoch milliseconds; −1 none
	Offset    int64
}

// Result is what a recovery left, or where it failed.
type Result struct {
	Size       int64 // of the .log before
	ValidBytes int64 // of the .log afterwards
	Batches    int64 // that stay
	// NextOffset is the offset behind the last batch that stays, or the base
	// offset.
	NextOffset int64
	// Largest is (−1, base offset) where no batch has a timestamp.
	Largest Timestamp
	// ProducerBatches and TransactionalBatches count v2 batches of producers.
	ProducerBatches, TransactionalBatches int64

	// The indexes, trimmed. Of a failed recovery they are as far as they came;
	// Offset and Time are nil where not even an empty one could be made.
	Offset *indexfile.OffsetBuilder
	Time   *indexfile.TimeBuilder
	Txn    indexfile.TxnBuilder

	// StopPosition is where the recovery ended: Size, or the start of what is
	// cut off, or of the batch on which it failed.
	StopPosition int64
	// Caught is the exception that ended it where bytes are cut off; nil
	// where the last batch is incomplete, which ends it silently.
	Caught *indexfile.KafkaError
	// Failure is an exception that LogSegment.recover doesn't catch. Cause is
	// what it was made of: an *indexfile.AppendError, a *indexfile.SizeError,
	// or Failure itself.
	Failure *indexfile.KafkaError
	Cause   error
}

func (r *Result) stop(position int64, caught *indexfile.KafkaError) {
	r.StopPosition, r.Caught = position, caught
}

// Truncated is the number of bytes that the broker cuts off the .log.
func (r *Result) Truncated() int64 { return r.Size - r.ValidBytes }

// Full says whether an index has no room for the segment's entries: a failure
// by settings, not of the log.
func (r *Result) Full() bool {
	return errors.Is(r.Cause, indexfile.ErrFull) || errors.Is(r.Cause, indexfile.ErrMaxIndexSize)
}

// Failed says what happens after an exception that isn't caught.
func (r *Result) Failed() Consequence {
	switch {
	case r.Failure == nil:
		return Recovered
	case r.Failure.Class == classInvalidOffset:
		return Emptied
	case r.Failure.Class == classOffsetOverflow:
		return Split
	}
	return LoadFails
}

// Consequence is what a loading broker makes of the end of a recovery
// (LogLoader.recoverLog).
type Consequence uint8

const (
	// Recovered means that the segment is cut at ValidBytes. Where that is less than
	// Size, all later segments go.
	Recovered Consequence = iota
	// Emptied means that InvalidOffsetException is caught, and the segment
	// truncated to its base offset.
	Emptied
	// Split means that the segment is divided so that offsets fit, if they can be.
	Split
	// LoadFails means that the log, and with it the log directory or the broker, fails.
	LoadFails
)
