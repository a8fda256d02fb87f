package recovery

import (
	"cmp"
	"slices"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/statefile"
)

// Epochs are the leader epochs of a partition with the offsets at which they
// began (LeaderEpochFileCache). The zero value knows none.
type Epochs struct {
	Entries []statefile.EpochEntry // by epoch
}

// NewEpochs takes the entries of a leader-epoch-checkpoint. As in Kafka's map,
// the last of several entries for one epoch counts.
func NewEpochs(entries []statefile.EpochEntry) *Epochs {
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b statefile.EpochEntry) int { return cmp.Compare(a.Epoch, b.Epoch) })
	e := &Epochs{Entries: sorted[:0]}
	for i, entry := range sorted {
		if i+1 == len(sorted) || sorted[i+1].Epoch != entry.Epoch {
			e.Entries = append(e.Entries, entry)
		}
	}
	return e
}

func (e *Epochs) put(entry statefile.EpochEntry) {
	at, found := slices.BinarySearchFunc(e.Entries, entry.Epoch, func(have statefile.EpochEntry, epoch int32) int {
		return int(int64(have.Epoch) - int64(epoch))
	})
	if found {
		e.Entries[at] = entry
		return
	}
	e.Entries = slices.Insert(e.Entries, at, entry)
}

// Latest is the largest epoch.
func (e *Epochs) Latest() (statefile.EpochEntry, bool) {
	if len(e.Entries) == 0 {
		return statefile.EpochEntry{}, false
	}
	return e.Entries[len(e.Entries)-1], true
}

// Assign notes that an epoch begins at an offset. Entries from the end on that
// contradict it, a larger or equal epoch or start offset, are dropped
// (LeaderEpochFileCache.assign).
func (e *Epochs) Assign(epoch int32, startOffset int64) {
	if last, ok := e.Latest(); ok && last.Epoch == epoch && startOffset >= last.StartOffset {
		return
	}
	keep := len(e.Entries)
	for keep > 0 && (e.Entries[keep-1].Epoch >= epoch || e.Entries[keep-1].StartOffset >= startOffset) {
		keep--
	}
	e.Entries = append(e.Entries[:keep], statefile.EpochEntry{Epoch: epoch, StartOffset: startOffset})
}

// recovered notes the epoch of a batch as the recovery of a segment does: only
// one that is larger than all known.
func (e *Epochs) recovered(version kafkaversion.Version, epoch int32, baseOffset int64) {
	smallest := int32(0)
	if !version.Before(2, 1, 1) && version.Before(2, 6, 1) {
		smallest = 1 // these releases forget epoch 0
	}
	if latest, known := e.Latest(); epoch >= smallest && (!known || epoch > latest.Epoch) {
		e.Assign(epoch, baseOffset)
	}
}
