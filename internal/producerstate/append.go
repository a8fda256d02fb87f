package producerstate

import (
	"fmt"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/recordbatch"
)

const noSequence = -1

// Outcome is what a batch did to transactions.
type Outcome struct {
	// Started says that the batch opened a transaction of its producer.
	Started bool
	// Completed says that the batch is a marker that ended Txn.
	Completed bool
	Txn       CompletedTxn
	// FencedEpoch and FencedCoordinator say that the epoch of the producer, or
	// of its coordinator, is lower than the one known before. A broker that
	// replays a log only warns of it (before 2.3 a marker of that kind kept it
	// from loading the log).
	FencedEpoch, FencedCoordinator bool
}

// Append applies one v2 batch, of which the header is known and, of a control
// batch with a producer, the Data. Batches without a producer only move the
// end offset.
//
// Its error is an *indexfile.KafkaError: what a broker throws on this batch.
// The state is then the one before the batch, as in the broker. Only
// org.apache.kafka.common.InvalidRecordException, from a marker that can't be
// decoded, is caught by the recovery of a segment: it ends there, and the
// batch itself stays. Everything else fails the load of the log.
func (s *State) Append(b *recordbatch.Batch) (Outcome, error) {
	if b.ProducerID < 0 {
		s.end = b.LastOffset() + 1
		return Outcome{}, nil
	}
	if !b.IsControl() {
		return s.appendData(b)
	}
	m, ok, err := decodeMarker(b, &s.decoder, s.version)
	if err != nil {
		return Outcome{}, err
	}
	if !ok {
		s.store(s.entry(b.ProducerID), b)
		return Outcome{}, nil
	}
	return s.appendMarker(b, m)
}

// appendData applies a batch of a producer that isn't a control batch
// (ProducerAppendInfo.appendDataBatch). Only its header is looked at.
func (s *State) appendData(b *recordbatch.Batch) (Outcome, error) {
	var outcome Outcome
	e := s.entry(b.ProducerID)
	outcome.FencedEpoch = b.ProducerEpoch < e.ProducerEpoch
	first := b.BaseOffset()
	last := b.LastOffset()
	delta := int32(last - first)
	if s.version.Before(2, 1, 1) { // told by sequences, which not every producer has
		delta = b.LastSequence() - b.BaseSequence
		first = last - int64(delta)
	}
	if e.InTransaction() && !b.IsTransactional() {
		return outcome, s.kafka(classInvalidTxnState, "Expected transactional write from producer %d at offset (offset=%d, segment=[-1:-1]) in partition %s",
			b.ProducerID, first, s.Partition)
	}
	e.ProducerEpoch = b.ProducerEpoch
	e.LastSequence = b.LastSequence()
	e.LastOffset = last
	e.OffsetDelta = delta
	e.FirstSequence = statefile.FirstSequence(e.LastSequence, delta)
	e.LastTimestamp = b.MaxTimestamp
	if !e.InTransaction() && b.IsTransactional() {
		outcome.Started = true
		e.CurrentTxnFirstOffset = first
		s.open.start(first, b.ProducerID)
	}
	s.store(e, b)
	return outcome, nil
}

// appendMarker applies an ABORT or COMMIT marker that was decoded before
// (ProducerAppendInfo.appendEndTxnMarker).
func (s *State) appendMarker(b *recordbatch.Batch, m marker) (Outcome, error) {
	e := s.entry(b.ProducerID)
	outcome := Outcome{
		FencedEpoch:       b.ProducerEpoch < e.ProducerEpoch,
		FencedCoordinator: m.CoordinatorEpoch < e.CoordinatorEpoch,
	}
	offset := b.BaseOffset()
	if s.version.Before(2, 4, 1) {
		if outcome.FencedEpoch {
			return outcome, s.kafka(classProducerFenced, "Producer's epoch is no longer valid. There is probably another producer with a newer epoch. %d (request epoch), %d (server epoch)",
				b.ProducerEpoch, e.ProducerEpoch)
		}
		if outcome.FencedCoordinator {
			return outcome, s.kafka(classCoordinatorFenced, "Invalid coordinator epoch: %d (zombie), %d (current)", m.CoordinatorEpoch, e.CoordinatorEpoch)
		}
	}
	txn := CompletedTxn{ProducerID: b.ProducerID, FirstOffset: e.CurrentTxnFirstOffset, LastOffset: offset, Aborted: m.Aborted}
	switch {
	case e.InTransaction():
		outcome.Completed = true
	case s.version.Before(2, 8):
		outcome.Completed = true
		txn.FirstOffset = offset
		s.open.start(offset, b.ProducerID)
	}
	if outcome.Completed {
		txn.LastStableOffset = offset + 1
		if other, open := s.open.firstOfOthers(b.ProducerID); open {
			txn.LastStableOffset = other
		}
		outcome.Txn = txn
		if !s.open.complete(txn.FirstOffset) {
			return outcome, s.kafka(classIllegalArgument, "Attempted to complete transaction %v on partition %s which was not started", txn, s.Partition)
		}
	}
	if e.ProducerEpoch != b.ProducerEpoch {
		e.ProducerEpoch = b.ProducerEpoch
		e.LastSequence, e.FirstSequence, e.LastOffset, e.OffsetDelta = noSequence, noSequence, -1, 0
		if s.timesAreOfBatches() {
			e.LastTimestamp = -1
		}
	}
	e.CoordinatorEpoch = m.CoordinatorEpoch
	e.CurrentTxnFirstOffset = -1
	if !s.timesAreOfBatches() {
		e.LastTimestamp = m.Timestamp
	}
	s.store(e, b)
	return outcome, nil
}

// timesAreOfBatches: markers set the time of a producer since 2.4.1.
func (s *State) timesAreOfBatches() bool { return s.version.Before(2, 4, 1) }

// entry is what is known of a producer, or ProducerStateEntry.empty.
func (s *State) entry(id int64) statefile.ProducerEntry {
	if e, ok := s.producers[id]; ok {
		return e
	}
	return statefile.ProducerEntry{
		ProducerID: id, ProducerEpoch: -1, CoordinatorEpoch: -1, CurrentTxnFirstOffset: -1,
		LastTimestamp: -1, FirstSequence: noSequence, LastSequence: noSequence, LastOffset: -1,
	}
}

func (s *State) store(e statefile.ProducerEntry, b *recordbatch.Batch) {
	s.producers[b.ProducerID] = e
	s.end = b.LastOffset() + 1
}

// Classes that a replay throws.
const (
	classInvalidTxnState   = "org.apache.kafka.common.errors.InvalidTxnStateException"
	classProducerFenced    = "org.apache.kafka.common.errors.ProducerFencedException"
	classCoordinatorFenced = "org.apache.kafka.common.errors.TransactionCoordinatorFencedException"
	classInvalidRecord     = "org.apache.kafka.common.InvalidRecordException"
	classIllegalArgument   = "java.lang.IllegalArgumentException"
	classNullPointer       = "java.lang.NullPointerException"
	classBufferUnderflow   = "java.nio.BufferUnderflowException"
	classKafka             = "org.apache.kafka.common.KafkaException"
)

func (s *State) kafka(class, message string, args ...any) error {
	return &indexfile.KafkaError{Class: class, Message: fmt.Sprintf(message, args...)}
}
