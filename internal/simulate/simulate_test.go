package simulate

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/indexfile"
)

// segment is what an Appender made of batches, kept.
type segment struct {
	base    int64
	size    int64
	index   *indexfile.OffsetBuilder
	batches []placed
}

type placed struct {
	Batch
	position int64
}

func build(t testing.TB, batches []Batch, rule Rule) (segments []*segment) {
	t.Helper()
	a := NewAppender(rule)
	for i, b := range batches {
		p := a.Append(b)
		if i == 0 || p.Roll != NotRolled {
			index, err := indexfile.NewOffsetBuilder(p.BaseOffset, math.MaxInt32)
			if err != nil {
				t.Fatal(err)
			}
			segments = append(segments, &segment{base: p.BaseOffset, index: index})
		}
		s := segments[len(segments)-1]
		s.batches = append(s.batches, placed{b, p.Position})
		s.size += b.Size
		if p.Entry {
			if err := s.index.Append(b.LastOffset, int32(p.Position)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return segments
}

// lookup searches the built index with the code that reads real ones.
func (s *segment) lookup(t testing.TB, offset int64) (found indexfile.Search[indexfile.OffsetEntry], landing placed, passed int64) {
	t.Helper()
	data := s.index.Bytes()
	r := indexfile.NewOffsetReader(bytes.NewReader(data), int64(len(data)), s.base)
	found, err := r.Lookup(offset, r.Slots(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range s.batches {
		if b.position < int64(found.Entry.Position) {
			continue
		}
		passed++
		if b.LastOffset >= offset {
			return found, b, passed
		}
	}
	t.Fatalf("offset %d is not in the segment", offset)
	return
}

// ofSizes are batches of one record each.
func ofSizes(sizes ...int64) (batches []Batch) {
	for i, size := range sizes {
		batches = append(batches, Batch{Size: size, FirstOffset: int64(i), LastOffset: int64(i), MaxTimestamp: int64(1000 + i)})
	}
	return batches
}

func entriesOf(s *segment) (entries []indexfile.OffsetEntry) {
	for b := s.index.Bytes(); len(b) > 0; b = b[indexfile.OffsetEntrySize:] {
		e, _ := indexfile.ParseOffsetEntry(b, s.base)
		entries = append(entries, e)
	}
	return entries
}

// Segment bytes 90, interval 30, worked out by hand.
func TestWorkedExample(t *testing.T) {
	segments := build(t, ofSizes(20, 20, 20, 20, 35, 10), Rule{Interval: 30, SegmentBytes: 90})
	if len(segments) != 2 || segments[0].base != 0 || segments[1].base != 4 {
		t.Fatalf("segments: %+v", segments)
	}
	if got := entriesOf(segments[0]); !slices.Equal(got, []indexfile.OffsetEntry{{Offset: 2, RelativeOffset: 2, Position: 40}}) {
		t.Errorf("segment 0: %+v", got)
	}
	if got := entriesOf(segments[1]); !slices.Equal(got, []indexfile.OffsetEntry{{Offset: 5, RelativeOffset: 1, Position: 35}}) {
		t.Errorf("segment 4: %+v", got)
	}
	if found, landing, passed := segments[0].lookup(t, 3); found.Entry.Position != 40 || landing.position != 60 || passed != 2 {
		t.Errorf("lookup of 3: %+v, %+v, %d records", found, landing, passed)
	}
	if found, landing, passed := segments[1].lookup(t, 4); found.Slot != -1 || found.Entry.Position != 0 || landing.position != 0 || passed != 1 {
		t.Errorf("lookup of 4: %+v, %+v, %d records", found, landing, passed)
	}
	s := New(Rule{Interval: 30, SegmentBytes: 90})
	for _, b := range ofSizes(20, 20, 20, 20, 35, 10) {
		s.Append(b)
	}
	// Scans: 20, 40, 20 (by its entry), 40, 35, 10; comparisons: 2, 2, 2, 1, 2, 2.
	r := s.Result()
	want := Simulation{
		Rule: Rule{Interval: 30, SegmentBytes: 90, MaxIndexBytes: MaxIndexBytes}, Batches: 6, Bytes: 125, Offsets: 6,
		Segments: 2, Rolls: 1, Entries: 2, IndexBytes: 16, LargestIndexBytes: 8,
		ScanBytesMean: 165.0 / 6, ScanBytesP99: 40, ScanBytesMax: 40, ScanBatchesMax: 2, EntriesReadMean: 11.0 / 6,
	}
	if r != want {
		t.Errorf("got  %+v\nwant %+v", r, want)
	}
}

func TestIntervalMustBeExceeded(t *testing.T) {
	for _, test := range []struct {
		sizes []int64
		want  int64
	}{{[]int64{30, 10}, 0}, {[]int64{31, 10}, 1}, {[]int64{31, 30, 1}, 1}, {[]int64{31, 31, 1}, 2}} {
		s := New(Rule{Interval: 30})
		for _, b := range ofSizes(test.sizes...) {
			s.Append(b)
		}
		if got := s.Result().Entries; got != test.want {
			t.Errorf("%v: %d entries, want %d", test.sizes, got, test.want)
		}
	}
}

func TestOversizedBatchStandsAlone(t *testing.T) {
	segments := build(t, ofSizes(200, 50, 200, 50, 50, 1), Rule{Interval: 4096, SegmentBytes: 100})
	var sizes []int64
	for _, s := range segments {
		sizes = append(sizes, s.size)
	}
	if !slices.Equal(sizes, []int64{200, 50, 200, 100, 1}) {
		t.Errorf("segments of %v bytes", sizes)
	}
}

func TestFullIndexRollsEarly(t *testing.T) {
	sizes := make([]int64, 40)
	for i := range sizes {
		sizes[i] = 10
	}
	batches := ofSizes(sizes...)
	for _, test := range []struct {
		name string
		max  int64
		same bool // timestamps do not grow
		want int64
	}{
		{"time index", 60, false, 7},  // five slots, four of them for entries: 5 batches a segment
		{"offset index", 60, true, 4}, // seven entries: 8 batches a segment
		{"neither", 4096, false, 0},
	} {
		s := New(Rule{Interval: 0, SegmentBytes: 1 << 20, MaxIndexBytes: test.max})
		for _, b := range batches {
			if test.same {
				b.MaxTimestamp = -1
			}
			s.Append(b)
		}
		r := s.Result()
		if r.EarlyRolls != r.Rolls || r.Rolls != test.want {
			t.Errorf("%s: %+v", test.name, r)
		}
		if (r.Advice() == IndexTooBig) != (test.want > 0) {
			t.Errorf("%s: advice %d", test.name, r.Advice())
		}
	}
}

func TestOffsetThatDoesNotFitRolls(t *testing.T) {
	a := NewAppender(Rule{Interval: 4096, SegmentBytes: 1 << 30})
	a.Append(Batch{Size: 100, FirstOffset: 7, LastOffset: 7})
	if p := a.Append(Batch{Size: 100, FirstOffset: 8, LastOffset: 7 + math.MaxInt32}); p.Roll != NotRolled {
		t.Errorf("rolled: %+v", p)
	}
	if p := a.Append(Batch{Size: 100, FirstOffset: 8, LastOffset: 8 + math.MaxInt32}); p.Roll != RolledByOffset || p.BaseOffset != 8 {
		t.Errorf("got %+v", p)
	}
}

// The costs are those of looking every offset up, one by one, in the indexes
// that were built.
func TestCostsAreThoseOfLookups(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var batches []Batch
		next := rng.Int64N(1000)
		for range 1 + rng.IntN(3000) {
			n := 1 + rng.Int64N(4)
			batches = append(batches, Batch{Size: 61 + rng.Int64N(400), FirstOffset: next, LastOffset: next + n - 1, MaxTimestamp: rng.Int64N(1000)})
			next += n
			if rng.IntN(20) == 0 {
				next += rng.Int64N(50) // compacted
			}
		}
		rule := Rule{Interval: []int64{0, 100, 1000, 4096, 1 << 20}[rng.IntN(5)]}
		if seed%2 == 1 {
			rule.SegmentBytes = 1000 + rng.Int64N(200_000)
		}
		s := New(rule)
		for _, b := range batches {
			s.Append(b)
		}
		got := s.Result()
		var scans []int64
		var sum, reads, mostBatches, entries int64
		segments := build(t, batches, rule)
		for _, seg := range segments {
			entries += int64(seg.index.Entries())
			for _, b := range seg.batches {
				for o := b.FirstOffset; o <= b.LastOffset; o++ {
					found, landing, passed := seg.lookup(t, o)
					scan := landing.position + landing.Size - int64(found.Entry.Position)
					scans = append(scans, scan)
					sum += scan
					reads += int64(len(found.Compared))
					mostBatches = max(mostBatches, passed)
				}
			}
		}
		slices.Sort(scans)
		n := len(scans)
		rank := int(math.Ceil(0.99 * float64(n)))
		want := Simulation{
			Rule: got.Rule, Batches: got.Batches, Bytes: got.Bytes, EarlyRolls: got.EarlyRolls, LargestIndexBytes: got.LargestIndexBytes,
			Offsets: int64(n), Segments: int64(len(segments)), Rolls: int64(len(segments) - 1), Entries: entries, IndexBytes: 8 * entries,
			ScanBytesMean: float64(sum) / float64(n), ScanBytesMax: scans[n-1], ScanBatchesMax: mostBatches,
			EntriesReadMean: float64(reads) / float64(n), ScanBytesP99: scans[rank-1],
		}
		if p99 := want.ScanBytesP99; p99 >= 1<<17 && got.ScanBytesP99 >= p99 && got.ScanBytesP99 <= p99+p99>>16+1 {
			got.ScanBytesP99 = p99
		}
		if got != want {
			t.Fatalf("seed %d:\ngot  %+v\nwant %+v", seed, got, want)
		}
	}
}

func TestAdvice(t *testing.T) {
	batches := make([]int64, 1000)
	for i := range batches {
		batches[i] = 1 << 20
	}
	for _, test := range []struct {
		interval int64
		want     Advice
	}{{100 << 20, TooSparse}, {1 << 10, EveryBatch}, {3 << 20, TooSparse}} {
		s := New(Rule{Interval: test.interval})
		for _, b := range ofSizes(batches...) {
			s.Append(b)
		}
		if r := s.Result(); r.Advice() != test.want {
			t.Errorf("interval %d: advice %d, %+v", test.interval, r.Advice(), r)
		}
	}
	s := New(Rule{Interval: 4096})
	for _, b := range ofSizes(100, 100) {
		s.Append(b)
	}
	if r := s.Result(); r.Advice() != NoEntries {
		t.Errorf("a small log: advice %d", r.Advice())
	}
}
