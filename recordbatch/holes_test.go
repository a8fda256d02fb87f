package recordbatch_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/readonly"
	"github.com/kafsck/kafsck/recordbatch"
)

// found lists all that scans tell: batches with their bytes, damage, headers.
func found(t testing.TB, r io.ReaderAt, size int64, options recordbatch.Options) []string {
	t.Helper()
	var all []string
	note := func(b *recordbatch.Batch, err error) {
		if corrupt, ok := errors.AsType[*recordbatch.CorruptError](err); ok {
			all = append(all, fmt.Sprintf("%+v", *corrupt))
		} else if err != nil {
			t.Fatal(err)
		}
		if b != nil {
			header := *b
			header.Data = nil
			all = append(all, fmt.Sprintf("%+v %x", header, crc32.ChecksumIEEE(b.Data)))
		}
	}
	scanner := recordbatch.NewScanner(r, size, options)
	for b, err := range scanner.Batches() {
		note(b, err)
	}
	for b, err := range scanner.Headers() {
		note(b, err)
	}
	return all
}

// A page of zeros is a hole of the reader, or isn't, by chance.
type holes struct {
	*bytes.Reader
	data []byte
	hole []bool // by page
	read atomic.Int64
}

const page = 4096

func newHoles(data []byte, rng *rand.Rand) *holes {
	h := &holes{Reader: bytes.NewReader(data), data: data}
	for at := 0; at < len(data); at += page {
		part := data[at:min(at+page, len(data))]
		h.hole = append(h.hole, len(bytes.Trim(part, "\x00")) == 0 && rng.IntN(50) > 0)
	}
	return h
}

func (h *holes) NextData(position int64) (int64, error) {
	for position < int64(len(h.data)) && h.hole[position/page] {
		position = (position/page + 1) * page
	}
	return min(position, int64(len(h.data))), nil
}

func (h *holes) ReadAt(p []byte, position int64) (int, error) {
	h.read.Add(int64(len(p)))
	return h.Reader.ReadAt(p, position)
}

// Logs with zeros, garbage and cuts anywhere give the same with holes as
// without.
func TestHolesChangeNothing(t *testing.T) {
	var batches [][]byte
	for _, name := range []string{"kafka-4.4.0/closed/many-0", "kafka-4.4.0/closed/codec-none-0", "seed/log-demo-0"} {
		data := fixture.ReadFile(t, name+"/00000000000000000000.log")
		for b, err := range recordbatch.NewScanner(bytes.NewReader(data), int64(len(data)), recordbatch.Options{}).Batches() {
			if err != nil {
				t.Fatal(err)
			}
			batches = append(batches, slices.Clone(b.Data))
		}
	}
	rounds := 100
	if testing.Short() {
		rounds = 30
	}
	for seed := range uint64(rounds) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var data []byte
		for range 1 + rng.IntN(8) {
			switch rng.IntN(6) {
			case 0, 1:
				data = append(data, make([]byte, rng.IntN(3<<20))...)
			case 2:
				data = append(data, make([]byte, page*rng.IntN(300)+(page-len(data)%page)%page)...)
			case 3:
				for range rng.IntN(200) {
					data = append(data, byte(rng.Uint32()))
				}
			case 4: // a batch that ends in a hole
				b := batches[rng.IntN(len(batches))]
				data = append(data, b[:rng.IntN(len(b))]...)
				data = append(data, make([]byte, rng.IntN(3*page))...)
			}
			for range rng.IntN(9) {
				data = append(data, batches[rng.IntN(len(batches))]...)
			}
		}
		sparse := newHoles(data, rng)
		options := recordbatch.Options{FramingOnly: seed%2 == 1}
		want := found(t, bytes.NewReader(data), int64(len(data)), options)
		if got := found(t, sparse, int64(len(data)), options); !slices.Equal(got, want) {
			t.Fatalf("seed %d: with holes\n%.2000q\nwithout\n%.2000q", seed, got, want)
		}
	}
}

// Of a large hole hardly anything is read, whatever is behind it.
func TestHoleIsNotRead(t *testing.T) {
	log := fixture.ReadFile(t, "kafka-4.4.0/closed/many-0/00000000000000000000.log")
	tail := append(slices.Clone(log), make([]byte, 24<<20)...)
	for name, data := range map[string][]byte{
		"zero tail": tail, "zero hole": append(slices.Clone(tail), log...), "garbage behind": append(slices.Clone(tail), 1),
	} {
		h := newHoles(data, rand.New(rand.NewPCG(1, 1)))
		for i := range h.hole {
			h.hole[i] = len(bytes.Trim(data[i*page:min((i+1)*page, len(data))], "\x00")) == 0
		}
		for range recordbatch.NewScanner(h, int64(len(data)), recordbatch.Options{}).Batches() {
		}
		if read := h.read.Load(); read > 8<<20 {
			t.Errorf("%s: %d of %d bytes were read", name, read, len(data))
		}
	}
}

// The same with files, as the file system tells of their holes.
func TestSparseFiles(t *testing.T) {
	log := fixture.ReadFile(t, "kafka-4.4.0/closed/codec-none-0/00000000000000000000.log")
	log = log[:min(len(log), 64<<10)]
	type piece struct {
		data []byte
		at   int64
	}
	for name, c := range map[string]struct {
		pieces []piece
		size   int64
	}{
		"nothing":               {nil, 40 << 20},
		"at the end":            {[]piece{{log, 0}}, 40 << 20},
		"at the start":          {[]piece{{log, 9<<20 + 5}}, 9<<20 + 5 + int64(len(log))},
		"between":               {[]piece{{log, 0}, {log, 33 << 20}}, 33<<20 + int64(len(log))},
		"between and at end":    {[]piece{{log, 0}, {log, 33<<20 + 4095}}, 64 << 20},
		"one byte far away":     {[]piece{{log, 0}, {[]byte{1}, 50 << 20}}, 60 << 20},
		"the last byte":         {[]piece{{log, 0}, {[]byte{1}, 50 << 20}}, 50<<20 + 1},
		"a header alone":        {[]piece{{log, 0}, {log[:70], 20 << 20}}, 30 << 20},
		"a header, the rest is": {[]piece{{log[:70], 0}}, 30 << 20},
		"inside of a batch":     {[]piece{{log[:len(log)-9000], 0}, {log, 8 << 20}}, 16 << 20},
		"less than a page":      {[]piece{{log, 0}}, int64(len(log)) + 100},
	} {
		path := filepath.Join(t.TempDir(), "00000000000000000000.log")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range c.pieces {
			if _, err := f.WriteAt(p.data, p.at); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(f.Truncate(c.size), f.Close()); err != nil {
			t.Fatal(err)
		}
		plain, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer plain.Close()
		aware, size, err := readonly.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer aware.Close()
		want := found(t, plain, size, recordbatch.Options{})
		if got := found(t, aware, size, recordbatch.Options{}); !slices.Equal(got, want) {
			t.Errorf("%s: with holes\n%.2000q\nwithout\n%.2000q", name, got, want)
		}
	}
}

// shrunk says that all of it is a hole, and has nothing left to read.
type shrunk struct{}

func (shrunk) ReadAt(p []byte, position int64) (int, error) {
	if position >= 1<<20 {
		return 0, io.EOF
	}
	clear(p)
	return len(p), nil
}

func (shrunk) NextData(int64) (int64, error) { return 1 << 30, nil }

// A file that was cut meanwhile isn't one that ends in zeros.
func TestHoleOfFileThatBecameShorter(t *testing.T) {
	for _, err := range recordbatch.NewScanner(shrunk{}, 1<<30, recordbatch.Options{}).Batches() {
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("error %v, want %v", err, io.ErrUnexpectedEOF)
		}
		return
	}
	t.Fatal("no error")
}
