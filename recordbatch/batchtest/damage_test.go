package batchtest

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func plain(t *testing.T, seed uint64) *Segment {
	t.Helper()
	s := Generate(seed, Plain())
	if n := len(s.Layout.Batches); n < 8 {
		t.Fatalf("seed %d: only %d batches", seed, n)
	}
	return s
}

func logDamages() []Damage { return concat(LogDamages(), HostileDamages(), BombDamages(1<<20)) }

// What a damage says about itself holds: bytes outside the range are as they
// were, and every batch called intact is there.
func TestLogDamageTellsTheTruth(t *testing.T) {
	for seed := range uint64(6) {
		s := plain(t, seed)
		before := bytes.Clone(s.Data)
		for _, d := range logDamages() {
			out, what := d.Apply(s.Data, &s.Layout)
			if !bytes.Equal(before, s.Data) {
				t.Fatalf("%s changed its input", d.Name)
			}
			again, _ := d.Apply(s.Data, &s.Layout)
			if !bytes.Equal(out, again) || bytes.Equal(out, s.Data) {
				t.Errorf("%s: different the second time, or no damage at all", d.Name)
			}
			checkRange(t, d, s.Data, out, what)
			checkIntact(t, d, s, out, what)
		}
	}
}

func checkRange(t *testing.T, d Damage, data, out []byte, what Expect) {
	t.Helper()
	tail := int64(len(out)) - what.End
	if what.Position < 0 || what.Position > what.End || tail < 0 {
		t.Fatalf("%s: range %d to %d of %d", d.Name, what.Position, what.End, len(out))
	}
	if !bytes.Equal(out[:what.Position], data[:what.Position]) {
		t.Errorf("%s: bytes in front of %d changed", d.Name, what.Position)
	}
	if !bytes.Equal(out[what.End:], data[int64(len(data))-tail:]) {
		t.Errorf("%s: bytes behind %d changed", d.Name, what.End)
	}
	if what.At > int64(len(out)) || what.At < -1 {
		t.Errorf("%s: named at %d of %d", d.Name, what.At, len(out))
	}
}

func checkIntact(t *testing.T, d Damage, s *Segment, out []byte, what Expect) {
	t.Helper()
	hit := map[int]bool{}
	for i := range s.Layout.Batches {
		hit[i] = true
	}
	for _, kept := range what.Intact {
		delete(hit, kept.Batch)
		batch := s.Layout.Bytes(s.Data, kept.Batch)
		if kept.Position > int64(len(out)) || !bytes.HasPrefix(out[kept.Position:], batch) {
			t.Errorf("%s: batch %d is not at %d", d.Name, kept.Batch, kept.Position)
		}
	}
	for i := range hit {
		b := &s.Layout.Batches[i]
		if i < what.Batch || b.BaseOffset < what.FirstOffset || b.LastOffset > what.LastOffset {
			t.Errorf("%s: batch %d is not intact, but the damage begins with %d, offsets %d to %d",
				d.Name, i, what.Batch, what.FirstOffset, what.LastOffset)
		}
	}
}

// Names say whether a checksum can tell.
func TestLogDamageChecksums(t *testing.T) {
	s := plain(t, 1)
	for _, d := range logDamages() {
		_, what := d.Apply(s.Data, &s.Layout)
		right := strings.HasSuffix(d.Name, "checksum right")
		if right && !what.ChecksumRight {
			t.Errorf("%s: it is wrong", d.Name)
		}
		if slices.Equal(what.Codes, []string{"batch-crc-mismatch"}) && what.ChecksumRight {
			t.Errorf("%s: a checksum does not see it", d.Name)
		}
	}
	for _, d := range concat(HostileDamages(), BombDamages(1<<20)) {
		if _, what := d.Apply(s.Data, &s.Layout); !what.ChecksumRight {
			t.Errorf("%s: checksum wrong", d.Name)
		}
	}
}

// franz-go as a witness: it never reads all of a log whose damage it can see,
// and reads everything where nothing was lost.
func TestFranzSeesDamage(t *testing.T) {
	s := plain(t, 2)
	whole := len(writtenRecords(&s.Layout))
	for _, d := range logDamages() {
		out, what := d.Apply(s.Data, &s.Layout)
		if strings.Contains(d.Name, "bomb") || strings.Contains(d.Name, "claims") {
			continue // it would expand them
		}
		records, _ := franzRecords(out)
		if slices.Contains(what.Codes, "batch-crc-mismatch") && len(records) >= whole {
			t.Errorf("%s: franz-go reads %d records of %d", d.Name, len(records), whole)
		}
		if slices.Contains(what.Codes, "log-zero-tail") && what.Batch < 0 && len(records) != whole {
			t.Errorf("%s: franz-go reads %d records of %d", d.Name, len(records), whole)
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range concat(logDamages(), IndexDamages(), TimeIndexDamages(), TxnIndexDamages(), SnapshotDamages(), TextDamages()) {
		if key := d.File + " " + d.Name; seen[key] || d.Name == "" {
			t.Errorf("%q is there twice or has no name", key)
		} else {
			seen[key] = true
		}
	}
}

// Damage with a place of its own, in any file.
func TestPlacedDamage(t *testing.T) {
	s := NewSegment(0, NewBatch(0, ts, KV("k", "v")), NewBatch(1, ts, KV("k", "v")), NewBatch(2, ts, KV("k", "v")))
	const size = 70
	for _, c := range []struct {
		d              Damage
		position, end  int64
		batch, intact  int
		at             int64
		length, change int // of the file; the byte that differs
	}{
		{FlipBit(".log", 80, 7), 80, 81, 1, 2, size, 210, 80},
		{Overwrite(".log", 139, []byte{1, 2}), 139, 141, 1, 1, size, 210, 139},
		{ZeroRange(".log", 0, 210), 0, 210, 0, 0, 0, 210, 15 + 1},
		{Truncate(".log", 140), 140, 140, 2, 2, 140, 140, -1},
		{Truncate(".log", 139), 139, 139, 1, 1, size, 139, -1},
		{Insert(".log", 70, []byte{9}), 70, 71, -1, 3, 70, 211, 70},
		{Insert(".log", 71, []byte{9}), 71, 72, 1, 2, 70, 211, 71},
		{Delete(".log", 70, 1), 70, 70, 1, 2, 70, 209, 77},
	} {
		out, what := c.d.Apply(s.Data, &s.Layout)
		if what.Position != c.position || what.End != c.end || what.Batch != c.batch || len(what.Intact) != c.intact || what.At != c.at {
			t.Errorf("%s: %+v", c.d.Name, what)
		}
		if len(out) != c.length || c.change >= 0 && out[c.change] == s.Data[c.change] {
			t.Errorf("%s: %d bytes, byte %d %#x", c.d.Name, len(out), c.change, out[max(c.change, 0)])
		}
		checkIntact(t, c.d, s, out, what)
	}
}
