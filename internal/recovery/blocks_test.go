package recovery_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/kafsck/kafsck/internal/blocks"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// watched is a file that knows when it is read, and may end in an error.
type watched struct {
	file    []byte
	bad     int64 // reads that reach this position fail; 0 none
	reading atomic.Int32
	over    atomic.Bool // the walk is: nobody may read any more
	late    atomic.Bool // somebody did
}

var errBadDisk = errors.New("bad disk")

func (w *watched) ReadAt(p []byte, position int64) (int, error) {
	w.reading.Add(1)
	defer w.reading.Add(-1)
	if w.over.Load() {
		w.late.Store(true)
	}
	if w.bad > 0 && position+int64(len(p)) > w.bad {
		return 0, errBadDisk
	}
	n := copy(p, w.file[position:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// sizes of payloads around every border of reading ahead: many in a block, just
// one, more than the room before a block, more than is held in memory.
func manySizes() (file []byte, starts []int64) {
	random := rand.New(rand.NewPCG(1, 2))
	sizes := []int{1, 100, 127 << 10, 128 << 10, 129 << 10, blocks.Size - 100, blocks.Size, blocks.Size + 1, 3 * blocks.Size, 17 << 20}
	for len(sizes) < 200 {
		sizes = append(sizes, random.IntN(1<<(4+random.IntN(15))))
	}
	random.Shuffle(len(sizes), func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
	for offset, size := range sizes {
		starts = append(starts, int64(len(file)))
		value := make([]byte, size)
		for i := 0; i < size; i += 64 {
			value[i] = byte(random.Uint32())
		}
		file = batchtest.NewBatch(int64(offset), 1000, batchtest.Record{Value: value}).Append(file)
	}
	return file, starts
}

// Whatever the sizes of batches are, and wherever they cross from one block to
// the next, all of them are read, and the damaged one is where the walk ends.
func TestBatchesOfAllSizesAcrossBlocks(t *testing.T) {
	file, starts := manySizes()
	o := options()
	if r := recoverBytes(t, file, o); r.ValidBytes != int64(len(file)) || r.Batches != int64(len(starts)) {
		t.Fatalf("%d of %d bytes are valid, %d of %d batches: %v", r.ValidBytes, len(file), r.Batches, len(starts), r.Caught)
	}
	for i := 0; i < len(starts); i += 7 {
		file[starts[i]+70]++
		r := recoverBytes(t, file, options())
		file[starts[i]+70]--
		if r.ValidBytes != starts[i] || r.Batches != int64(i) || r.Caught == nil {
			t.Errorf("batch %d at position %d is damaged: the walk ended at %d after %d batches: %v", i, starts[i], r.ValidBytes, r.Batches, r.Caught)
		}
	}
}

// When a recovery returns, its caller closes the file: nothing may read it any
// more. That what was read ahead could not be read is an error only where it is
// needed.
func TestNothingIsReadAheadAfterTheEnd(t *testing.T) {
	file, starts := manySizes()
	damaged := starts[len(starts)/2]
	file[damaged+70]++
	for _, c := range []struct {
		name string
		bad  int64
		want error
	}{
		{"damage", 0, nil},
		{"a bad block well behind the damage", int64(len(file)) - 1, nil},
		{"a bad block before it", starts[10], errBadDisk},
	} {
		w := &watched{file: file, bad: c.bad}
		r, err := recovery.Segment(w, int64(len(file)), options())
		w.over.Store(true)
		if n := w.reading.Load(); n > 0 {
			t.Errorf("%s: %d reads go on", c.name, n)
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
		if err == nil && r.ValidBytes != damaged {
			t.Errorf("%s: ended at %d, want %d", c.name, r.ValidBytes, damaged)
		}
		if w.late.Load() {
			t.Errorf("%s: read after the end", c.name)
		}
	}
}
