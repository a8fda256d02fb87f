package producerstate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/recordbatch"
)

// State is what is known of the producers of a partition after all batches
// below an end offset. It is for one goroutine.
type State struct {
	version kafkaversion.Version
	// Partition is the topic and partition ("t-0") that Kafka's messages name.
	Partition string

	producers map[int64]statefile.ProducerEntry
	open      openTxns
	end       int64
	decoder   recordbatch.Decoder
}

// New is the state without producers at an offset.
func New(version kafkaversion.Version, offset int64) *State {
	return &State{
		version:   version,
		producers: make(map[int64]statefile.ProducerEntry),
		open:      openTxns{byOffset: make(map[int64]int64)},
		end:       offset,
	}
}

// Load replaces the state by that of a producer snapshot, which holds what is
// known after all batches below offset (ProducerStateManager.loadFromSnapshot).
// The caller has checked that the snapshot is sound: a broker deletes one that
// isn't, and takes the next older one. Nobody expires here, as producers do in a
// broker that were silent for too long: that never concerns one in a transaction.
func (s *State) Load(entries []statefile.ProducerEntry, offset int64) {
	s.Reset(offset)
	for i := range entries {
		e := entries[i]
		if !e.HasBatch() {
			e.LastSequence, e.FirstSequence, e.LastOffset, e.OffsetDelta = noSequence, noSequence, -1, 0
		}
		if !e.InTransaction() {
			e.CurrentTxnFirstOffset = -1
		}
		s.producers[e.ProducerID] = e
		if e.InTransaction() {
			s.open.start(e.CurrentTxnFirstOffset, e.ProducerID)
		}
	}
}

// Reset forgets everything and goes to an offset.
func (s *State) Reset(offset int64) {
	clear(s.producers)
	s.open.reset()
	s.end = offset
}

// EndOffset is the offset behind the last batch that was applied
// (ProducerStateManager.mapEndOffset).
func (s *State) EndOffset() int64 { return s.end }

// SetEndOffset moves the end without a batch, as a broker does when it has
// replayed up to the log end offset.
func (s *State) SetEndOffset(offset int64) { s.end = offset }

// Len is the number of producers known.
func (s *State) Len() int { return len(s.producers) }

// Producer is what is known of one producer, before the next batch is applied.
func (s *State) Producer(id int64) (statefile.ProducerEntry, bool) {
	e, ok := s.producers[id]
	return e, ok
}

// Snapshot is the state as entries of a producer snapshot, by producer id. A
// broker writes the same in the order of a hash map: compare entries, not
// bytes.
func (s *State) Snapshot() []statefile.ProducerEntry {
	entries := make([]statefile.ProducerEntry, 0, len(s.producers))
	for _, e := range s.producers {
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b statefile.ProducerEntry) int { return cmp.Compare(a.ProducerID, b.ProducerID) })
	return entries
}

// FirstUndecidedOffset is the first offset of the oldest open transaction: the
// last stable offset, where there is one and all markers are replicated
// (ProducerStateManager.firstUndecidedOffset).
func (s *State) FirstUndecidedOffset() (offset int64, ok bool) {
	first, _, ok := s.open.first()
	return first, ok
}

// CompletedTxn is a transaction that a marker ended.
type CompletedTxn struct {
	ProducerID       int64
	FirstOffset      int64 // of its first batch, perhaps in an earlier segment
	LastOffset       int64 // of the marker
	LastStableOffset int64 // once this transaction is complete
	Aborted          bool
}

// IndexEntry is what a broker appends to the transaction index for an aborted
// transaction (AbortedTxn).
func (c CompletedTxn) IndexEntry() indexfile.TxnEntry {
	return indexfile.TxnEntry{
		Version: indexfile.TxnVersion, ProducerID: c.ProducerID, FirstOffset: c.FirstOffset,
		LastOffset: c.LastOffset, LastStableOffset: c.LastStableOffset,
	}
}

// String is the transaction as Kafka's messages write it.
func (c CompletedTxn) String() string {
	return fmt.Sprintf("CompletedTxn(producerId=%d, firstOffset=%d, lastOffset=%d, isAborted=%v)",
		c.ProducerID, c.FirstOffset, c.LastOffset, c.Aborted)
}
