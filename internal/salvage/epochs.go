package salvage

import (
	"context"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/recordbatch"
)

// history is the leader epochs of a partition with the offsets at which they
// began, both rising.
type history []statefile.EpochEntry

// at is the epoch under which the record of an offset was written; ok is false
// before the first entry.
func (h history) at(offset int64) (epoch int32, ok bool) {
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].StartOffset <= offset {
			return h[i].Epoch, true
		}
	}
	return -1, false
}

func (h history) latest() int32 {
	if len(h) == 0 {
		return -1
	}
	return h[len(h)-1].Epoch
}

// diverged says whether a batch of a replica is none of the partition's
// history h: the replica's own history agrees with the batch's epoch, and h
// has another one at its offset. That is what makes a follower truncate: its
// leader answers with the end offset of the epoch (KIP-101, KIP-279,
// EpochEndOffset), and everything behind it goes. An epoch that not even the
// replica's own history has is a damaged field, which no checksum covers.
func (h history) diverged(b *recordbatch.Batch, own history) bool {
	if b.PartitionLeaderEpoch < 0 {
		return false
	}
	right, known := h.at(b.BaseOffset())
	if !known || right == b.PartitionLeaderEpoch {
		return false
	}
	mine, known := own.at(b.BaseOffset())
	return known && mine == b.PartitionLeaderEpoch
}

// historyOfBatches builds a history from the batches of a log. A damaged epoch
// must not become a leader: one that a single batch has between others of a
// lower epoch is dropped.
type historyOfBatches struct {
	entries history
	batches int // of the last entry
}

func (h *historyOfBatches) add(b *recordbatch.Batch) {
	epoch := b.PartitionLeaderEpoch
	if b.IsLegacy() || epoch < 0 {
		return
	}
	n := len(h.entries)
	switch {
	case n > 0 && epoch == h.entries[n-1].Epoch:
		h.batches++
		return
	case n > 0 && epoch < h.entries[n-1].Epoch:
		if h.batches > 1 || n == 1 || h.entries[n-2].Epoch > epoch {
			return
		}
		h.entries, h.batches = h.entries[:n-1], 2
		if h.entries[n-2].Epoch == epoch {
			return
		}
	}
	h.entries, h.batches = append(h.entries, statefile.EpochEntry{Epoch: epoch, StartOffset: b.BaseOffset()}), 1
}

// sound says whether entries are a history that can be relied on.
func sound(entries []statefile.EpochEntry) bool {
	return len(entries) > 0 && statefile.LeaderEpochs{Entries: entries}.OutOfOrder() < 0
}

// readHistory takes a replica's history from its checkpoint, or else reads the
// headers of all its batches.
func readHistory(ctx context.Context, checkpoint *logdir.Entry, of *stream) (history, error) {
	if checkpoint != nil {
		if epochs, err := statefile.ReadFile(checkpoint.Path, statefile.ReadLeaderEpochs); err == nil && sound(epochs.Entries) {
			return epochs.Entries, nil
		}
	}
	var h historyOfBatches
	s := &stream{logs: of.logs, reading: of.reading, left: func(*stream, *Left) {}}
	s.start(ctx)
	defer s.stop()
	for {
		c, err := s.next()
		if c == nil || err != nil {
			return h.entries, err
		}
		h.add(&c.batch)
		c.release()
	}
}

// checkpointFor is the leader-epoch-checkpoint of the result: the history as
// far as it is about what was kept, and agrees with the batches; else what the
// batches say.
func checkpointFor(h, batches history, start, end int64) []statefile.EpochEntry {
	if !agrees(h, batches) {
		h = batches
	}
	epochs := recovery.NewEpochs(h)
	for _, e := range batches {
		if latest, known := epochs.Latest(); !known || e.Epoch > latest.Epoch {
			epochs.Assign(e.Epoch, e.StartOffset)
		}
	}
	return clip(epochs.Entries, start, end)
}

// agrees says whether the epochs of batches are those of a history, as far as
// that goes.
func agrees(h, batches history) bool {
	for _, e := range batches {
		if epoch, known := h.at(e.StartOffset); known && epoch != e.Epoch && e.Epoch <= h.latest() {
			return false
		}
	}
	return sound(h)
}

// clip drops entries that begin at or behind end, and those that were over
// before start; the one that is under way there begins there
// (LeaderEpochFileCache.truncateFromEnd, truncateFromStart).
func clip(entries []statefile.EpochEntry, start, end int64) []statefile.EpochEntry {
	var kept []statefile.EpochEntry
	for _, e := range entries {
		if e.StartOffset >= end {
			break
		}
		if e.StartOffset <= start {
			kept = kept[:0]
			e.StartOffset = start
		}
		kept = append(kept, e)
	}
	return kept
}
