package indexfile

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// draw makes an index from a picture: x is a used slot, . a zero one.
func draw(kind Kind, picture string, remainder int) []byte {
	var b []byte
	for i, c := range picture {
		slot := make([]byte, kind.EntrySize())
		if c == 'x' {
			slot[i*5%len(slot)] = 1 // any byte of it
		}
		b = append(b, slot...)
	}
	return append(b, bytes.Repeat([]byte{0xff}, remainder)...)
}

func layoutOf(t testing.TB, kind Kind, b []byte) Layout {
	t.Helper()
	var l Layout
	var err error
	src, size := bytes.NewReader(b), int64(len(b))
	switch kind {
	case Offset:
		l, err = NewOffsetReader(src, size, 0).Layout()
	case Time:
		l, err = NewTimeReader(src, size, 0).Layout()
	case Txn:
		l, err = NewTxnReader(src, size, 0).Layout()
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLayoutShapes(t *testing.T) {
	long := strings.Repeat(".", 5000)
	cases := []struct {
		name, picture string
		remainder     int
		entries, used int
		holes         []Run
	}{
		{"empty", "", 0, 0, 0, nil},
		{"less than an entry", "", 5, 0, 0, nil},
		{"trimmed", "xxx", 0, 3, 3, nil},
		{"cut in an entry", "xxx", 3, 3, 3, nil},
		{"preallocated", "xx...", 0, 2, 2, nil},
		{"preallocated, never used", "....", 0, 0, 0, nil},
		{"one zero slot", ".", 0, 0, 0, nil},
		{"starts with zeros", "..xx", 0, 4, 2, []Run{{0, 2}}},
		{"holes and a tail", "x.x..xx...", 0, 7, 4, []Run{{1, 1}, {3, 2}}},
		{"tail with a remainder", "x..", 7, 1, 1, nil},
		{"long hole", "x" + long + "x", 0, 5002, 2, []Run{{1, 5000}}},
		{"long tail", "x" + long, 0, 1, 1, nil},
		{"used behind pages of zeros", long + long + "x" + long, 0, 10001, 1, []Run{{0, 10000}}},
	}
	for _, c := range cases {
		for _, kind := range []Kind{Offset, Time, Txn} {
			t.Run(c.name+"/"+kind.String(), func(t *testing.T) {
				b := draw(kind, c.picture, c.remainder)
				l := layoutOf(t, kind, b)
				slots := len(c.picture)
				tail := Run{c.entries, slots - c.entries}
				if l.Slots != slots || l.Entries != c.entries || l.Used != c.used || l.Tail != tail ||
					!slices.Equal(l.Holes, c.holes) || l.HoleCount != len(c.holes) || l.Remainder != c.remainder || l.FileBytes != int64(len(b)) {
					t.Errorf("%+v", l)
				}
				if l.HoleSlots != c.entries-c.used || l.Preallocated() != (tail.Slots > 0) || l.UsedBytes() != int64(c.entries*kind.EntrySize()) {
					t.Errorf("%+v: %d hole slots, preallocated %v, %d bytes used", l, l.HoleSlots, l.Preallocated(), l.UsedBytes())
				}
				if from, to := l.Bytes(l.Tail); from != l.UsedBytes() || to != l.FileBytes-int64(l.Remainder) {
					t.Errorf("tail from %d to %d", from, to)
				}
			})
		}
	}
}

// Slot by slot, against a walk over a random picture.
func TestLayoutRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		picture := make([]byte, 0, 8000)
		for len(picture) < 4000 {
			c := []byte{'x', '.'}[rnd.IntN(2)]
			picture = append(picture, bytes.Repeat([]byte{c}, 1+rnd.IntN(1<<rnd.IntN(11)))...)
		}
		var holes []Run
		used := bytes.Count(picture, []byte("x"))
		end := bytes.LastIndexByte(picture, 'x') + 1
		for i := 0; i < end; i++ {
			if picture[i] != '.' {
				continue
			}
			if i == 0 || picture[i-1] == 'x' {
				holes = append(holes, Run{First: i})
			}
			holes[len(holes)-1].Slots++
		}
		kind := Kind(rnd.IntN(3))
		l := layoutOf(t, kind, draw(kind, string(picture), 0))
		if l.Entries != end || l.Used != used || l.HoleCount != len(holes) || !slices.Equal(l.Holes, holes[:min(len(holes), MaxHoles)]) {
			t.Fatalf("%v index: %d entries, %d used, %d holes, want %d, %d, %d", kind, l.Entries, l.Used, l.HoleCount, end, used, len(holes))
		}
	}
}

func TestLayoutListsNoMoreThanMaxHoles(t *testing.T) {
	l := layoutOf(t, Offset, draw(Offset, strings.Repeat(".x", 5000), 0))
	if len(l.Holes) != MaxHoles || l.HoleCount != 5000 || l.HoleSlots != 5000 || l.Used != 5000 || l.Entries != 10000 {
		t.Errorf("%d listed, %d holes of %d slots, %d used, %d entries", len(l.Holes), l.HoleCount, l.HoleSlots, l.Used, l.Entries)
	}
}

func TestDistances(t *testing.T) {
	file := func(positions ...int32) *OffsetReader {
		var b []byte
		for i, p := range positions {
			e := OffsetEntry{RelativeOffset: int32(i + 1), Position: p}
			if p == 0 {
				e.RelativeOffset = 0
			}
			b = AppendOffsetEntry(b, e)
		}
		return NewOffsetReader(bytes.NewReader(b), int64(len(b)), 0)
	}
	for _, c := range []struct {
		name string
		r    *OffsetReader
		want Distances
	}{
		{"none", file(), Distances{}},
		{"one entry", file(5000), Distances{}},
		{"two", file(5000, 9100), Distances{Count: 1, Min: 4100, Median: 4100, Max: 4100}},
		{"even number of steps", file(10, 20, 50, 51, 151), Distances{Count: 4, Min: 1, Median: 10, Max: 100}},
		{"zero hole passed over", file(10, 0, 0, 30, 35), Distances{Count: 2, Min: 5, Median: 5, Max: 20}},
		{"going back", file(math.MaxInt32, math.MinInt32), Distances{Count: 1, Min: -math.MaxUint32, Median: -math.MaxUint32, Max: -math.MaxUint32}},
	} {
		if d, err := c.r.Distances(c.r.Slots()); err != nil || d != c.want {
			t.Errorf("%s: %+v %v, want %+v", c.name, d, err, c.want)
		}
	}
	if d, err := file(10, 20, 50, 51).Distances(3); err != nil || d.Count != 2 || d.Max != 30 {
		t.Errorf("first three: %+v %v", d, err)
	}

	var b []byte
	for _, ts := range []int64{1000, 1500, 1501} {
		b = AppendTimeEntry(b, TimeEntry{Timestamp: ts, RelativeOffset: 1})
	}
	b = append(b, make([]byte, 1200)...)
	if d, err := NewTimeReader(bytes.NewReader(b), int64(len(b)), 0).Distances(103); err != nil || d != (Distances{Count: 2, Min: 1, Median: 1, Max: 500}) {
		t.Errorf("times: %+v %v", d, err)
	}
}

// With more steps than are kept, the median comes from every 2nd, 4th, … one.
func TestDistancesThinOut(t *testing.T) {
	steps := make([]int64, 1000)
	rnd := rand.New(rand.NewPCG(5, 6))
	for i := range steps {
		steps[i] = rnd.Int64N(1000)
	}
	entries := func(yield func(int64, error) bool) {
		at := int64(1)
		for _, s := range steps {
			if !yield(at, nil) {
				return
			}
			at += s
		}
		yield(at, nil)
	}
	for _, c := range []struct{ limit, stride int }{{1000, 1}, {998, 2}, {500, 2}, {100, 16}, {2, 512}} {
		var kept []int64
		for i := 0; i < len(steps); i += c.stride {
			kept = append(kept, steps[i])
		}
		slices.Sort(kept)
		want := Distances{1000, slices.Min(steps), kept[(len(kept)-1)/2], slices.Max(steps), c.stride > 1}
		d, err := distances(entries, 1001, c.limit, func(v int64) (int64, bool) { return v, true })
		if err != nil || d != want {
			t.Errorf("limit %d: %+v %v, want %+v", c.limit, d, err, want)
		}
	}
}

// The median is found by counting; here against sorting, over wide and narrow
// ranges up to all of an int64.
func TestDistancesMedian(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for round := range 500 {
		values := make([]int64, 1+rnd.IntN(50))
		shift := uint(rnd.IntN(64))
		for i := range values {
			values[i] = int64(rnd.Uint64()) >> shift
		}
		if round%10 == 0 {
			values = append(values, math.MinInt64, math.MaxInt64)
		}
		sorted := slices.Sorted(slices.Values(values))
		for k, want := range sorted {
			if got := smallest(values, k, sorted[0], sorted[len(sorted)-1]); got != want {
				t.Fatalf("index %d of %v: %d, want %d", k, sorted, got, want)
			}
		}
	}
	for _, c := range []struct{ a, b, want int64 }{
		{5, 3, 2}, {3, 5, -2}, {math.MaxInt64, -1, math.MaxInt64}, {math.MinInt64, 1, math.MinInt64},
		{0, math.MinInt64, math.MaxInt64}, {-1, math.MinInt64, math.MaxInt64}, {math.MaxInt64, math.MaxInt64, 0},
	} {
		if got := difference(c.a, c.b); got != c.want {
			t.Errorf("%d - %d = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestWarmFirstSlot(t *testing.T) {
	for _, c := range []struct {
		kind          Kind
		entries, want int
	}{
		{Offset, 0, 0}, {Offset, 1025, 0}, {Offset, 1026, 1}, {Offset, 1310720, 1309695},
		{Time, 683, 0}, {Time, 684, 1}, {Txn, 241, 0}, {Txn, 242, 1},
	} {
		if got := c.kind.WarmFirstSlot(c.entries); got != c.want {
			t.Errorf("%v, %d entries: %d, want %d", c.kind, c.entries, got, c.want)
		}
	}
}

func TestHugeSparseFile(t *testing.T) {
	r := NewTimeReader(zeroReader{}, math.MaxInt64, 0)
	if _, err := r.Entry(r.Slots() - 1); err != nil {
		t.Error(err)
	}
	n := 0
	for range r.Entries() {
		if n++; n == 100000 {
			break
		}
	}
	if err := r.KafkaSanity("x"); err == nil || !errors.As(err, new(*KafkaError)) {
		t.Errorf("sanity: %v", err)
	}
}
