package sanity

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// BenchmarkCheck checks a log of 32 MiB whose batches of 16 KiB compress to a
// half, on one core.
func BenchmarkCheck(b *testing.B) {
	log := batchtest.Uniform(32<<20, 16<<10, batchtest.Lz4)
	dir := filepath.Join(b.TempDir(), "bench-0")
	if err := os.Mkdir(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	offsets, times := log.RebuiltIndexes(4096)
	f, err := os.Create(filepath.Join(dir, logFile))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := log.WriteTo(f); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	for name, data := range map[string][]byte{
		idxFile: batchtest.AppendIndex(nil, 0, offsets...), timeFile: batchtest.AppendTimeIndex(nil, 0, times...),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for _, depth := range []struct {
		name  string
		depth Depth
	}{{"checksums", Checksums}, {"records", Records}} {
		b.Run(depth.name, func(b *testing.B) {
			targets := resolve(b, dir)
			b.SetBytes(log.Size())
			b.ReportAllocs()
			for b.Loop() {
				summary, err := Check(context.Background(), targets, Options{Depth: depth.depth}, func(f *Finding) error {
					if f.Severity > Info {
						b.Fatalf("%s", f.AppendJSON(nil))
					}
					return nil
				})
				if err != nil || summary.Batches != log.Len() {
					b.Fatalf("%d batches of %d, %v", summary.Batches, log.Len(), err)
				}
			}
		})
	}
}
