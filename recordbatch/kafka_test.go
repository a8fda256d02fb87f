package recordbatch

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
)

// Every field of every batch and record is what Kafka's own classes say.
func TestFieldsAreKafkas(t *testing.T) {
	files := 0
	for f := range fixture.Records(t) {
		files++
		data := fixture.ReadFile(t, f.Capture+"/"+f.File)
		name := f.Capture + "/" + f.File
		var decoder Decoder
		i := 0
		for b, err := range NewScanner(bytes.NewReader(data), int64(len(data)), Options{File: name}).Batches() {
			if err != nil {
				t.Fatal(err)
			}
			want := &f.Batches[i]
			i++
			compareBatch(t, name, b, want)
			n := 0
			for r, err := range decoder.Records(b) {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if n >= len(want.Records) {
					t.Fatalf("%s: batch at %d has more than %d records", name, b.Position, n)
				}
				compareRecord(t, name, r, &want.Records[n])
				n++
			}
			if n != len(want.Records) {
				t.Fatalf("%s: batch at %d has %d records, Kafka has %d", name, b.Position, n, len(want.Records))
			}
		}
		for _, rest := range f.Batches[i:] {
			if rest.Type == "batch" {
				t.Fatalf("%s: batch at %d was not found", name, rest.Position)
			}
		}
	}
	if files < 40 {
		t.Fatalf("only %d files", files)
	}
}

func compareBatch(t *testing.T, name string, b *Batch, want *fixture.Batch) {
	t.Helper()
	horizon, has := b.DeleteHorizonMs()
	ok := b.Position == want.Position && b.Size == want.SizeInBytes && b.LastOffset() == want.LastOffset &&
		b.Magic == want.Magic && b.PartitionLeaderEpoch == want.PartitionLeaderEpoch &&
		b.ProducerID == want.ProducerID && b.ProducerEpoch == want.ProducerEpoch &&
		b.BaseSequence == want.BaseSequence && b.LastSequence() == want.LastSequence &&
		b.IsTransactional() == want.IsTransactional && b.IsControl() == want.IsControl &&
		b.Codec().String() == want.Compression && b.TimestampType().String() == want.TimestampType &&
		b.MaxTimestamp == want.MaxTimestamp && b.CRC == want.Checksum && b.Valid() == want.IsValid &&
		has == (want.DeleteHorizonMs != nil) && (!has || horizon == *want.DeleteHorizonMs) &&
		(want.CountOrNull == nil) == b.IsLegacy() && (want.CountOrNull == nil || *want.CountOrNull == b.Count) &&
		(b.IsLegacy() || b.BaseOffset() == want.BaseOffset)
	if !ok {
		b.Data = nil
		t.Fatalf("%s: batch at %d is\n%+v, Kafka has\n%+v", name, b.Position, *b, *want)
	}
}

func compareRecord(t *testing.T, name string, r *Record, want *fixture.Record) {
	t.Helper()
	if r.Offset != want.Offset || r.Timestamp != want.Timestamp || r.Sequence != want.Sequence ||
		r.HasKey != (want.Key != nil) || r.HasValue != (want.Value != nil) ||
		!bytes.Equal(r.Key, want.Key) || !bytes.Equal(r.Value, want.Value) || r.HeaderCount != len(want.Headers) {
		t.Fatalf("%s: record is %+v, Kafka has %+v", name, *r, *want)
	}
	i := 0
	for h := range r.Headers() {
		w := want.Headers[i]
		if !strings.Contains(w.Key, "\uFFFD") && string(h.Key) != w.Key || h.HasValue != (w.Value != nil) || !bytes.Equal(h.Value, w.Value) {
			t.Fatalf("%s: offset %d: header %d is %q, Kafka has %q", name, r.Offset, i, h.Key, w.Key)
		}
		i++
	}
	if want.Control == nil {
		return
	}
	c, err := ParseControl(r)
	if err != nil || int16(c.Type) != want.Control.TypeID || c.Type.String() != want.Control.Type ||
		c.CoordinatorEpoch != want.Control.CoordinatorEpoch {
		t.Fatalf("%s: offset %d: control is %+v, %v; Kafka has %+v", name, r.Offset, c, err, *want.Control)
	}
}

// No byte of a real log is taken for damage, whatever version wrote it.
func TestRealLogsAreSound(t *testing.T) {
	logs := 0
	var decoder Decoder
	for p := range fixture.Partitions(t) {
		names, err := filepath.Glob(filepath.Join(p.Dir(t), "*.log"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range names {
			name := p.Rel + "/" + filepath.Base(path)
			data := fixture.ReadFile(t, name)
			logs++
			last := int64(-1)
			for b, err := range NewScanner(bytes.NewReader(data), int64(len(data)), Options{File: name}).Batches() {
				if err != nil {
					t.Fatal(err)
				}
				in, err := decoder.Inspect(b)
				if err != nil || !in.Valid {
					t.Fatalf("%s: position %d: %+v, %v", name, b.Position, in, err)
				}
				if in.FirstOffset <= last {
					t.Fatalf("%s: position %d: offset %d behind %d", name, b.Position, in.FirstOffset, last)
				}
				last = b.LastOffset()
			}
		}
	}
	if logs < 200 {
		t.Fatalf("only %d logs", logs)
	}
}
