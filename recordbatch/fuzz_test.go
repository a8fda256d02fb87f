package recordbatch

import (
	"bytes"
	"errors"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
)

func seedLogs(f *testing.F) {
	for _, name := range []string{
		"kafka-4.4.0/closed/txn-0/00000000000000000000.log",
		"kafka-4.4.0/closed/odd-0/00000000000000000000.log",
		"kafka-4.4.0/closed/codec-lz4-0/00000000000000000000.log",
		"seed/log-demo-0/00000000000000000000.log",
	} {
		data := fixture.ReadFile(f, name)
		f.Add(data[:min(len(data), 2000)])
		for n := range maxHeader + 1 {
			if n < len(data) && n%7 == 0 {
				f.Add(data[:n])
			}
		}
	}
}

// FuzzScan: whatever the bytes are, a scan covers them once, in order; what it
// calls sound reads the same on its own, and it makes no difference how checksums
// are computed; nothing panics.
func FuzzScan(f *testing.F) {
	seedLogs(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		sound, _ := scanAll(t, data)
		sameVerdicts(t, "fuzz", data)
		var decoder Decoder
		for _, batch := range sound {
			again, damage := scanAll(t, batch)
			if len(again) != 1 || len(damage) != 0 || !bytes.Equal(again[0], batch) {
				t.Fatalf("a sound batch of %d bytes reads differently on its own: %d, %v", len(batch), len(again), damage)
			}
			for b, err := range NewScanner(bytes.NewReader(batch), int64(len(batch)), Options{}).Batches() {
				if err != nil {
					t.Fatal(err)
				}
				checkDecoding(t, &decoder, b)
			}
		}
	})
}

// FuzzRecords: records decode in bounds, with typed errors, and the same with
// a fresh decoder as with one that was used before.
func FuzzRecords(f *testing.F) {
	for _, name := range []string{
		"kafka-4.4.0/closed/txn-0/00000000000000000000.log",
		"kafka-4.4.0/closed/codec-zstd-0/00000000000000000000.log",
	} {
		data := fixture.ReadFile(f, name)
		for _, e := range extents(data)[:3] {
			f.Add(data[e.position:e.position+e.size], int8(2))
			f.Add(data[e.position:e.position+e.size], int8(1))
			f.Add(data[e.position:e.position+e.size], int8(0))
		}
	}
	var used Decoder
	f.Fuzz(func(t *testing.T, data []byte, magic int8) {
		if len(data) < minHeader {
			return
		}
		var b Batch
		data[MagicPosition] = byte(magic)
		parseHeader(&b, data, 0)
		b.Size, b.Data = int64(len(data)), data
		used.DecompressLimit = 1 << 20
		checkDecoding(t, &used, &b)
		fresh := Decoder{DecompressLimit: 1 << 20}
		one, err1 := used.Inspect(&b)
		two, err2 := fresh.Inspect(&b)
		if one != two || (err1 == nil) != (err2 == nil) {
			t.Fatalf("a used decoder sees %+v, %v; a fresh one %+v, %v", one, err1, two, err2)
		}
	})
}

func checkDecoding(t *testing.T, decoder *Decoder, b *Batch) {
	t.Helper()
	decoder.DecompressLimit = 1 << 20
	for r, err := range decoder.Records(b) {
		if err != nil {
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || corrupt.Position != b.Position || corrupt.EndPosition != b.EndPosition() {
				t.Fatalf("error without its place: %v", err)
			}
			continue
		}
		n := 0
		for h := range r.Headers() {
			n += 1 + 0*len(h.Key)
		}
		if n != r.HeaderCount {
			t.Fatalf("%d headers of %d", n, r.HeaderCount)
		}
		if b.IsControl() {
			if _, err := ParseControl(r); err != nil && !errors.Is(err, ErrControl) {
				t.Fatal(err)
			}
		}
	}
}
