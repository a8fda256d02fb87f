package indexfile

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// zeroReader is an endless sparse file.
type zeroReader struct{}

func (zeroReader) ReadAt(b []byte, _ int64) (int, error) { clear(b); return len(b), nil }

// countingReader notes how much is read.
type countingReader struct {
	io.ReaderAt
	calls int
	bytes int
}

func (c *countingReader) ReadAt(b []byte, at int64) (int, error) {
	c.calls++
	c.bytes += len(b)
	return c.ReaderAt.ReadAt(b, at)
}

// brokenReader fails from a position on.
type brokenReader struct {
	io.ReaderAt
	from int64
}

var errDisk = errors.New("input/output error")

func (f brokenReader) ReadAt(b []byte, at int64) (int, error) {
	if at+int64(len(b)) <= f.from {
		return f.ReaderAt.ReadAt(b, at)
	}
	n, _ := f.ReaderAt.ReadAt(b[:max(0, f.from-at)], at)
	return n, errDisk
}

func TestSlotsOfOddSizes(t *testing.T) {
	for _, c := range []struct {
		size             int64
		slots, remainder [3]int
	}{
		{-5, [3]int{}, [3]int{}},
		{0, [3]int{}, [3]int{}},
		{7, [3]int{}, [3]int{7, 7, 7}},
		{8, [3]int{1, 0, 0}, [3]int{0, 8, 8}},
		{35, [3]int{4, 2, 1}, [3]int{3, 11, 1}},
		{10485760, [3]int{1310720, 873813, 308404}, [3]int{0, 4, 24}},
		{math.MaxInt64, [3]int{math.MaxInt64 / 8, math.MaxInt64 / 12, math.MaxInt64 / 34}, [3]int{7, 7, 25}},
	} {
		for _, got := range []struct {
			kind             Kind
			slots, remainder int
		}{
			{Offset, NewOffsetReader(zeroReader{}, c.size, 0).Slots(), NewOffsetReader(zeroReader{}, c.size, 0).Remainder()},
			{Time, NewTimeReader(zeroReader{}, c.size, 0).Slots(), NewTimeReader(zeroReader{}, c.size, 0).Remainder()},
			{Txn, NewTxnReader(zeroReader{}, c.size, 0).Slots(), NewTxnReader(zeroReader{}, c.size, 0).Remainder()},
		} {
			if got.slots != c.slots[got.kind] || got.remainder != c.remainder[got.kind] {
				t.Errorf("%d bytes of %v index: %d slots and %d bytes, want %d and %d", c.size, got.kind, got.slots, got.remainder, c.slots[got.kind], c.remainder[got.kind])
			}
		}
	}
}

func TestEntriesStreamEverySlot(t *testing.T) {
	const n = 40000 // several buffers of a pass, for each kind
	var of, tf, xf []byte
	for i := range n {
		of = AppendOffsetEntry(of, OffsetEntry{RelativeOffset: int32(i), Position: int32(3 * i)})
		tf = AppendTimeEntry(tf, TimeEntry{Timestamp: int64(i) << 20, RelativeOffset: int32(i)})
		xf = AppendTxnEntry(xf, TxnEntry{ProducerID: int64(i), LastOffset: int64(2 * i)})
	}
	of, tf, xf = append(of, 1, 2, 3), append(tf, 1, 2, 3), append(xf, 1, 2, 3)
	or := NewOffsetReader(bytes.NewReader(of), int64(len(of)), 77)
	tr := NewTimeReader(bytes.NewReader(tf), int64(len(tf)), 77)
	xr := NewTxnReader(bytes.NewReader(xf), int64(len(xf)), 77)
	i := 0
	for e, err := range or.Entries() {
		if one, e1 := or.Entry(i); err != nil || e1 != nil || e != one || e != (OffsetEntry{77 + int64(i), int32(i), int32(3 * i)}) {
			t.Fatalf("slot %d: %+v %v, by itself %+v %v", i, e, err, one, e1)
		}
		i++
	}
	j := 0
	for e, err := range tr.Entries() {
		if one, e1 := tr.Entry(j); err != nil || e1 != nil || e != one || e != (TimeEntry{int64(j) << 20, 77 + int64(j), int32(j)}) {
			t.Fatalf("slot %d: %+v %v, by itself %+v %v", j, e, err, one, e1)
		}
		j++
	}
	k := 0
	for e, err := range xr.Entries() {
		if one, e1 := xr.Entry(k); err != nil || e1 != nil || e != one || e != (TxnEntry{ProducerID: int64(k), LastOffset: int64(2 * k)}) {
			t.Fatalf("slot %d: %+v %v, by itself %+v %v", k, e, err, one, e1)
		}
		k++
	}
	if i != n || j != n || k != n {
		t.Errorf("streamed %d, %d, %d of %d", i, j, k, n)
	}

	from := n - 3
	for e, err := range or.EntriesBetween(from, n+5) {
		if err != nil || e.RelativeOffset != int32(from) {
			t.Fatalf("slot %d: %+v %v", from, e, err)
		}
		from++
	}
	for range or.EntriesBetween(5, 5) {
		t.Error("an entry in an empty range")
	}
	for _, slot := range []int{-1, n, math.MaxInt} {
		if _, err := or.Entry(slot); !errors.Is(err, ErrNoSlot) {
			t.Errorf("slot %d: %v", slot, err)
		}
	}
}

// A lookup reads the pages that it compares entries on, and nothing else.
func TestLookupReadsFewPages(t *testing.T) {
	const n = 1310720
	b := make([]byte, 0, n*8)
	for i := range n {
		b = AppendOffsetEntry(b, OffsetEntry{RelativeOffset: int32(i + 1), Position: int32(i + 1)})
	}
	for _, c := range []struct {
		target int64
		pages  int
	}{{n - 5, 3}, {n / 3, 14}, {0, 2}} {
		src := &countingReader{ReaderAt: bytes.NewReader(b)}
		r := NewOffsetReader(src, int64(len(b)), 0)
		if s, err := r.Lookup(c.target, n, nil); err != nil || s.Slot != int(c.target)-1 {
			t.Fatalf("%+v %v", s, err)
		}
		if src.calls > c.pages || src.bytes > c.pages*pageBytes {
			t.Errorf("offset %d: %d reads, %d bytes; at most %d pages", c.target, src.calls, src.bytes, c.pages)
		}
	}
}

func TestReadErrorKeepsWhatWasRead(t *testing.T) {
	b := offsetFile(make([]int32, 50000))
	const cut = 300004 // in the middle of slot 37500
	for _, c := range []struct {
		name  string
		src   io.ReaderAt
		cause error
	}{
		{"bad sector", brokenReader{bytes.NewReader(b), cut}, errDisk},
		{"trimmed meanwhile", bytes.NewReader(b[:cut]), io.ErrUnexpectedEOF},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewOffsetReader(c.src, int64(len(b)), 0)
			r.File = "x\x1b.index"
			n := 0
			var failed error
			for _, err := range r.Entries() {
				if err != nil {
					failed = err
					continue
				}
				n++
			}
			var re *ReadError
			if !errors.As(failed, &re) || !errors.Is(failed, c.cause) || n != 37500 {
				t.Fatalf("%d entries, then %v", n, failed)
			}
			if strings.ContainsRune(failed.Error(), '\x1b') || !strings.Contains(failed.Error(), `x\x1b.index": read at position `) {
				t.Errorf("text: %q", failed)
			}
			l, err := r.Layout()
			if !errors.Is(err, c.cause) || l.Slots != 37500 || l.Used != 37500 {
				t.Errorf("layout %+v, %v", l, err)
			}
			d, err := r.Distances(50000)
			if !errors.Is(err, c.cause) || d.Count != 37499 || d.Median != 100 {
				t.Errorf("distances %+v, %v", d, err)
			}
			if _, err := r.Lookup(1<<40, 50000, nil); !errors.Is(err, c.cause) {
				t.Errorf("lookup: %v", err)
			}
			if s, err := r.Lookup(0, 30000, nil); err != nil || s.Slot != 14488 {
				t.Errorf("lookup before the damage: %+v %v", s, err)
			}
			if _, err := r.Entry(37499); err != nil {
				t.Errorf("slot before the damage, on its page: %v", err)
			}
			if _, err := r.Entry(37500); !errors.Is(err, c.cause) {
				t.Errorf("damaged slot: %v", err)
			}
			if err := r.KafkaSanity("x"); !errors.Is(err, c.cause) {
				t.Errorf("sanity: %v", err)
			}
		})
	}
}
