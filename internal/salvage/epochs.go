package salvage

import (
	"context"

	"github.com/kafsck/kafsck/internal/leaderepoch"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/recordbatch"
)

// diverged says whether a batch of a replica is none of the partition's
// history h: the replica's own history agrees with the batch's epoch, and h
// has another one at its offset. That is what makes a follower truncate: its
// leader answers with the end offset of the epoch (KIP-101, KIP-279,
// EpochEndOffset), and everything behind it goes. An epoch that not even the
// replica's own history has is a damaged field, which no checksum covers.
func diverged(b *recordbatch.Batch, h, own leaderepoch.History) bool {
	if b.PartitionLeaderEpoch < 0 {
		return false
	}
	right, known := h.At(b.BaseOffset())
	if !known || right == b.PartitionLeaderEpoch {
		return false
	}
	mine, known := own.At(b.BaseOffset())
	return known && mine == b.PartitionLeaderEpoch
}

// readHistory takes a replica's history from its checkpoint, or else reads the
// headers of all its batches.
func readHistory(ctx context.Context, checkpoint *logdir.Entry, of *stream) (leaderepoch.History, error) {
	if checkpoint != nil {
		if epochs, err := statefile.ReadFile(checkpoint.Path, statefile.ReadLeaderEpochs); err == nil && leaderepoch.Sound(epochs.Entries) {
			return epochs.Entries, nil
		}
	}
	var h leaderepoch.Builder
	s := &stream{logs: of.logs, picture: of.picture, reading: of.reading, left: func(*stream, *Left) {}}
	s.start(ctx)
	defer s.stop()
	for {
		c, err := s.next()
		if c == nil || err != nil {
			return h.History(), err
		}
		h.Add(&c.batch)
		c.release()
	}
}

// checkpointFor is the leader-epoch-checkpoint of the result: the history as
// far as it is about what was kept, and agrees with the batches; else what the
// batches say.
func checkpointFor(h, batches leaderepoch.History, start, end int64) []statefile.EpochEntry {
	if !agrees(h, batches) {
		h = batches
	}
	epochs := leaderepoch.NewCache(h)
	for _, e := range batches {
		if latest, known := epochs.Latest(); !known || e.Epoch > latest.Epoch {
			epochs.Assign(e.Epoch, e.StartOffset)
		}
	}
	epochs.TruncateFromEnd(end)
	epochs.TruncateFromStart(start)
	return epochs.Entries
}

// agrees says whether the epochs of batches are those of a history, as far as
// that goes.
func agrees(h, batches leaderepoch.History) bool {
	if !leaderepoch.Sound(h) {
		return false
	}
	for _, e := range batches {
		if epoch, known := h.At(e.StartOffset); known && epoch != e.Epoch && e.Epoch <= h.Latest() {
			return false
		}
	}
	return true
}
