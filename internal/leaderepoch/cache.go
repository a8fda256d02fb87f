package leaderepoch

import (
	"cmp"
	"slices"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/statefile"
)

// Cache is the leader epochs of a partition with the offsets at which they began,
// as a broker keeps them (LeaderEpochFileCache): unlike a History they need not
// make sense. The zero value knows none.
type Cache struct {
	Entries []statefile.EpochEntry // by epoch
}

// NewCache takes the entries of a leader-epoch-checkpoint. As in Kafka's map,
// the last of several entries for one epoch counts.
func NewCache(entries []statefile.EpochEntry) *Cache {
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b statefile.EpochEntry) int { return cmp.Compare(a.Epoch, b.Epoch) })
	c := &Cache{Entries: sorted[:0]}
	for i, e := range sorted {
		if i+1 == len(sorted) || sorted[i+1].Epoch != e.Epoch {
			c.Entries = append(c.Entries, e)
		}
	}
	return c
}

// Latest is the largest epoch.
func (c *Cache) Latest() (statefile.EpochEntry, bool) {
	if len(c.Entries) == 0 {
		return statefile.EpochEntry{}, false
	}
	return c.Entries[len(c.Entries)-1], true
}

// Assign notes that an epoch begins at an offset. Entries from the end on that
// contradict it, a larger or equal epoch or start offset, are dropped
// (LeaderEpochFileCache.assign).
func (c *Cache) Assign(epoch int32, startOffset int64) {
	if last, ok := c.Latest(); ok && last.Epoch == epoch && startOffset >= last.StartOffset {
		return
	}
	keep := len(c.Entries)
	for keep > 0 && (c.Entries[keep-1].Epoch >= epoch || c.Entries[keep-1].StartOffset >= startOffset) {
		keep--
	}
	c.Entries = append(c.Entries[:keep], statefile.EpochEntry{Epoch: epoch, StartOffset: startOffset})
}

// Recovered notes the epoch of a batch as the recovery of a segment does: only
// one that is larger than all known.
func (c *Cache) Recovered(version kafkaversion.Version, epoch int32, baseOffset int64) {
	smallest := int32(0)
	if !version.Before(2, 1, 1) && version.Before(2, 6, 1) {
		smallest = 1 // these releases forget epoch 0
	}
	if latest, known := c.Latest(); epoch >= smallest && (!known || epoch > latest.Epoch) {
		c.Assign(epoch, baseOffset)
	}
}

// TruncateFromEnd drops the epochs that begin at or behind the log end offset,
// if the last one does (LeaderEpochFileCache.truncateFromEnd).
func (c *Cache) TruncateFromEnd(end int64) {
	if last, ok := c.Latest(); ok && last.StartOffset >= end {
		c.Entries = slices.DeleteFunc(c.Entries, func(e statefile.EpochEntry) bool { return e.StartOffset >= end })
	}
}

// TruncateFromStart drops the epochs that were over before the log start offset.
// The one that is under way there begins there
// (LeaderEpochFileCache.truncateFromStart).
func (c *Cache) TruncateFromStart(start int64) {
	covering := -1
	for i, e := range c.Entries {
		if e.StartOffset <= start {
			covering = i
		}
	}
	if covering < 0 {
		return
	}
	current := c.Entries[covering].Epoch
	c.Entries[covering].StartOffset = start
	c.Entries = slices.DeleteFunc(c.Entries, func(e statefile.EpochEntry) bool { return e.StartOffset <= start && e.Epoch != current })
}
