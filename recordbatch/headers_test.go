package recordbatch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// The headers of all captured logs, of every format, are those that a scan
// gives.
func TestHeadersAreThoseOfAScan(t *testing.T) {
	logs := 0
	for p := range fixture.Partitions(t) {
		names, err := filepath.Glob(filepath.Join(p.Dir(t), "*.log"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range names {
			logs++
			name := p.Rel + "/" + filepath.Base(file)
			data := fixture.ReadFile(t, name)
			var want []Batch
			for b, err := range NewScanner(bytes.NewReader(data), int64(len(data)), Options{}).Batches() {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				want = append(want, headerOf(b))
			}
			for b, err := range Headers(bytes.NewReader(data), int64(len(data)), 0) {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if len(want) == 0 || !reflect.DeepEqual(headerOf(b), want[0]) {
					t.Fatalf("%s: position %d: header differs", name, b.Position)
				}
				want = want[1:]
			}
			if len(want) > 0 {
				t.Fatalf("%s: %d headers missing", name, len(want))
			}
		}
	}
	if logs < 100 {
		t.Fatalf("only %d logs", logs)
	}
}

// headerOf leaves out what only a scan knows.
func headerOf(b *Batch) Batch {
	h := *b
	h.Data, h.Checked, h.ComputedCRC = nil, false, 0
	return h
}

// Behind every kind of damage to the framing, the walk finds the same batches
// again as the scan.
func TestScannerHeadersGoOnBehindDamage(t *testing.T) {
	for seed := range uint64(4) {
		s := batchtest.Generate(seed, batchtest.Plain())
		for _, d := range batchtest.LogDamages() {
			out, _ := d.Apply(s.Data, &s.Layout)
			scanner := NewScanner(bytes.NewReader(out), int64(len(out)), Options{Base: s.Layout.BaseOffset})
			seen := map[int64]bool{}
			for b, err := range scanner.Headers() {
				if err != nil && !isCorrupt(err) {
					t.Fatal(err)
				}
				if b != nil {
					seen[b.Position] = true
				}
			}
			for b, err := range scanner.Batches() {
				// A wrong length that leads to another batch's start is not seen
				// without checksums; all else is.
				if err == nil && !seen[b.Position] && !jumped(out, b.Position) {
					t.Errorf("seed %d, %s: the batch at %d is not seen", seed, d.Name, b.Position)
				}
			}
		}
	}
}

func isCorrupt(err error) bool {
	_, ok := errors.AsType[*CorruptError](err)
	return ok
}

// jumped says whether a plain walk by lengths steps over position.
func jumped(data []byte, position int64) bool {
	at := int64(0)
	for at < position && at+LogOverhead <= int64(len(data)) {
		at += LogOverhead + int64(int32(binary.BigEndian.Uint32(data[at+8:])))
		if at <= 0 {
			return false
		}
	}
	return at > position
}

func TestHeadersStopWhereFramingIsLost(t *testing.T) {
	s := batchtest.NewSegment(0,
		batchtest.NewBatch(0, 1, batchtest.Record{Value: []byte("a")}),
		batchtest.NewBatch(1, 2, batchtest.Record{Value: []byte("b")}))
	second := s.Layout.Batches[1].Position
	set := func(at int64, with ...byte) []byte {
		data := bytes.Clone(s.Data)
		copy(data[second+at:], with)
		return data
	}
	for _, test := range []struct {
		name string
		data []byte
		want error
	}{
		{"magic", set(16, 3), ErrBadMagic},
		{"negative magic", set(16, 0xff), ErrBadMagic},
		{"short length", set(8, 0, 0, 0, 48), ErrBadSize},
		{"negative length", set(8, 0xff, 0xff, 0xff, 0xff), ErrBadSize},
		{"long length", set(8, 0x7f, 0xff, 0xff, 0xff), ErrTornTail},
		{"cut header", s.Data[:second+16], ErrTornTail},
		{"cut batch", s.Data[:len(s.Data)-1], ErrTornTail},
		{"zeros", append(bytes.Clone(s.Data[:second]), make([]byte, 500)...), ErrZeroTail},
	} {
		t.Run(test.name, func(t *testing.T) {
			batches := 0
			var last error
			for b, err := range Headers(bytes.NewReader(test.data), int64(len(test.data)), 0) {
				if last = err; err == nil && b != nil {
					batches++
				}
			}
			e, ok := errors.AsType[*CorruptError](last)
			if batches != 1 || !ok || !errors.Is(e, test.want) || e.Position != second {
				t.Errorf("%d batches, then %v", batches, last)
			}
		})
	}
}

type countingReader struct {
	io.ReaderAt
	bytes, calls int64
}

func (c *countingReader) ReadAt(p []byte, at int64) (int, error) {
	c.bytes += int64(len(p))
	c.calls++
	return c.ReaderAt.ReadAt(p, at)
}

// Large batches are not read, and small ones not one by one.
func TestHeadersReadLittle(t *testing.T) {
	for _, test := range []struct {
		batch           int
		calls, fraction float64 // of the batches, of the bytes
	}{{100, 0.01, 1.01}, {16 << 10, 1, 0.3}, {500 << 10, 1, 0.01}} {
		log := batchtest.Uniform(64<<20, test.batch, batchtest.Codec(0))
		c := &countingReader{ReaderAt: log}
		for _, err := range Headers(c, log.Size(), 0) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if calls := float64(c.calls) / float64(log.Len()); calls > test.calls {
			t.Errorf("batches of %d bytes: %.3f calls a batch", test.batch, calls)
		}
		if fraction := float64(c.bytes) / float64(log.Size()); fraction > test.fraction {
			t.Errorf("batches of %d bytes: %.3f of the file read", test.batch, fraction)
		}
	}
}

func TestHeadersReportReadErrors(t *testing.T) {
	log := batchtest.Uniform(1<<20, 1000, batchtest.Codec(0))
	var last error
	for _, err := range NewScanner(log, log.Size()+1000, Options{File: "a.log"}).Headers() {
		last = err
	}
	if !errors.Is(last, io.ErrUnexpectedEOF) || !strings.HasPrefix(last.Error(), "a.log: ") {
		t.Errorf("got %v", last)
	}
}

func BenchmarkHeaders(b *testing.B) {
	for _, batch := range []struct {
		name string
		size int
	}{{"1KiB", 1 << 10}, {"16KiB", 16 << 10}, {"256KiB", 256 << 10}} {
		b.Run(batch.name, func(b *testing.B) {
			var data bytes.Buffer
			if _, err := batchtest.Uniform(64<<20, batch.size, batchtest.Codec(0)).WriteTo(&data); err != nil {
				b.Fatal(err)
			}
			log := bytes.NewReader(data.Bytes())
			b.SetBytes(log.Size())
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range Headers(log, log.Size(), 0) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
