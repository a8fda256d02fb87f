package lookup

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// largePartition is a partition of size bytes in segments of up to 1 GiB, held
// nowhere: batches of about 16 KiB, one a second.
func largePartition(size int64) (p *Partition, end, endTime int64) {
	const segmentBytes, start = 1 << 30, 1_600_000_000_000
	p = &Partition{Path: "large-0"}
	base, now := int64(0), int64(start)
	for size > 0 {
		n := min(size, segmentBytes)
		size -= n
		template := batchtest.NewSegment(base)
		for i := range int64(8) {
			records := make([]batchtest.Record, 16)
			for j := range records {
				records[j] = batchtest.Record{OffsetDelta: int32(j), Value: bytes.Repeat([]byte("v"), 1000)}
			}
			template.Add(batchtest.NewBatch(template.Layout.NextOffset(), now+1000*i, records...))
		}
		log := batchtest.NewRepeat(template, n, 8000)
		entries, times := log.RebuiltIndexes(4096)
		file := func(r io.ReaderAt, size int64) File {
			return File{Path: fmt.Sprintf("%020d", base), Open: func() (Source, error) { return Source{R: r, Size: size}, nil }}
		}
		index, timeIndex := batchtest.AppendIndex(nil, base, entries...), batchtest.AppendTimeIndex(nil, base, times...)
		p.Segments = append(p.Segments, Segment{base, file(log, log.Size()),
			file(bytes.NewReader(index), int64(len(index))), file(bytes.NewReader(timeIndex), int64(len(timeIndex)))})
		last := log.Batch(log.Len() - 1)
		base, now = last.LastOffset+1, last.MaxTimestamp+1000
	}
	return p, base, now - 1000
}

var sizes = []struct {
	name  string
	bytes int64
}{{"10MB", 10 << 20}, {"1GB", 1 << 30}, {"10GB", 10 << 30}}

// A lookup reads a few pages, however large the partition is.
func BenchmarkLookupOffset(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			p, end, _ := largePartition(size.bytes)
			benchmark(b, p, func(rng *rand.Rand) Target { return Target{Offset: rng.Int64N(end)} })
		})
	}
}

func BenchmarkLookupTimestamp(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			p, _, end := largePartition(size.bytes)
			benchmark(b, p, func(rng *rand.Rand) Target {
				return Target{ByTime: true, Timestamp: 1_600_000_000_000 + rng.Int64N(end-1_600_000_000_000)}
			})
		})
	}
}

func benchmark(b *testing.B, p *Partition, next func(*rand.Rand) Target) {
	rng := rand.New(rand.NewPCG(1, 2))
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		target := next(rng)
		r, err := p.Lookup(ctx, target, Options{})
		if err != nil || r.Found == nil {
			b.Fatalf("%+v: %+v, %v", target, r, err)
		}
	}
}

// counting counts what is read of a file.
type counting struct {
	io.ReaderAt
	bytes *int64
}

func (c counting) ReadAt(p []byte, at int64) (int, error) {
	*c.bytes += int64(len(p))
	return c.ReaderAt.ReadAt(p, at)
}

// The same as a law: what is read does not grow with the file, and Kafka's
// search compares at most 2 + log₂ entries.
func TestLookupsReadLittle(t *testing.T) {
	p, end, endTime := largePartition(3 << 30)
	read := int64(0)
	for i := range p.Segments {
		for _, f := range []*File{&p.Segments[i].Log, &p.Segments[i].Index, &p.Segments[i].TimeIndex} {
			open := f.Open
			f.Open = func() (Source, error) {
				s, err := open()
				s.R = counting{s.R, &read}
				return s, err
			}
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		for _, target := range []Target{{Offset: rng.Int64N(end)}, {ByTime: true, Timestamp: 1_600_000_000_000 + rng.Int64N(endTime-1_600_000_000_000)}} {
			read = 0
			r, err := p.Lookup(context.Background(), target, Options{})
			if err != nil || r.Found == nil {
				t.Fatalf("%+v: %+v, %v", target, r, err)
			}
			if read > 300_000 {
				t.Errorf("%+v: %d bytes read", target, read)
			}
			s := &r.Walks[0].Offset
			if limit := 2 + 16; len(s.Read) > limit || s.Warm && len(s.Read) > 12 {
				t.Errorf("%+v: %d entries read of %d, warm %v", target, len(s.Read), s.Entries, s.Warm)
			}
		}
	}
}
