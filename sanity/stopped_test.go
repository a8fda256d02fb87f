package sanity

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// TestInterruptedUnitsCount: what was read of a log when the run ended is in
// the summary, with the damage that was met; nothing is said of the rest, which
// is not known, and no unit is called done.
func TestInterruptedUnitsCount(t *testing.T) {
	repeat := batchtest.Uniform(24<<20, 4000, batchtest.None)
	data := make([]byte, repeat.Size())
	if _, err := repeat.ReadAt(data, 0); err != nil {
		t.Fatal(err)
	}
	data[100_000] ^= 1 // a checksum near the start
	dir := filepath.Join(t.TempDir(), "small-0")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	offsets, times := repeat.RebuiltIndexes(4096)
	for name, content := range map[string][]byte{
		".log": data, ".index": batchtest.AppendIndex(nil, 0, offsets...), ".timeindex": batchtest.AppendTimeIndex(nil, 0, times...),
	} {
		if err := os.WriteFile(filepath.Join(dir, batchtest.FileName(0, name)), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, logFile)} {
		for _, workers := range []int{1, 3} {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var read atomic.Int64
			var findings []*Finding
			o := Options{Workers: workers, Depth: Checksums, ReadRate: 200 << 20, Progress: func(n int64) {
				if read.Add(n) > 9<<20 {
					cancel()
				}
			}, Done: func(u Unit) error { t.Errorf("%s is called done", u.Path); return nil }}
			if workers > 1 {
				o.Progress = func(n int64) {
					if n > 1<<19 { // of the log: the indexes are read before
						cancel()
					}
				}
			}
			summary, err := Check(ctx, resolve(t, path), o, func(f *Finding) error { findings = append(findings, f); return nil })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", path, err)
			}
			if summary.Files == 0 || summary.Bytes >= int64(len(data)) && path != dir || summary.Batches >= repeat.Len() {
				t.Errorf("%s: %+v", path, summary)
			}
			if workers > 1 {
				continue
			}
			if summary.Batches < 100 || summary.Records < summary.Batches {
				t.Errorf("%s: %+v", path, summary)
			}
			if len(findings) != 1 || findings[0].Code != BatchCRCMismatch || !strings.Contains(findings[0].Broker, "not all read") || summary.Errors != 1 {
				t.Errorf("%s: %v, %+v", path, findings, summary)
			}
		}
	}
}
