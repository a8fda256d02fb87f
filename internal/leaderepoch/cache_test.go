package leaderepoch_test

import (
	"slices"
	"testing"

	"github.com/kafsck/kafsck/internal/leaderepoch"
	"github.com/kafsck/kafsck/internal/statefile"
)

func TestNewCache(t *testing.T) {
	entry := func(epoch int32, start int64) statefile.EpochEntry {
		return statefile.EpochEntry{Epoch: epoch, StartOffset: start}
	}
	given := []statefile.EpochEntry{entry(5, 50), entry(2, 20), entry(5, 51), entry(-1, 7), entry(2, 9)}
	before := slices.Clone(given)
	if got, want := leaderepoch.NewCache(given).Entries, []statefile.EpochEntry{entry(-1, 7), entry(2, 9), entry(5, 51)}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	if !slices.Equal(given, before) {
		t.Error("the argument was changed")
	}
	// As many as the largest file has, the wrong way round.
	many := make([]statefile.EpochEntry, 1<<20)
	for i := range many {
		many[i] = entry(int32(len(many)-i), int64(i))
	}
	got := leaderepoch.NewCache(many)
	if latest, _ := got.Latest(); len(got.Entries) != len(many) || latest != entry(int32(len(many)), 0) || got.Entries[0].Epoch != 1 {
		t.Errorf("%d entries, the latest %v", len(got.Entries), latest)
	}
}
