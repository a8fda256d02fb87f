//go:build kafka

package recordbatch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/oracle"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// Kafka reads and we read the same file: all fields of all batches and records
// are equal.
func requireParity(t *testing.T, k *oracle.Client, file string) (batches, records int) {
	t.Helper()
	theirs := k.Records(file, oracle.RecordsOpts{})
	if theirs.Error != nil {
		t.Fatalf("%s: Kafka: %v", file, theirs.Error)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var decoder Decoder
	for b, err := range NewScanner(bytes.NewReader(data), int64(len(data)), Options{File: file}).Batches() {
		if err != nil {
			t.Fatal(err)
		}
		if batches >= len(theirs.Batches) {
			t.Fatalf("%s: Kafka has only %d batches", file, batches)
		}
		w := &theirs.Batches[batches]
		batches++
		if len(w.FieldErrors) > 0 || w.RecordsError != nil || len(w.ControlErrors) > 0 {
			t.Fatalf("%s: Kafka at %d: %v %v %v", file, b.Position, w.FieldErrors, w.RecordsError, w.ControlErrors)
		}
		horizon, has := b.DeleteHorizonMs()
		var ours []string
		in := Inspection{FirstOffset: b.Offset}
		for r, err := range decoder.Records(b) {
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if len(ours) == 0 && b.IsLegacy() {
				in.FirstOffset = r.Offset
			}
			ours = append(ours, ourRecord(r, b.IsControl()))
		}
		var want []string
		for i := range w.Records {
			want = append(want, theirRecord(&w.Records[i]))
		}
		if !slices.Equal(ours, want) {
			t.Fatalf("%s: records of the batch at %d:\n%v\nKafka has\n%v", file, b.Position, ours, want)
		}
		records += len(ours)
		horizonText := "none"
		if has {
			horizonText = fmt.Sprint(horizon)
		}
		theirHorizon := "none"
		if w.DeleteHorizonMs != nil {
			theirHorizon = fmt.Sprint(*w.DeleteHorizonMs)
		}
		count := int32(-1)
		if w.CountOrNull != nil {
			count = *w.CountOrNull
		}
		got := fmt.Sprintln(b.Position, b.Size, in.FirstOffset, b.LastOffset(), b.Magic, b.PartitionLeaderEpoch, b.ProducerID, b.ProducerEpoch,
			b.BaseSequence, b.LastSequence(), b.IsTransactional(), b.IsControl(), horizonText, b.Codec(), b.TimestampType(), b.MaxTimestamp, b.CRC, b.Valid(), b.Count)
		expected := fmt.Sprintln(w.Position, w.SizeInBytes, w.BaseOffset, w.LastOffset, w.Magic, w.PartitionLeaderEpoch, w.ProducerID, w.ProducerEpoch,
			w.BaseSequence, w.LastSequence, w.IsTransactional, w.IsControl, theirHorizon, w.Compression, w.TimestampType, w.MaxTimestamp, w.Checksum, w.IsValid, count)
		if got != expected {
			t.Fatalf("%s: batch\n%s\nKafka has\n%s", file, got, expected)
		}
	}
	if batches != len(theirs.Batches) {
		t.Fatalf("%s: %d batches, Kafka has %d", file, batches, len(theirs.Batches))
	}
	return batches, records
}

func ourRecord(r *Record, control bool) string {
	text := fmt.Sprintf("%d %d %d %v %x %v %x", r.Offset, r.Timestamp, r.Sequence, r.HasKey, r.Key, r.HasValue, r.Value)
	for h := range r.Headers() {
		text += fmt.Sprintf(" %q=%v %x", bytes.ToValidUTF8(h.Key, []byte("?")), h.HasValue, h.Value)
	}
	if control {
		c, err := ParseControl(r)
		text += fmt.Sprintln("", c.Version, int16(c.Type), c.Type, c.CoordinatorEpoch, err)
	}
	return text
}

func theirRecord(r *fixture.Record) string {
	text := fmt.Sprintf("%d %d %d %v %x %v %x", r.Offset, r.Timestamp, r.Sequence, r.Key != nil, r.Key, r.Value != nil, r.Value)
	for _, h := range r.Headers {
		text += fmt.Sprintf(" %q=%v %x", h.Key, h.Value != nil, h.Value)
	}
	if r.Control != nil {
		text += fmt.Sprintln("", r.Control.KeyVersion, r.Control.TypeID, r.Control.Type, r.Control.CoordinatorEpoch, error(nil))
	}
	return text
}

// What old and new brokers wrote.
func TestCapturedAsKafkaReads(t *testing.T) {
	k := oracle.Open(t)
	files := 0
	for p := range fixture.Partitions(t) {
		dir := p.Dir(t)
		names, err := filepath.Glob(filepath.Join(dir, "*.log"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			requireParity(t, k, name)
			files++
		}
	}
	if files < 400 {
		t.Fatalf("only %d files", files)
	}
}

// Kafka writes, we read.
func TestGeneratedByKafka(t *testing.T) {
	k := oracle.Open(t)
	batches, records := 0, 0
	for _, profile := range oracle.Profiles {
		for seed := range int64(5) {
			g := k.Generate(filepath.Join(t.TempDir(), "topic-0"), 1000+seed, oracle.GenerateOpts{Profile: profile})
			for _, s := range g.Segments {
				b, r := requireParity(t, k, oracle.SegmentFile(g.Dir, s.Base, ".log"))
				batches, records = batches+b, records+r
			}
		}
	}
	t.Logf("%d batches, %d records", batches, records)
	if batches < 2000 {
		t.Fatalf("only %d batches", batches)
	}
}

// Our own encoder, which knows nothing of the decoder, writes; both read.
func TestGeneratedByUs(t *testing.T) {
	k := oracle.Open(t)
	batches := 0
	for seed := range uint64(100) {
		s := batchtest.Generate(seed, batchtest.Wild())
		file := filepath.Join(t.TempDir(), fmt.Sprintf("%020d.log", s.Layout.BaseOffset))
		if err := os.WriteFile(file, s.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		b, _ := requireParity(t, k, file)
		if b != len(s.Layout.Batches) {
			t.Fatalf("seed %d: %d batches of %d", seed, b, len(s.Layout.Batches))
		}
		batches += b
	}
	if batches < 1000 {
		t.Fatalf("only %d batches", batches)
	}
}

// One flipped bit at every byte of a small log: where Kafka can walk to a
// batch, its verdict on the checksum is ours.
func TestVerdictsOnFlips(t *testing.T) {
	k := oracle.Open(t)
	original := fixture.ReadFile(t, "kafka-4.4.0/closed/txn-0/00000000000000000010.log")
	all := extents(original)[:10]
	original = original[:all[9].position+all[9].size]
	file := filepath.Join(t.TempDir(), "00000000000000000010.log")
	for at := range original {
		data := slices.Clone(original)
		data[at] ^= 1 << (at % 8)
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		theirs := k.Records(file, oracle.RecordsOpts{BatchesOnly: true})
		valid := map[int64]bool{}
		for b, err := range NewScanner(bytes.NewReader(data), int64(len(data)), Options{}).Batches() {
			if b == nil || errors.Is(err, ErrBadMagic) {
				continue
			}
			valid[b.Position] = b.Valid()
		}
		for _, w := range theirs.Batches {
			ours, known := valid[w.Position]
			if w.IsValid && (!known || !ours) && w.Magic == 2 {
				t.Fatalf("byte %d: Kafka takes the batch at %d for valid, we don't (%v, %v)", at, w.Position, known, ours)
			}
			if known && ours && !w.IsValid {
				t.Fatalf("byte %d: we take the batch at %d for valid, Kafka doesn't", at, w.Position)
			}
		}
		// Kafka stops where it loses the framing; we find what is behind.
		if sound := len(valid); sound < len(all)-1 {
			t.Fatalf("byte %d: only %d batches", at, sound)
		}
	}
}
