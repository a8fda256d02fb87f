package loader_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// A start that recovers every segment costs the same for each, however many
// there are.
func BenchmarkRecoverSegments(b *testing.B) {
	for _, segments := range []int{500, 1000, 2000} {
		b.Run(fmt.Sprintf("segments=%d", segments), func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), "t-0")
			if err := os.Mkdir(dir, 0o755); err != nil {
				b.Fatal(err)
			}
			for i := range int64(segments) {
				batch := batchtest.NewBatch(i, 1000, batchtest.KV("k", "v")).WithProducer(7, 0, int32(i))
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%020d.log", i)), batch.Append(nil), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			p, err := logdir.OpenPartition(dir)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				plan, err := loader.Partition(b.Context(), p, loader.Options{Version: kafkaversion.Latest, Interval: 4096, MaxIndexSize: 1 << 20})
				if err != nil || !plan.Loads || len(plan.Segments) != segments {
					b.Fatal(err, plan)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*segments), "µs/segment")
		})
	}
}
