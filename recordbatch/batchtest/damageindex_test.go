package batchtest

import (
	"bytes"
	"testing"
)

// abortedSegment has six aborted transactions.
func abortedSegment() *Segment {
	s := NewSegment(50)
	for i := range int64(6) {
		base := 50 + 3*i
		s.Add(NewBatch(base, ts, Record{}, Record{}).WithProducer(7, 0, int32(2*i)).WithAttributes(AttrTransactional),
			Marker(base+2, ts, 7, 0, false, 1))
	}
	return s
}

func TestIndexDamageTellsTheTruth(t *testing.T) {
	plain := Generate(3, Plain())
	aborted := abortedSegment()
	index, times := plain.Layout.RebuiltIndexes(0)
	var p Producers
	for b := range aborted.Layout.All() {
		p.Append(b)
	}
	for _, c := range []struct {
		seg     *Segment
		data    []byte
		damages []Damage
		size    int
	}{
		{plain, AppendIndex(nil, 0, index...), IndexDamages(), IndexEntrySize},
		{plain, AppendTimeIndex(nil, 0, times...), TimeIndexDamages(), TimeIndexEntrySize},
		{aborted, AppendTxnIndex(nil, p.Aborted...), TxnIndexDamages(), TxnIndexEntrySize},
	} {
		if len(c.data) < 5*c.size {
			t.Fatalf("%d bytes are too few entries", len(c.data))
		}
		for _, d := range c.damages {
			before := bytes.Clone(c.data)
			out, what := d.Apply(c.data, &c.seg.Layout)
			if !bytes.Equal(before, c.data) {
				t.Fatalf("%s changed its input", d.Name)
			}
			if bytes.Equal(out, c.data) {
				t.Errorf("%s %s: no damage", d.File, d.Name)
			}
			if what.Slot < 0 {
				continue
			}
			from, end := what.Slot*c.size, (what.LastSlot+1)*c.size
			if from > len(out) || !bytes.Equal(out[:from], c.data[:from]) {
				t.Errorf("%s %s: entries in front of slot %d changed", d.File, d.Name, what.Slot)
			}
			if end < len(c.data) && !bytes.Equal(out[end:], c.data[end:]) {
				t.Errorf("%s %s: entries behind slot %d changed", d.File, d.Name, what.LastSlot)
			}
			if what.Position != int64(from) || what.End > int64(len(out)) {
				t.Errorf("%s %s: slots %d to %d, bytes %d to %d", d.File, d.Name, what.Slot, what.LastSlot, what.Position, what.End)
			}
		}
	}
}

func TestFileDamages(t *testing.T) {
	p := twoSegments()
	files := p.Build()
	l := &p.Segments[1].Layout
	for _, d := range concat(SnapshotDamages(), TextDamages()) {
		name := d.File
		if name == ".snapshot" {
			name = FileName(5, name)
		}
		before := bytes.Clone(files[name])
		out, what := d.Apply(files[name], l)
		if !bytes.Equal(before, files[name]) || bytes.Equal(out, before) {
			t.Errorf("%s %s: changed its input, or nothing", d.File, d.Name)
		}
		if len(what.Codes) == 0 && d.Name != "never written" {
			t.Errorf("%s %s: nothing is expected", d.File, d.Name)
		}
	}
}
