package recovery_test

import (
	"fmt"
	"testing"

	"github.com/kafsck/kafsck/internal/producerstate"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// Rebuilding costs what reading and checksums cost, whatever the batches' size,
// and no memory for each of them.
func BenchmarkSegment(b *testing.B) {
	for _, size := range []int{200, 4 << 10, 64 << 10, 900 << 10} {
		b.Run(fmt.Sprintf("batch=%d", size), func(b *testing.B) {
			var file []byte
			for offset := int64(0); len(file) < 64<<20; offset++ {
				file = batchtest.NewBatch(offset, offset, batchtest.Record{Value: make([]byte, size)}).WithProducer(7, 0, int32(offset)).Append(file)
			}
			o := options()
			o.Interval, o.MaxIndexSize = 4096, 10<<20
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				o.Producers = producerstate.New(o.Version, 0)
				if r := recoverBytes(b, file, o); r.Truncated() > 0 || r.Failure != nil {
					b.Fatal(r.Failure)
				}
			}
		})
	}
}
