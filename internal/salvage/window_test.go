package salvage

import (
	"slices"
	"testing"
)

// order runs a series of batches through windows as a stream does.
func order(all []span) (kept, left []span) {
	due := int64(0)
	for len(all) > 0 {
		w := all[:min(len(all), windowBatches)]
		breaks := 0
		for i := 1; i < len(w); i++ {
			if broken(w[i-1], w[i]) {
				breaks++
			}
		}
		i, verdict := choose(w, due, breaks)
		if verdict == inOrder || verdict == moved {
			kept = append(kept, w[i])
			due = w[i].last + 1
		} else {
			left = append(left, w[i])
		}
		all = slices.Delete(slices.Clone(all), i, i+1)
	}
	return kept, left
}

// tens is a log of n batches with ten offsets each.
func tens(n int) []span {
	var all []span
	for i := range n {
		all = append(all, span{int64(10 * i), int64(10*i + 9)})
	}
	return all
}

func TestOrder(t *testing.T) {
	shifted := func(i int, by int64) func([]span) []span {
		return func(all []span) []span {
			all[i].first += by
			all[i].last += by
			return all
		}
	}
	for name, c := range map[string]struct {
		damage func([]span) []span
		left   []span
		order  bool // all of the original is kept
	}{
		"sound":                  {func(a []span) []span { return a }, nil, true},
		"swapped":                {func(a []span) []span { a[5], a[6] = a[6], a[5]; return a }, nil, true},
		"three the wrong way":    {func(a []span) []span { a[5], a[7] = a[7], a[5]; return a }, nil, true},
		"first two swapped":      {func(a []span) []span { a[0], a[1] = a[1], a[0]; return a }, nil, true},
		"last two swapped":       {func(a []span) []span { a[198], a[199] = a[199], a[198]; return a }, nil, true},
		"twice":                  {func(a []span) []span { return slices.Insert(a, 6, a[5]) }, []span{{50, 59}}, true},
		"a run twice":            {func(a []span) []span { return slices.Insert(a, 8, a[5:8]...) }, []span{{50, 59}, {60, 69}, {70, 79}}, true},
		"base far too high":      {shifted(5, 1<<40), []span{{50 + 1<<40, 59 + 1<<40}}, false},
		"base a little too high": {shifted(5, 8), []span{{58, 67}}, false},
		"on the next one's":      {shifted(5, 10), []span{{60, 69}}, false},
		"base too low":           {shifted(5, -40), []span{{10, 19}}, false},
		"a little too low":       {shifted(5, -2), []span{{48, 57}}, false},
		"first too high":         {shifted(0, 512), []span{{512, 521}}, false},
		"last too low":           {shifted(199, -512), []span{{1478, 1487}}, false},
		"last but one too high":  {shifted(198, 16), []span{{1996, 2005}}, false},
		"negative":               {shifted(5, -1<<63+100), []span{{-1<<63 + 150, -1<<63 + 159}}, false},
		"two too high":           {func(a []span) []span { return shifted(9, 1<<20)(shifted(5, 1<<20)(a)) }, []span{{50 + 1<<20, 59 + 1<<20}, {90 + 1<<20, 99 + 1<<20}}, false},
	} {
		whole := tens(200)
		kept, left := order(c.damage(tens(200)))
		slices.SortFunc(left, func(a, b span) int { return int(min(max(a.first-b.first, -1), 1)) })
		if !slices.Equal(left, c.left) {
			t.Errorf("%s: left %v, want %v", name, left, c.left)
		}
		want := len(whole)
		if !c.order {
			want -= len(c.left)
		}
		if len(kept) != want || slices.ContainsFunc(kept, func(s span) bool { return !slices.Contains(whole, s) }) {
			t.Errorf("%s: kept %d, want %d: %v", name, len(kept), want, kept)
		}
		if !slices.IsSortedFunc(kept, func(a, b span) int { return int(a.first - b.first) }) {
			t.Errorf("%s: kept %v", name, kept)
		}
	}
}

// A gap of compaction is no break.
func TestOrderWithGaps(t *testing.T) {
	all := []span{{0, 4}, {100, 100}, {101, 109}, {5000, 6000}, {1 << 33, 1<<33 + 1}}
	if kept, left := order(all); len(left) != 0 || !slices.Equal(kept, all) {
		t.Errorf("kept %v, left %v", kept, left)
	}
}

func FuzzOrder(f *testing.F) {
	f.Add([]byte{1, 2, 3})
	f.Add([]byte{5, 0, 9, 0, 2, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		var all []span
		for i := 0; i+1 < len(data) && len(all) < 200; i += 2 {
			all = append(all, span{int64(int8(data[i])), int64(int8(data[i])) + int64(data[i+1]%8)})
		}
		kept, left := order(all)
		if len(kept)+len(left) != len(all) {
			t.Fatalf("%d of %d", len(kept)+len(left), len(all))
		}
		for i := 1; i < len(kept); i++ {
			if broken(kept[i-1], kept[i]) {
				t.Fatalf("kept %v", kept)
			}
		}
	})
}
