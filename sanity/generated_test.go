package sanity

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

var profiles = map[string]func() batchtest.Profile{
	"plain": batchtest.Plain, "compressed": batchtest.Compressed, "transactional": batchtest.Transactional,
	"compacted": batchtest.Compacted, "legacy": batchtest.Legacy, "wild": batchtest.Wild,
}

// TestGeneratedAreClean: whatever is legal is not accused.
func TestGeneratedAreClean(t *testing.T) {
	for name, profile := range profiles {
		for seed := range uint64(12) {
			p := batchtest.GeneratePartition(seed, profile(), 1+int(seed%3))
			switch seed % 4 {
			case 1:
				p.IndexInterval = -1
			case 2:
				p.Preallocated = 4096
			}
			dir, err := p.Write(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, depth := range []Depth{Records, Checksums} {
				r := check(t, Options{Depth: depth}, dir)
				if loud := r.loud(); len(loud) > 0 {
					t.Errorf("%s seed %d: %s, first %s", name, seed, codes(loud), loud[0].AppendJSON(nil))
				}
				batches, records := 0, 0
				for _, s := range p.Segments {
					batches += len(s.Layout.Batches)
					records += s.Layout.Records()
				}
				if r.summary.Batches != int64(batches) || depth == Records && r.summary.Records != int64(records) {
					t.Errorf("%s seed %d: %d batches, %d records of %d, %d", name, seed, r.summary.Batches, r.summary.Records, batches, records)
				}
			}
		}
	}
}

// table is a partition with what can happen to its files.
type table struct {
	p       *batchtest.Partition
	damages []batchtest.Damage
}

// damageTables are the tables of batchtest, each with a partition that has
// what they hit.
func damageTables(seed uint64) []table {
	dense := batchtest.Transactional()
	dense.Batches = 200 // aborts enough for a table of five entries
	partition := func(profile batchtest.Profile) *batchtest.Partition {
		p := batchtest.GeneratePartition(seed+100, profile, 2)
		p.IndexInterval = -1
		return p
	}
	return []table{
		{partition(batchtest.Plain()), slices.Concat(batchtest.LogDamages(), batchtest.HostileDamages(), batchtest.BombDamages(1<<20),
			batchtest.IndexDamages(), batchtest.TimeIndexDamages(), batchtest.TextDamages())},
		{partition(dense), slices.Concat(batchtest.TxnIndexDamages(), batchtest.SnapshotDamages())},
	}
}

// hits is the segment and the file that a damage is for.
func hits(p *batchtest.Partition, d batchtest.Damage) (*batchtest.Segment, string) {
	segment := p.Segments[0]
	if strings.Contains(d.Name, "stale tail after") {
		segment = p.Segments[1] // only the newest has one
	}
	switch {
	case d.File == ".snapshot":
		return segment, batchtest.FileName(p.Segments[1].Layout.BaseOffset, d.File)
	case d.File[0] == '.':
		return segment, batchtest.FileName(segment.Layout.BaseOffset, d.File)
	}
	return segment, d.File
}

// TestDamageIsFound puts every damage of the tables into three partitions.
func TestDamageIsFound(t *testing.T) {
	for seed := range uint64(3) {
		for _, tables := range damageTables(seed) {
			files := tables.p.Build()
			for _, d := range tables.damages {
				t.Run(fmt.Sprintf("%d/%s/%s", seed, d.File, d.Name), func(t *testing.T) {
					damageIsFound(t, tables.p, files, d)
				})
			}
		}
	}
}

func damageIsFound(t *testing.T, p *batchtest.Partition, files map[string][]byte, d batchtest.Damage) {
	segment, name := hits(p, d)
	out, what := d.Apply(files[name], &segment.Layout)
	damaged := *p
	damaged.Files = map[string][]byte{name: out}
	if out == nil {
		damaged.Files[name] = []byte{}
	}
	dir, err := damaged.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := check(t, Options{DecompressLimit: 512 << 10}, dir)
	intact := len(what.Intact)
	for _, s := range p.Segments {
		if s != segment {
			intact += len(s.Layout.Batches)
		}
	}
	if r.summary.Batches < int64(intact) {
		t.Errorf("%d sound batches of %d", r.summary.Batches, intact)
	}
	if len(what.Codes) == 0 {
		loud := r.loud()
		// A log cut between two batches looks whole; the index knows better.
		if d.File == ".log" && len(loud) == 1 && loud[0].Code == IndexBeyondLog {
			return
		}
		if len(loud) > 0 {
			t.Errorf("legal, but accused of %s", r)
		}
		return
	}
	hit := slices.ContainsFunc(r.findings, func(f *Finding) bool {
		last := f.Slot
		if n, ok := f.Detail["lastSlot"].(int64); ok {
			last = n
		}
		return slices.Contains(what.Codes, string(f.Code)) && f.File == dir+"/"+name &&
			(what.At < 0 || f.Position == what.At || f.Slot >= 0) &&
			(what.Slot < 0 || f.Slot < 0 || f.Slot <= int64(what.LastSlot) && last >= int64(what.Slot))
	})
	if !hit {
		t.Errorf("want %v at %d, slot %d to %d; got\n%s", what.Codes, what.At, what.Slot, what.LastSlot, r)
	}
	most := 2
	if d.Name == "batch removed" {
		most = 3 // two indexes know of the batch, and what follows moved
	}
	if loud := r.loud(); len(loud) > most {
		t.Errorf("%d findings for one damage:\n%s", len(loud), r)
	}
}
