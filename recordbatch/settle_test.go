package recordbatch_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// growing is a preallocated log into which a broker writes: each read from
// from on copies another step of what is coming.
type growing struct {
	file, coming []byte
	from, done   int
	step         int
}

func (g *growing) ReadAt(b []byte, position int64) (int, error) {
	if position >= int64(len(g.file)) {
		return 0, io.EOF
	}
	n := copy(b, g.file[position:])
	if position+int64(n) > int64(g.from) && g.done < len(g.coming) {
		end := min(g.done+g.step, len(g.coming))
		copy(g.file[g.from+g.done:], g.coming[g.done:end])
		g.done = end
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// A batch that arrives while the zeros where it goes are being judged is a
// batch, whatever part of it was seen first: the end of the log is where the
// zeros begin, never garbage.
func TestBatchesThatArriveWhileTheyAreJudged(t *testing.T) {
	var log, coming []byte
	log = batchtest.NewBatch(0, 1000, batchtest.KV("k", "v")).Append(log)
	for i := range int64(3) {
		coming = batchtest.NewBatch(1+i, 1000, batchtest.KV("k", string(bytes.Repeat([]byte("v"), 150)))).Append(coming)
	}
	for step := 1; step <= len(coming); step += 1 + step/16 {
		g := &growing{file: make([]byte, 4096), coming: coming, from: len(log), step: step}
		copy(g.file, log)
		batches := 0
		for b, err := range recordbatch.NewScanner(g, int64(len(g.file)), recordbatch.Options{}).Batches() {
			if err == nil {
				batches++
				continue
			}
			e, ok := err.(*recordbatch.CorruptError)
			if !ok {
				t.Fatal(err)
			}
			if step < 40 {
				continue // slower than any memory: it may be seen half written
			}
			if b != nil || !errors.Is(e, recordbatch.ErrZeroTail) {
				t.Errorf("%d bytes at a time: after %d batches: %v", step, batches, e)
			}
		}
		if step >= 40 && batches < 2 {
			t.Errorf("%d bytes at a time: %d batches", step, batches)
		}
	}
}

// counted counts what is read of it.
type counted struct {
	io.ReaderAt
	bytes int64
}

func (c *counted) ReadAt(b []byte, position int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, position)
	c.bytes += int64(n)
	return n, err
}

// However often a log is damaged, each damage costs little: what
// comes next is looked for nearby first.
func TestManyDamagesAreReadInProportion(t *testing.T) {
	zeros := make([]byte, 40)
	for name, spoil := range map[string]func(b []byte) []byte{
		"checksum": func(b []byte) []byte { b[60] ^= 1; return b },
		"length":   func(b []byte) []byte { b[8] = 1; return b },
		"zeros":    func(b []byte) []byte { return append(b, zeros...) },
		"garbage":  func(b []byte) []byte { return append(b, "no batch, but bytes that came between"...) },
	} {
		var log []byte
		for i := range int64(4000) {
			b := batchtest.NewBatch(i, 1000+i, batchtest.KV("k", "v")).Append(nil)
			if i%2 == 1 {
				b = spoil(b)
			}
			log = append(log, b...)
		}
		r := &counted{ReaderAt: bytes.NewReader(log)}
		_, damages, err := scanned(r, int64(len(log)))
		if err != nil {
			t.Fatal(err)
		}
		if damages < 1900 || r.bytes > int64(damages)*(64<<10) {
			t.Errorf("%s: %d damages, %d bytes read of %d", name, damages, r.bytes, len(log))
		}
		t.Logf("%s: %d damages, %d bytes read of %d", name, damages, r.bytes, len(log))
	}
}

// Whatever the headers of a log claim, the scan reads in proportion to the log:
// at most what it is granted for reading claims through and once more, and some
// pages for each damage.
func TestClaimsAreReadInProportion(t *testing.T) {
	const size, claim, granted, perByte, perDamage = 1_000_000, 400_000, 80 << 20, 16, 16 << 10
	for name, log := range batchtest.ClaimLogs {
		log := log(size, claim)
		r := &counted{ReaderAt: bytes.NewReader(log)}
		_, damages, err := scanned(r, int64(len(log)))
		if err != nil {
			t.Fatal(err)
		}
		if most := int64(granted + perByte*len(log) + perDamage*damages); r.bytes > most {
			t.Errorf("%s: %d damages, %d bytes read of %d, want at most %d", name, damages, r.bytes, len(log), most)
		}
	}
}

// scanned counts what a scan finds.
func scanned(r io.ReaderAt, size int64) (batches, damages int, err error) {
	for b, err := range recordbatch.NewScanner(r, size, recordbatch.Options{}).Batches() {
		var corrupt *recordbatch.CorruptError
		switch {
		case errors.As(err, &corrupt):
			damages++
		case err != nil:
			return batches, damages, err
		case b != nil:
			batches++
		}
	}
	return batches, damages, nil
}
