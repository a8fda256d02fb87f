package batchtest

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mixedTemplate has batches of very different sizes, an empty one, a v1
// message.
func mixedTemplate() *Segment {
	return NewSegment(100,
		NewBatch(100, ts, someRecords(3, 9)...),
		EmptyBatch(110, 4, ts),
		V1(120, ts, nil, nil),
		NewBatch(121, ts+5, someRecords(900, 100)...).WithCodec(Zstd, Compression{}),
	)
}

// A repeated log equals one that is encoded batch by batch with moved fields.
func TestRepeatEqualsEncoded(t *testing.T) {
	const rounds, step = 5, 777
	template := mixedTemplate()
	r := NewRepeat(template, rounds*template.Layout.Size+200, step)
	whole := NewSegment(100)
	for round := range int64(rounds) + 1 {
		offsets, time := round*(1021-100), round*step
		entries := []Entry{
			NewBatch(100+offsets, ts+time, someRecords(3, 9)...),
			EmptyBatch(110+offsets, 4, ts+time),
			V1(120+offsets, ts, nil, nil),
			NewBatch(121+offsets, ts+5+time, someRecords(900, 100)...).WithCodec(Zstd, Compression{}),
		}
		if round == rounds {
			entries = entries[:1]
		}
		whole.Add(entries...)
	}
	// The empty batch has base timestamp -1, which moves on too.
	for i := range whole.Layout.Batches {
		if b := &whole.Layout.Batches[i]; b.Count == 0 {
			data := whole.Layout.Bytes(whole.Data, i)
			b.BaseTimestamp = -1 + int64(i/4)*step
			be.PutUint64(data[PosBaseTimestamp:], uint64(b.BaseTimestamp))
			FixCRC(data)
			b.CRC = be.Uint32(data[PosCRC:])
		}
	}

	var streamed bytes.Buffer
	if n, err := r.WriteTo(&streamed); err != nil || n != r.Size() {
		t.Fatalf("wrote %d of %d bytes: %v", n, r.Size(), err)
	}
	if !bytes.Equal(streamed.Bytes(), whole.Data) {
		t.Fatal("streamed bytes differ")
	}
	for i := range whole.Layout.Batches {
		if diff := difference(whole.Layout.Batches[i], r.Batch(int64(i))); diff != "" {
			t.Fatalf("batch %d: %s", i, diff)
		}
	}
	index, times := whole.Layout.RebuiltIndexes(100)
	gotIndex, gotTimes := r.RebuiltIndexes(100)
	if diff := cmp.Diff(index, gotIndex) + cmp.Diff(times, gotTimes); diff != "" {
		t.Error(diff)
	}

	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		from := rng.Int64N(r.Size())
		p := make([]byte, rng.IntN(400))
		n, err := r.ReadAt(p, from)
		end := min(from+int64(len(p)), r.Size())
		if !bytes.Equal(p[:n], whole.Data[from:end]) || (n < len(p)) != (err == io.EOF) {
			t.Fatalf("read of %d bytes at %d: %d, %v", len(p), from, n, err)
		}
	}
}

func TestUniform(t *testing.T) {
	for _, codec := range Codecs {
		t.Run(fmt.Sprint(codec), func(t *testing.T) {
			r := Uniform(300_000, 4096, codec)
			if r.Size() > 300_000 || r.Size() < 290_000 {
				t.Errorf("%d bytes, wanted about 300000", r.Size())
			}
			var b bytes.Buffer
			if _, err := r.WriteTo(&b); err != nil {
				t.Fatal(err)
			}
			records, err := franzRecords(b.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			last := r.Batch(r.Len() - 1)
			if int64(len(records)) != last.LastOffset+1 || records[len(records)-1].Timestamp != last.MaxTimestamp {
				t.Errorf("franz-go reads %d records to %+v", len(records), records[len(records)-1])
			}
		})
	}
}

// Past 4 GiB, where 32 bits end.
func TestRepeatIsVirtual(t *testing.T) {
	r := Uniform(10<<30, 16<<10, None)
	last := r.Batch(r.Len() - 1)
	if last.End() != r.Size() || r.Size() < 9<<30 {
		t.Fatalf("%d bytes, last batch ends at %d", r.Size(), last.End())
	}
	data := make([]byte, last.Size)
	if _, err := r.ReadAt(data, last.Position); err != nil {
		t.Fatal(err)
	}
	records, err := franzRecords(data)
	if err != nil || records[0].Offset != last.BaseOffset || len(records) != int(last.Count) {
		t.Errorf("franz-go reads %d records: %v", len(records), err)
	}
}

func TestSparse(t *testing.T) {
	r := NewRepeat(ZeroValues(1<<20), 20<<20, 1000)
	path := filepath.Join(t.TempDir(), FileName(0, ".log"))
	if err := r.WriteSparse(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records, err := franzRecords(data)
	if err != nil || int64(len(records)) != r.Len() || len(data) != int(r.Size()) {
		t.Errorf("franz-go reads %d of %d records in %d bytes: %v", len(records), r.Len(), len(data), err)
	}
	if err := r.WriteSparse(path); err == nil {
		t.Error("an existing file was overwritten")
	}
}

func TestCountingReaderAt(t *testing.T) {
	c := CountingReaderAt{R: bytes.NewReader(make([]byte, 10))}
	for _, position := range []int64{0, 7} {
		if _, err := c.ReadAt(make([]byte, 6), position); err != nil && err != io.EOF {
			t.Fatal(err)
		}
	}
	if c.Calls.Load() != 2 || c.Bytes.Load() != 9 {
		t.Errorf("%d calls, %d bytes, want 2 and 9", c.Calls.Load(), c.Bytes.Load())
	}
}

func BenchmarkRepeat(b *testing.B) {
	for _, step := range []int64{0, 1000} {
		r := NewRepeat(Uniform(1, 16<<10, None).template, 1<<30, step)
		b.Run(fmt.Sprintf("step=%d", step), func(b *testing.B) {
			b.SetBytes(r.Size())
			for b.Loop() {
				if _, err := r.WriteTo(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
