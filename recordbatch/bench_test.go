package recordbatch

import (
	"bytes"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
)

// repeated is a log of at least size bytes: the batches of a real one over and
// over, as the base offset isn't under the checksum.
func repeated(b testing.TB, name string, size int) []byte {
	b.Helper()
	template := fixture.ReadFile(b, name)
	data := make([]byte, 0, size+len(template))
	for len(data) < size {
		data = append(data, template...)
	}
	return data
}

func BenchmarkScan(b *testing.B) {
	data := repeated(b, "kafka-4.4.0/closed/codec-none-0/00000000000000000000.log", 64<<20)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		for batch, err := range NewScanner(bytes.NewReader(data), int64(len(data)), Options{}).Batches() {
			if err != nil || !batch.Valid() {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkChecksum(b *testing.B) {
	data := make([]byte, 16<<10)
	for _, magic := range []int8{1, 2} {
		b.Run(map[int8]string{1: "v1", 2: "v2"}[magic], func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				checksum(magic, data)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, codec := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
		b.Run(codec, func(b *testing.B) {
			data := fixture.ReadFile(b, "kafka-4.4.0/closed/codec-"+codec+"-0/00000000000000000000.log")
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var decoder Decoder
			records := 0
			for b.Loop() {
				for batch, err := range NewScanner(bytes.NewReader(data), int64(len(data)), Options{}).Batches() {
					if err != nil {
						b.Fatal(err)
					}
					decoder.Reset(batch)
					for decoder.Next() {
						records++
					}
					if decoder.Err() != nil {
						b.Fatal(decoder.Err())
					}
				}
			}
			b.ReportMetric(float64(records)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
		})
	}
}

// What a scan and decoding allocate doesn't depend on how many batches and
// records there are.
func TestNothingIsAllocatedForBatchesAndRecords(t *testing.T) {
	for _, codec := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
		var decoder Decoder
		measure := func(size int) (allocations float64, batches, records int) {
			data := repeated(t, "kafka-4.4.0/closed/codec-"+codec+"-0/00000000000000000000.log", size)
			allocations = testing.AllocsPerRun(3, func() {
				batches, records = 0, 0
				for batch, err := range NewScanner(bytes.NewReader(data), int64(len(data)), Options{}).Batches() {
					if err != nil {
						t.Fatal(err)
					}
					batches++
					for decoder.Reset(batch); decoder.Next(); {
						records++
					}
					if err := decoder.Err(); err != nil {
						t.Fatal(err)
					}
				}
			})
			return allocations, batches, records
		}
		few, _, _ := measure(200 << 10)
		many, batches, records := measure(1600 << 10)
		// Memory of blocks is pooled; the pools may be emptied at any time.
		if most := few + float64(batches)/10; many > most || batches < 100 {
			t.Errorf("%s: %.0f allocations for %d batches with %d records, %.0f for an eighth of them", codec, many, batches, records, few)
		}
	}
}
