package indexfile

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// indexOnDisk writes a file and opens it for reading, so that benchmarks pay
// for system calls.
func indexOnDisk(b *testing.B, data []byte, size int64) *os.File {
	b.Helper()
	path := filepath.Join(b.TempDir(), "00000000000000000000.index")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		b.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		b.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return f
}

func fullIndex(n int) []byte {
	data := make([]byte, 0, n*OffsetEntrySize)
	for i := range n {
		data = AppendOffsetEntry(data, OffsetEntry{RelativeOffset: int32(i+1) * 10, Position: int32(i+1) * 1000})
	}
	return data
}

// BenchmarkLookup must stay flat over the number of entries. Cold readers have
// read nothing yet; warm ones are asked again and again.
func BenchmarkLookup(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_310_720} {
		data := fullIndex(n)
		f := indexOnDisk(b, data, int64(len(data)))
		for _, where := range []struct {
			name   string
			target int64
		}{{"tail", int64(n)*10 - 55}, {"middle", int64(n) * 5}} {
			b.Run(fmt.Sprintf("cold/%s/%d", where.name, n), func(b *testing.B) {
				b.ReportAllocs()
				var compared []int32
				for b.Loop() {
					s, err := NewOffsetReader(f, int64(len(data)), 0).Lookup(where.target, n, compared[:0])
					if err != nil || s.Slot < 0 {
						b.Fatal(s, err)
					}
					compared = s.Compared
				}
			})
			b.Run(fmt.Sprintf("warm/%s/%d", where.name, n), func(b *testing.B) {
				b.ReportAllocs()
				r := NewOffsetReader(f, int64(len(data)), 0)
				var compared []int32
				for b.Loop() {
					s, err := r.Lookup(where.target, n, compared[:0])
					if err != nil || s.Slot < 0 {
						b.Fatal(s, err)
					}
					compared = s.Compared
				}
			})
		}
	}
}

// BenchmarkLayout reads 10 MiB: a preallocated index of few entries, and a
// full one.
func BenchmarkLayout(b *testing.B) {
	const size = 10 << 20
	for _, n := range []int{0, 300, size / OffsetEntrySize} {
		b.Run(fmt.Sprintf("%d-used", n), func(b *testing.B) {
			f := indexOnDisk(b, fullIndex(n), size)
			r := NewOffsetReader(f, size, 0)
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if l, err := r.Layout(); err != nil || l.Entries != n {
					b.Fatal(l, err)
				}
			}
		})
	}
}

func BenchmarkEntries(b *testing.B) {
	const n = 1_310_720
	f := indexOnDisk(b, fullIndex(n), n*OffsetEntrySize)
	b.Run("offset", func(b *testing.B) { benchEntries(b, &NewOffsetReader(f, n*OffsetEntrySize, 0).Reader) })
	b.Run("time", func(b *testing.B) { benchEntries(b, &NewTimeReader(f, n*OffsetEntrySize, 0).Reader) })
	b.Run("txn", func(b *testing.B) { benchEntries(b, &NewTxnReader(f, n*OffsetEntrySize, 0).Reader) })
}

func benchEntries[E any](b *testing.B, r *Reader[E]) {
	b.SetBytes(r.Size())
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range r.Entries() {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != r.Slots() {
			b.Fatal(n)
		}
	}
}

func BenchmarkDistances(b *testing.B) {
	const n = 1_310_720
	r := NewOffsetReader(indexOnDisk(b, fullIndex(n), n*OffsetEntrySize), n*OffsetEntrySize, 0)
	b.ReportAllocs()
	for b.Loop() {
		if d, err := r.Distances(n); err != nil || d.Count != n-1 {
			b.Fatal(d, err)
		}
	}
}
