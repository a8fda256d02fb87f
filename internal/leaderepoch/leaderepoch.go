// Package leaderepoch reasons about the leader epochs of replicas: under which
// epoch a record was written, and from where on two replicas have different
// pasts. The rules are those by which a follower truncates its log to that of
// its leader (LeaderEpochFileCache, OffsetsForLeaderEpoch; KIP-101, KIP-279).
package leaderepoch

import (
	"sort"

	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/recordbatch"
)

// History is the leader epochs of a log with the offsets at which they began,
// both rising.
type History []statefile.EpochEntry

// Sound says whether entries are a history that can be relied on.
func Sound(entries []statefile.EpochEntry) bool {
	return len(entries) > 0 && statefile.LeaderEpochs{Entries: entries}.OutOfOrder() < 0
}

// Covering is the entry of the epoch under which the record of an offset was
// written; ok is false before the first entry.
func (h History) Covering(offset int64) (entry statefile.EpochEntry, ok bool) {
	if n := sort.Search(len(h), func(i int) bool { return h[i].StartOffset > offset }); n > 0 {
		return h[n-1], true
	}
	return statefile.EpochEntry{Epoch: -1}, false
}

// At is the epoch of the entry that covers an offset, -1 and false before the
// first.
func (h History) At(offset int64) (epoch int32, ok bool) {
	e, ok := h.Covering(offset)
	return e.Epoch, ok
}

// Latest is the largest epoch, −1 where there is none.
func (h History) Latest() int32 {
	if len(h) == 0 {
		return -1
	}
	return h[len(h)-1].Epoch
}

// EndOffset is what a leader answers when a follower asks for the end of an
// epoch: the largest epoch that it knows up to that one, and the offset behind
// its last record, which is the start of the next epoch, or the log end offset
// (LeaderEpochFileCache.endOffsetFor). ok is false where it knows none.
func (h History) EndOffset(epoch int32, logEnd int64) (found int32, end int64, ok bool) {
	n := sort.Search(len(h), func(i int) bool { return h[i].Epoch > epoch })
	switch {
	case n == 0:
		return -1, 0, false
	case n == len(h):
		return h[n-1].Epoch, logEnd, true
	}
	return h[n-1].Epoch, h[n].StartOffset, true
}

// Divergence is the offset to which a follower truncates its log when leader
// begins to lead: what both have below it has the same past. ends are the log
// end offsets. ok is false where the histories have nothing to go by; without
// a divergence the offset is the smaller one of the ends.
func Divergence(leader History, leaderEnd int64, follower History, followerEnd int64) (offset int64, ok bool) {
	offset = followerEnd
	for ask := follower.Latest(); ask >= 0; {
		found, end, known := leader.EndOffset(ask, leaderEnd)
		if !known {
			return 0, false
		}
		mine, myEnd, known := follower.EndOffset(found, followerEnd)
		if !known {
			return 0, false
		}
		offset = min(offset, end, myEnd)
		if mine == found {
			return offset, true
		}
		ask = mine
	}
	return 0, false
}

// Builder makes a history from the batches of a log. A damaged epoch, which no
// checksum covers, must not count: one that a single batch has between others
// of a lower epoch is dropped.
type Builder struct {
	entries []statefile.EpochEntry // epochs rise
	batches int                    // of the last entry
}

// History is that of the batches so far. An entry that begins behind a later one
// is left out: the base offset of its batch, which no checksum covers, is wrong.
func (b *Builder) History() History {
	h := make(History, 0, len(b.entries))
	for _, e := range b.entries {
		for len(h) > 0 && h[len(h)-1].StartOffset > e.StartOffset {
			h = h[:len(h)-1]
		}
		h = append(h, e)
	}
	return h
}

// Add takes the next batch of the log.
func (b *Builder) Add(batch *recordbatch.Batch) {
	epoch := batch.PartitionLeaderEpoch
	if batch.IsLegacy() || epoch < 0 {
		return
	}
	n := len(b.entries)
	switch {
	case n > 0 && epoch == b.entries[n-1].Epoch:
		b.batches++
		return
	case n > 0 && epoch < b.entries[n-1].Epoch:
		if b.batches > 1 || n == 1 || b.entries[n-2].Epoch > epoch {
			return
		}
		b.entries, b.batches = b.entries[:n-1], 2
		if b.entries[n-2].Epoch == epoch {
			return
		}
	}
	b.entries, b.batches = append(b.entries, statefile.EpochEntry{Epoch: epoch, StartOffset: batch.BaseOffset()}), 1
}
