package indexfile

import (
	"bytes"
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// model is the search written down a second time, on plain keys, recursively
// and without regard to reading. It returns the slot and the slots compared.
func model(keys []int64, warm int, target int64, upper bool) (int, []int32, bool) {
	if len(keys) == 0 {
		return -1, nil, false
	}
	last := len(keys) - 1
	result := func(i int) int {
		if !upper {
			return i
		}
		if i == last {
			return -1
		}
		return i + 1
	}
	var halve func(from, to int) (int, []int32)
	halve = func(from, to int) (int, []int32) {
		if from == to {
			return result(from), nil
		}
		middle := from + (to-from+1)>>1
		if keys[middle] == target {
			return middle, []int32{int32(middle)}
		}
		slot, more := 0, []int32(nil)
		if keys[middle] > target {
			slot, more = halve(from, middle-1)
		} else {
			slot, more = halve(middle, to)
		}
		return slot, append([]int32{int32(middle)}, more...)
	}
	hot := last - warm
	if hot < 0 {
		hot = 0
	}
	if keys[hot] < target {
		slot, seen := halve(hot, last)
		return slot, append([]int32{int32(hot)}, seen...), true
	}
	if keys[0] > target {
		if upper {
			return 0, []int32{int32(hot), 0}, false
		}
		return -1, []int32{int32(hot), 0}, false
	}
	slot, seen := halve(0, hot)
	return slot, append([]int32{int32(hot), 0}, seen...), false
}

// scan finds the largest key ≤ target in sorted keys the slow way.
func scan(keys []int64, target int64) int {
	slot := -1
	for i, k := range keys {
		if k <= target {
			slot = i
		}
	}
	return slot
}

func offsetFile(rel []int32) []byte {
	var b []byte
	for i, r := range rel {
		b = AppendOffsetEntry(b, OffsetEntry{RelativeOffset: r, Position: int32(i+1) * 100})
	}
	return b
}

func TestSearchIsKafkas(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var reuse []int32
	for round := range 3000 {
		n := rnd.IntN(40)
		switch round % 20 {
		case 0:
			n = 1020 + rnd.IntN(12) // about one warm section of .index
		case 1:
			n = 678 + rnd.IntN(12) // of .timeindex
		case 2:
			n = rnd.IntN(9000)
		}
		base := rnd.Int64N(1 << 40)
		rel := make([]int32, n)
		for i := range rel {
			rel[i] = int32(rnd.Uint32() >> uint(rnd.IntN(31)))
		}
		sorted := round%3 != 0
		if sorted {
			slices.Sort(rel)
			rel = slices.Compact(rel)
			n = len(rel)
		}
		offsets, timestamps, positions := make([]int64, n), make([]int64, n), make([]int64, n)
		var of, tf []byte
		for i, r := range rel {
			offsets[i], timestamps[i], positions[i] = base+int64(r), int64(r)*3-7, int64(r)/2
			of = AppendOffsetEntry(of, OffsetEntry{RelativeOffset: r, Position: r / 2})
			tf = AppendTimeEntry(tf, TimeEntry{Timestamp: timestamps[i], RelativeOffset: int32(i)})
		}
		or := NewOffsetReader(bytes.NewReader(of), int64(len(of)), base)
		tr := NewTimeReader(bytes.NewReader(tf), int64(len(tf)), base)

		for range 8 {
			entries := n
			if n > 0 && rnd.IntN(3) == 0 {
				entries = rnd.IntN(n + 1)
			}
			pick := func(keys []int64) int64 {
				if entries == 0 || rnd.IntN(5) == 0 {
					return rnd.Int64N(1 << 41)
				}
				return keys[rnd.IntN(entries)] + rnd.Int64N(3) - 1
			}

			target := pick(offsets)
			got, err := or.Lookup(target, entries, reuse[:0])
			slot, seen, warm := model(offsets[:entries], 1024, target, false)
			if err != nil || got.Slot != slot || got.Warm != warm || !slices.Equal(got.Compared, seen) {
				t.Fatalf("offset %d in %d entries: %+v %v, want slot %d after %v", target, entries, got, err, slot, seen)
			}
			if slot < 0 && got.Entry != (OffsetEntry{Offset: base}) {
				t.Fatalf("no entry, but %+v", got.Entry)
			}
			if slot >= 0 && got.Entry.Offset != offsets[slot] {
				t.Fatalf("slot %d has %d, got %+v", slot, offsets[slot], got.Entry)
			}
			if sorted {
				if want := scan(offsets[:entries], target); want != slot {
					t.Fatalf("offset %d: slot %d, a scan finds %d", target, slot, want)
				}
				checkCost(t, len(got.Compared), warm, or.WarmFirstSlot(entries))
			}
			reuse = got.Compared

			target = pick(timestamps)
			tgot, err := tr.Lookup(target, entries, nil)
			slot, seen, warm = model(timestamps[:entries], 682, target, false)
			if err != nil || tgot.Slot != slot || tgot.Warm != warm || !slices.Equal(tgot.Compared, seen) {
				t.Fatalf("time %d in %d entries: %+v %v, want slot %d after %v", target, entries, tgot, err, slot, seen)
			}
			if slot < 0 && tgot.Entry != (TimeEntry{Timestamp: -1, Offset: base}) {
				t.Fatalf("no entry, but %+v", tgot.Entry)
			}
			if slot >= 0 && tgot.Entry.Timestamp != timestamps[slot] {
				t.Fatalf("slot %d has %d, got %+v", slot, timestamps[slot], tgot.Entry)
			}

			position, size := int32(min(pick(positions), math.MaxInt32)), int32(rnd.IntN(100000))
			ugot, err := or.UpperBound(position, size, entries, nil)
			slot, seen, _ = model(positions[:entries], 1024, int64(position+size), true)
			if err != nil || ugot.Slot != slot || !slices.Equal(ugot.Compared, seen) {
				t.Fatalf("upper bound of %d+%d in %d entries: %+v %v, want slot %d after %v", position, size, entries, ugot, err, slot, seen)
			}
		}
	}
}

// checkCost holds the promise about how many entries a search compares.
func checkCost(t *testing.T, compared int, warm bool, firstHot int) {
	t.Helper()
	most := 12
	if !warm {
		most = 2 + bits.Len(uint(firstHot)) // ⌈log2(firstHot+1)⌉ halvings
	}
	if compared > most {
		t.Fatalf("compared %d entries, at most %d expected (warm %v)", compared, most, warm)
	}
}

func TestLookupSteps(t *testing.T) {
	rel := make([]int32, 3000)
	for i := range rel {
		rel[i] = int32(i+1) * 10
	}
	b := offsetFile(rel)
	cases := []struct {
		name    string
		target  int64
		entries int
		slot    int
		warm    bool
		seen    []int32
	}{
		{"empty", 5, 0, -1, false, nil},
		{"one entry, behind it", 11, 1, 0, true, []int32{0}},
		{"one entry, on it", 10, 1, 0, false, []int32{0, 0}},
		{"one entry, before it", 9, 1, -1, false, []int32{0, 0}},
		{"small index, exact hit ends early", 20, 3, 1, true, []int32{0, 1}},
		{"before all", 3, 3000, -1, false, []int32{1975, 0}},
		{"first hot entry itself is searched from the front", 19760, 3000, 1975, false, []int32{1975, 0, 988, 1482, 1729, 1852, 1914, 1945, 1960, 1968, 1972, 1974, 1975}},
		{"one behind the first hot entry", 19761, 3000, 1975, true, []int32{1975, 2487, 2231, 2103, 2039, 2007, 1991, 1983, 1979, 1977, 1976}},
		{"past the end", 1 << 50, 3000, 2999, true, []int32{1975, 2487, 2743, 2871, 2935, 2967, 2983, 2991, 2995, 2997, 2998, 2999}},
	}
	r := NewOffsetReader(bytes.NewReader(b), int64(len(b)), 0)
	for _, c := range cases {
		got, err := r.Lookup(c.target, c.entries, nil)
		if err != nil || got.Slot != c.slot || got.Warm != c.warm || !slices.Equal(got.Compared, c.seen) {
			t.Errorf("%s: slot %d warm %v compared %v %v", c.name, got.Slot, got.Warm, got.Compared, err)
		}
	}
}

func TestUpperBound(t *testing.T) {
	b := offsetFile([]int32{5, 9})
	r := NewOffsetReader(bytes.NewReader(b), int64(len(b)), 0)
	for _, c := range []struct {
		position, size int32
		slot           int
	}{
		{0, 50, 0},
		{0, 100, 1}, // the first entry is there, but is passed over
		{0, 101, 1},
		{0, 200, 1}, // a midpoint that hits is taken
		{100, 101, -1},
		{200, math.MaxInt32, 0}, // negative after the wrap
	} {
		got, err := r.UpperBound(c.position, c.size, 2, nil)
		if err != nil || got.Slot != c.slot {
			t.Errorf("%d+%d: slot %d %v, want %d", c.position, c.size, got.Slot, err, c.slot)
		}
	}
}

func TestLookupRefusesMoreThanThereIs(t *testing.T) {
	r := NewOffsetReader(bytes.NewReader(make([]byte, 16)), 16, 0)
	for _, n := range []int{-1, 3, math.MaxInt} {
		if _, err := r.Lookup(1, n, nil); !errors.Is(err, ErrNoSlot) {
			t.Errorf("%d entries: %v", n, err)
		}
	}
	huge := NewOffsetReader(zeroReader{}, 1<<40, 0)
	if _, err := huge.Lookup(1, huge.Slots(), nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("1 TiB: %v", err)
	}
	if s, err := huge.Lookup(1, math.MaxInt32/8, nil); err != nil || len(s.Compared) != 12 {
		t.Errorf("largest that kafka maps: %+v %v", s, err)
	}
}
