package sanity

import (
	"fmt"
	"testing"

	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// TestReadersHideNoDamage holds --kafka-version to its laws on every damage of
// the tables: what is found without it is found with it, at the same place, but
// for a time index that nobody misses; what is found besides is what the release
// can't read; and nothing is worse than it was but where that release does not
// start.
func TestReadersHideNoDamage(t *testing.T) {
	versions := []string{"0.8.0", "0.8.2", "0.9", "0.10.2", "0.11", "2.2.2", "3.0", "4.3", "4.4"}
	if testing.Short() {
		versions = []string{"0.8.2", "2.2.2", "4.4"}
	}
	more := map[Code]bool{BatchBadMagic: true, BatchBadCodec: true, BatchUnknownAttributes: true}
	type place struct {
		code           Code
		file           string
		position, slot int64
	}
	placeOf := func(f *Finding) place { return place{f.Code, f.File, f.Position, f.Slot} }
	changed := 0
	for _, table := range damageTables(0) {
		files := table.p.Build()
		m := newMemory(t, table.p.Dir(), files)
		for _, d := range table.damages {
			segment, name := hits(table.p, d)
			data, _ := d.Apply(files[name], &segment.Layout)
			damaged := map[string][]byte{name: data}
			plain, _ := m.check(Options{Depth: Checksums}, damaged)
			for _, text := range versions {
				v := mustParse(t, text)
				found := map[place]*Finding{}
				read, _ := m.check(Options{Depth: Checksums, KafkaVersion: v}, damaged)
				for _, f := range read {
					found[placeOf(f)] = f
				}
				for _, f := range plain {
					g := found[placeOf(f)]
					delete(found, placeOf(f))
					switch {
					case g == nil && (f.Code != TimeIndexMissing || !v.Before(0, 10, 1)):
						t.Errorf("%s/%s, read by %s: not found: %s", d.File, d.Name, text, f.AppendJSON(nil))
					case g == nil:
					case g.Severity > f.Severity && f.Code != IndexPreallocated && f.Code != TimeIndexPreallocated && f.Code != IndexMissing:
						t.Errorf("%s/%s, read by %s: worse: %s", d.File, d.Name, text, g.AppendJSON(nil))
					case g.Severity != f.Severity || g.Broker != f.Broker:
						changed++
					}
				}
				for at, f := range found {
					if !more[at.code] {
						t.Errorf("%s/%s, read by %s: found besides: %s", d.File, d.Name, text, f.AppendJSON(nil))
					}
				}
			}
		}
	}
	if changed < 50 {
		t.Errorf("a release changed only %d findings", changed)
	}
}

// A log of nothing but batches that the reader can't read costs one finding and
// no memory for each batch; without a reader nothing is asked.
func TestRefusedBatchesCostNothing(t *testing.T) {
	c := newChecker(t.Context(), Options{KafkaVersion: mustParse(t, "0.10.2")})
	p := newPartitionCheck(t.Context(), c, newMemory(t, "small-0", nil).listing, environment{})
	s := newSegmentCheck(p, "x.log", 0, -1)
	data := kv(0).Encode()
	var b recordbatch.Batch
	recordbatch.ParseHeader(&b, data, 0)
	var none probe
	step := func() {
		c.reads.read(s, &b, &none)
		b.Position += b.Size
	}
	step()
	if n := testing.AllocsPerRun(1000, step); n > 0 {
		t.Errorf("%v allocations a batch", n)
	}
	if len(p.report.findings) != 1 || p.report.findings[0].count() < 1000 {
		t.Errorf("%d findings", len(p.report.findings))
	}
	// Good and bad ones in turns: bounded as well.
	for range 10 * MostOfCode {
		b.Position += 1000
		step()
	}
	if n := len(p.report.findings); n != MostOfCode {
		t.Errorf("%d findings", n)
	}
	if newRelease(mustParse(t, "4.4")).batches != nil {
		t.Error("4.4 is asked about batches, all of which it reads")
	}
}

// Fold what is folded: the message says how many.
func TestRefusedBatchesAreOneFinding(t *testing.T) {
	zstd := func(base int64) batchtest.Batch { return kv(base).WithCodec(batchtest.Zstd, batchtest.Compression{}) }
	x := exhibit{tree: logOf(zstd(0), zstd(1), kv(2), zstd(3))}
	r := check(t, Options{KafkaVersion: mustParse(t, "1.0")}, x.paths(x.write(t))...)
	var got []string
	for _, f := range r.loud() {
		got = append(got, fmt.Sprintf("%s %d-%d %d", f.Code, f.Offset, f.LastOffset, f.count()))
	}
	if want := "[batch-bad-codec 0-1 2 batch-bad-codec 3-3 1]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s\n%s", got, want, r)
	}
}
