package sanity

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestFirstFindingComesBeforeTheLastPartitionIsRead: a log directory of many
// partitions is answered from the first on, and what was checked isn't kept.
func TestFirstFindingComesBeforeTheLastPartitionIsRead(t *testing.T) {
	if testing.Short() {
		t.Skip("makes thousands of files")
	}
	const partitions = 2000
	root := t.TempDir()
	for i := range partitions {
		dir := filepath.Join(root, fmt.Sprintf("t-%d", i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, logFile), kv(0).Encode()[:50+i%20], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	targets := resolve(t, root)
	var read, firstAt int64
	var start, end runtime.MemStats
	findings := 0
	summary, err := Check(context.Background(), targets, Options{Progress: func(n int64) { read += n }}, func(f *Finding) error {
		if f.Code != LogTornTail {
			return nil
		}
		if findings++; findings == 1 {
			firstAt = read
		}
		switch findings {
		case 100:
			runtime.GC()
			runtime.ReadMemStats(&start)
		case partitions - 100:
			runtime.GC()
			runtime.ReadMemStats(&end)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if findings != partitions || summary.Files < partitions {
		t.Errorf("%d findings in %d files", findings, summary.Files)
	}
	if firstAt*100 > read {
		t.Errorf("the first finding came after %d of %d bytes", firstAt, read)
	}
	grown := int64(end.HeapAlloc) - int64(start.HeapAlloc)
	t.Logf("first finding after %d of %d bytes; heap grew by %d bytes", firstAt, read, grown)
	if limit := int64(4 << 20); grown > limit {
		t.Errorf("the heap grew by %d bytes over the partitions", grown)
	}
}
