package leaderepoch

import (
	"math"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/recordbatch"
)

// of makes a history from pairs of epoch and start offset.
func of(pairs ...int64) (h History) {
	for i := 0; i < len(pairs); i += 2 {
		h = append(h, statefile.EpochEntry{Epoch: int32(pairs[i]), StartOffset: pairs[i+1]})
	}
	return h
}

func TestDivergence(t *testing.T) {
	for _, c := range []struct {
		name        string
		leader      History
		leaderEnd   int64
		follower    History
		followerEnd int64
		want        int64
		ok          bool
	}{
		// A broker said of this pair: truncated to 65 (states, kraft a, pair-0).
		{"unclean election", of(0, 0, 2, 45, 3, 65), 90, of(0, 0, 2, 45), 105, 65, true},
		{"lagging", of(0, 0, 1, 110), 297, of(0, 0, 1, 110), 257, 257, true},
		{"follower ahead in the same epoch", of(0, 0), 50, of(0, 0), 60, 50, true},
		{"the same", of(0, 0), 50, of(0, 0), 50, 50, true},
		{"an epoch that the leader never saw", of(0, 0, 4, 120), 200, of(0, 0, 3, 100), 150, 100, true},
		{"two of them", of(0, 0, 5, 130), 200, of(0, 0, 3, 100, 4, 140), 150, 100, true},
		{"interleaved", of(1, 0, 3, 20, 6, 70), 90, of(1, 0, 2, 10, 4, 30, 5, 40), 50, 10, true},
		{"nothing in common", of(7, 10), 50, of(2, 0), 40, 0, false},
		{"nothing known", nil, 50, nil, 40, 0, false},
	} {
		got, ok := Divergence(c.leader, c.leaderEnd, c.follower, c.followerEnd)
		if got != c.want || ok != c.ok {
			t.Errorf("%s: %d %v, want %d %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

func TestBuilder(t *testing.T) {
	for _, c := range []struct {
		epochs []int32 // of batches with the offsets 0, 10, 20…
		want   History
	}{
		{[]int32{0, 0, 1, 1, 4}, of(0, 0, 1, 20, 4, 40)},
		{[]int32{0, 0, 99, 0, 1, 1}, of(0, 0, 1, 40)},
		{[]int32{5, 5, 1, 5, 6}, of(5, 0, 6, 40)},
		{[]int32{-1, -1, 2, 2}, of(2, 20)},
		{[]int32{0, 0, 99, 1, 1}, of(0, 0, 1, 30)},
	} {
		var b Builder
		for i, epoch := range c.epochs {
			b.Add(&recordbatch.Batch{Magic: 2, Offset: int64(10 * i), PartitionLeaderEpoch: epoch})
		}
		if !slices.Equal(b.History(), c.want) {
			t.Errorf("%v: %v, want %v", c.epochs, b.History(), c.want)
		}
	}
}

// A base offset that is wrong counts no more than an epoch that is.
func TestBuilderWithWrongOffsets(t *testing.T) {
	var b Builder
	for _, e := range of(1, 0, 2, 1<<50, 3, 200, 4, 1<<40, 5, 300) {
		b.Add(&recordbatch.Batch{Magic: 2, Offset: e.StartOffset, PartitionLeaderEpoch: e.Epoch})
	}
	h := b.History()
	if want := of(1, 0, 3, 200, 5, 300); !slices.Equal(h, want) {
		t.Fatalf("%v, want %v", h, want)
	}
	for offset, want := range map[int64]int32{0: 1, 199: 1, 200: 3, 299: 3, 300: 5, 1 << 60: 5} {
		if got, ok := h.At(offset); got != want || !ok {
			t.Errorf("at %d: epoch %d", offset, got)
		}
	}
	if _, ok := h.At(-1); ok {
		t.Error("an epoch before the first")
	}
}

func TestTruncate(t *testing.T) {
	h := of(0, 0, 2, 45, 3, 65)
	const all = math.MaxInt64
	for _, c := range []struct {
		start, end int64
		want       History
	}{
		{0, all, h}, {0, 65, of(0, 0, 2, 45)}, {45, 66, of(2, 45, 3, 65)}, {50, all, of(2, 50, 3, 65)}, {70, 80, of(3, 70)}, {0, 0, nil}, {-1, all, h},
	} {
		cache := NewCache(h)
		cache.TruncateFromEnd(c.end)
		cache.TruncateFromStart(c.start)
		if !slices.Equal(History(cache.Entries), c.want) {
			t.Errorf("from %d to %d: %v, want %v", c.start, c.end, cache.Entries, c.want)
		}
	}
	if !slices.Equal(h, of(0, 0, 2, 45, 3, 65)) {
		t.Errorf("what was given has changed: %v", h)
	}
}
