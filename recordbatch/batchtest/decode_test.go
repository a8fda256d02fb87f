package batchtest_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// Here encoder and decoder judge each other: package recordbatch reads what
// this package writes. Neither imports the other.

func scan(data []byte, base int64) *recordbatch.Scanner {
	return recordbatch.NewScanner(bytes.NewReader(data), int64(len(data)), recordbatch.Options{Base: base})
}

// decoded is a batch in the terms of the writer.
func decoded(d *recordbatch.Decoder, b *recordbatch.Batch) (batchtest.Content, error) {
	c := batchtest.Content{
		Position: b.Position, Size: int(b.Size), Magic: b.Magic,
		BaseOffset: b.BaseOffset(), LastOffset: b.LastOffset(), LeaderEpoch: b.PartitionLeaderEpoch,
		CRC: b.CRC, Attributes: int16(b.Attributes), BaseTimestamp: b.BaseTimestamp, MaxTimestamp: b.MaxTimestamp,
		ProducerID: b.ProducerID, ProducerEpoch: b.ProducerEpoch,
		BaseSequence: b.BaseSequence, LastSequence: b.LastSequence(), Count: b.Count,
	}
	for r, err := range d.Records(b) {
		if err != nil {
			return c, err
		}
		record := batchtest.ContentRecord{Offset: r.Offset, Timestamp: r.Timestamp, Sequence: r.Sequence}
		record.Key, record.Value = copied(r.Key, r.HasKey), copied(r.Value, r.HasValue)
		for h := range r.Headers() {
			record.Headers = append(record.Headers, batchtest.Header{Key: string(h.Key), Value: copied(h.Value, h.HasValue)})
		}
		c.Records = append(c.Records, record)
	}
	if b.IsLegacy() && len(c.Records) > 0 {
		c.BaseOffset = c.Records[0].Offset
	}
	return c, nil
}

func copied(b []byte, has bool) []byte {
	if !has {
		return nil
	}
	return append([]byte{}, b...)
}

// readable takes away what the decoder does not tell: a record's attributes,
// and the base timestamp of legacy messages, which have none.
func readable(c batchtest.Content) batchtest.Content {
	c.Records = slices.Clone(c.Records)
	for i := range c.Records {
		c.Records[i].Attributes = 0
	}
	if c.Magic < 2 {
		c.BaseTimestamp = 0
	}
	return c
}

func TestDecoderReadsGenerated(t *testing.T) {
	unknown := batchtest.Wild()
	unknown.UnknownAttributes = true
	for name, p := range map[string]batchtest.Profile{
		"wild": batchtest.Wild(), "unknown attributes": unknown, "legacy": batchtest.Legacy(),
		"compressed": batchtest.Compressed(), "compacted": batchtest.Compacted(), "transactional": batchtest.Transactional(),
	} {
		t.Run(name, func(t *testing.T) {
			var d recordbatch.Decoder
			for seed := range uint64(15) {
				s := batchtest.Generate(seed, p)
				n := 0
				for b, err := range scan(s.Data, s.Layout.BaseOffset).Batches() {
					if err != nil {
						t.Fatalf("seed %d, batch %d: %v", seed, n, err)
					}
					got, err := decoded(&d, b)
					if err != nil {
						t.Fatalf("seed %d, batch %d: %v", seed, n, err)
					}
					want, got := readable(s.Layout.Batches[n]), readable(got)
					if !reflect.DeepEqual(want, got) {
						t.Fatalf("seed %d, batch %d (-written +read):\n%s", seed, n, cmp.Diff(want, got))
					}
					n++
				}
				if n != len(s.Layout.Batches) {
					t.Errorf("seed %d: %d batches of %d", seed, n, len(s.Layout.Batches))
				}
			}
		})
	}
}

// No damage hides a batch that is still whole, and damage that a scan can see
// is reported where it lies.
func TestScannerGoesOnBehindDamage(t *testing.T) {
	framing := []string{
		"batch-crc-mismatch", "batch-bad-size", "batch-bad-magic",
		"log-garbage", "log-zero-hole", "log-zero-tail", "log-torn-tail",
	}
	for seed := range uint64(5) {
		s := batchtest.Generate(seed, batchtest.Plain())
		for _, d := range batchtest.LogDamages() {
			out, what := d.Apply(s.Data, &s.Layout)
			sound := map[int64]bool{}
			var reports []string
			near := false
			for b, err := range scan(out, 0).Batches() {
				if b != nil && b.Valid() {
					sound[b.Position] = true
				}
				var damage *recordbatch.CorruptError
				if errors.As(err, &damage) {
					reports = append(reports, err.Error())
					near = near || damage.Position <= what.End && damage.EndPosition >= min(what.Position, what.At)
				} else if err != nil {
					t.Fatal(err)
				}
			}
			for _, kept := range what.Intact {
				if !sound[kept.Position] {
					t.Errorf("seed %d, %s: batch %d at %d is lost: %q", seed, d.Name, kept.Batch, kept.Position, reports)
				}
			}
			visible := slices.ContainsFunc(what.Codes, func(code string) bool { return slices.Contains(framing, code) })
			if visible && !near {
				t.Errorf("seed %d, %s: nothing reported at %d to %d: %q", seed, d.Name, what.At, what.End, reports)
			}
		}
	}
}

// Content that claims what is not there ends in an error, not in memory.
func TestDecoderRefusesHostile(t *testing.T) {
	refused := []string{"record-malformed", "batch-decompress-failed", "batch-decompress-limit", "batch-trailing-bytes", "batch-count-mismatch"}
	s := batchtest.Generate(1, batchtest.Plain())
	d := recordbatch.Decoder{DecompressLimit: 64 << 10}
	for _, damage := range append(batchtest.HostileDamages(), batchtest.BombDamages(1<<20)...) {
		out, what := damage.Apply(s.Data, &s.Layout)
		var failures []string
		found := false
		for b, err := range scan(out, 0).Batches() {
			if err != nil {
				t.Errorf("%s: %v", damage.Name, err)
			}
			if b == nil {
				continue
			}
			found = found || b.Position == what.At
			for _, err := range d.Records(b) {
				if err != nil {
					failures = append(failures, fmt.Sprintf("%d: %v", b.Position, err))
				}
			}
		}
		want := 0
		if slices.Contains(refused, what.Codes[0]) {
			want = 1
		}
		if !found || len(failures) < want || len(failures) > 1 {
			t.Errorf("%s: batch found: %v, failures: %q", damage.Name, found, failures)
		}
	}
}
