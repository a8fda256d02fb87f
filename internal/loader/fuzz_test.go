package loader_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// FuzzPartition loads two segments of any bytes. What stays is loaded a second
// time: nothing more may be lost, and the log ends where it was said to end.
func FuzzPartition(f *testing.F) {
	p := batchtest.GeneratePartition(3, batchtest.Transactional(), 2)
	f.Add(p.Segments[0].Data, p.Segments[1].Data, []byte{}, int64(0), false)
	f.Add(p.Segments[0].Data[:100], p.Segments[1].Data, []byte{0, 0, 0, 1, 0, 0, 0, 9}, int64(9), true)
	f.Fuzz(func(t *testing.T, a, b, index []byte, interval int64, clean bool) {
		if interval < 0 {
			return
		}
		root := t.TempDir()
		dir := filepath.Join(root, "t-0")
		write := func(dir string, files map[string][]byte) {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, data := range files {
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		first, second := batchtest.FileName(0, ".log"), batchtest.FileName(1000, ".log")
		write(dir, map[string][]byte{first: a, second: b, batchtest.FileName(0, ".index"): index, batchtest.FileName(1000, ".index"): index})
		o := defaults()
		o.Interval, o.MaxIndexSize, o.Clean = interval, 1<<16, clean
		plan := fuzzPlan(t, dir, o)
		if plan == nil || !plan.Loads || clean {
			return
		}
		files := map[string][]byte{}
		for _, s := range plan.Segments {
			data, err := os.ReadFile(filepath.Join(dir, batchtest.FileName(s.BaseOffset, ".log")))
			if err != nil {
				return // of a split
			}
			files[batchtest.FileName(s.BaseOffset, ".log")] = data[:s.Size]
			files[batchtest.FileName(s.BaseOffset, ".index")] = nil
		}
		again := filepath.Join(root, "again", "t-0")
		write(again, files)
		repeat := fuzzPlan(t, again, o)
		if repeat == nil || !repeat.Loads || repeat.Lost.Any() || repeat.LogEnd != plan.LogEnd {
			t.Errorf("then %+v\nthen %+v", plan, repeat)
		}
	})
}

func fuzzPlan(t *testing.T, dir string, o loader.Options) *loader.Plan {
	p, err := logdir.OpenPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := loader.Partition(context.Background(), p, o)
	if err != nil && !errors.Is(err, recordbatch.ErrDecompressLimit) {
		t.Fatal(err)
	}
	return plan
}
