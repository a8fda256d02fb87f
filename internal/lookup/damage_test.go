package lookup

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
	"github.com/kafsck/kafsck/sanity"
)

// inMemory is a partition of one segment; nil is a file that isn't there.
func inMemory(base int64, log, index, times []byte) *Partition {
	file := func(name string, data []byte) File {
		f := File{Path: name, ModTime: time.UnixMilli(1_700_000_000_000)}
		if data != nil {
			f.Open = func() (Source, error) { return Source{R: bytes.NewReader(data), Size: int64(len(data))}, nil }
		}
		return f
	}
	return &Partition{Path: "memory-0", LogStart: base, Segments: []Segment{{base, file(".log", log), file(".index", index), file(".timeindex", times)}}}
}

// contents is what a scan of a generated segment finds.
func contents(l *batchtest.Layout) scanned {
	s := scanned{largest: -1, end: l.NextOffset()}
	for b := range l.All() {
		s.largest = max(s.largest, b.MaxTimestamp)
		for _, r := range b.Records {
			s.records = append(s.records, record{r.Offset, r.Timestamp})
		}
	}
	return s
}

// Whatever happens to the indexes, every lookup gives the right answer; and
// --verify says that they lie where they do.
func TestDamagedIndexesNeverChangeTheAnswer(t *testing.T) {
	damages := slices.Concat(batchtest.IndexDamages(), batchtest.TimeIndexDamages())
	told := 0
	for seed := range uint64(6) {
		profile := batchtest.Plain()
		if seed%2 == 1 {
			profile = batchtest.Compacted()
		}
		profile.Batches = 60
		s := batchtest.Generate(seed, profile)
		base := s.Layout.BaseOffset
		entries, times := s.Layout.RebuiltIndexes(0)
		if len(entries) < 8 || len(times) < 8 {
			continue
		}
		index, timeIndex := batchtest.AppendIndex(nil, base, entries...), batchtest.AppendTimeIndex(nil, base, times...)
		scan := contents(&s.Layout)
		for _, d := range damages {
			i, ti := index, timeIndex
			var what batchtest.Expect
			if d.File == ".index" {
				i, what = d.Apply(index, &s.Layout)
			} else {
				ti, what = d.Apply(timeIndex, &s.Layout)
			}
			if i == nil {
				i = []byte{}
			}
			p := inMemory(base, s.Data, i, ti)
			for _, target := range targetsOf([]scanned{scan}) {
				want, ok := expected(p, []scanned{scan}, target)
				r, err := p.Lookup(context.Background(), target, Options{Verify: target.Offset%5 == 0})
				if err != nil {
					t.Fatalf("seed %d, %s %s, %+v: %v", seed, d.File, d.Name, target, err)
				}
				if ok != (r.Found != nil) || ok && (r.Found.Offset != want.offset || r.Found.Timestamp != want.timestamp) {
					t.Errorf("seed %d, %s %s, %+v: want %v %v, got %+v", seed, d.File, d.Name, target, want, ok, r.Found)
				}
				if r.Truthful == nil || len(r.Walks) == 0 {
					continue
				}
				serious := slices.ContainsFunc(what.Codes, func(c string) bool { return sanity.Code(c).Severity() == sanity.Error })
				seen := d.File == ".index" || target.ByTime
				sized := slices.Contains(what.Codes, "index-size") || slices.Contains(what.Codes, "timeindex-size") // the entries are true
				if seen && !sized && what.Slot >= 0 && serious == *r.Truthful {
					t.Errorf("seed %d, %s %s, %+v: truthful %v, but %v", seed, d.File, d.Name, target, *r.Truthful, what.Codes)
				}
				if !*r.Truthful {
					told++
				}
			}
		}
	}
	if told < 100 {
		t.Errorf("only %d lies were told", told)
	}
}

// Damage in the log is told, what lies behind it is found all the same.
func TestDamagedLogs(t *testing.T) {
	s := batchtest.Generate(1, batchtest.Plain())
	entries, _ := s.Layout.RebuiltIndexes(1000)
	index := batchtest.AppendIndex(nil, 0, entries...)
	for _, d := range batchtest.LogDamages() {
		out, what := d.Apply(s.Data, &s.Layout)
		lost := map[int64]bool{}
		for b := range s.Layout.All() {
			for _, r := range b.Records {
				lost[r.Offset] = true
			}
		}
		for _, i := range what.Intact {
			for _, r := range s.Layout.Batches[i.Batch].Records {
				delete(lost, r.Offset)
			}
		}
		for _, noIndex := range []bool{false, true} {
			p := inMemory(s.Layout.BaseOffset, out, index, nil)
			for b := range s.Layout.All() {
				offset := b.BaseOffset
				if lost[offset] || what.ChecksumRight {
					continue
				}
				r, err := p.Lookup(context.Background(), Target{Offset: offset}, Options{NoIndex: noIndex})
				if err != nil {
					t.Fatalf("%s, offset %d: %v", d.Name, offset, err)
				}
				if r.Found == nil {
					t.Errorf("%s, offset %d: not found: %d", d.Name, offset, r.Why)
				}
			}
		}
	}
}

// In a file that was never trimmed, neither zeros nor what a truncation left
// are entries.
func TestTailsAreNoEntries(t *testing.T) {
	s := batchtest.Generate(2, batchtest.Plain())
	base := s.Layout.BaseOffset
	entries, times := s.Layout.RebuiltIndexes(500)
	n := len(entries)
	end := int64(len(s.Data))
	stale := append(slices.Clone(entries),
		batchtest.IndexEntry{Offset: s.Layout.NextOffset() + 5, Position: end + 100},
		batchtest.IndexEntry{Offset: s.Layout.NextOffset() + 9, Position: end + 900})
	staleTimes := append(slices.Clone(times), batchtest.TimeEntry{Timestamp: times[len(times)-1].Timestamp - 5, Offset: times[0].Offset})
	index := batchtest.Preallocate(batchtest.AppendIndex(nil, base, stale...), indexfile.OffsetEntrySize, 10<<20)
	timeIndex := batchtest.Preallocate(batchtest.AppendTimeIndex(nil, base, staleTimes...), indexfile.TimeEntrySize, 10<<20)
	p := inMemory(base, s.Data, index, timeIndex)
	last := s.Layout.NextOffset() - 1
	r, err := p.Lookup(context.Background(), Target{Offset: last}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &r.Walks[0]
	if w.Offset.Entries != n || w.Offset.Stale != 2 || w.Offset.Zeros == 0 || len(r.Findings) > 0 || r.Found == nil {
		t.Errorf("%+v, findings %v", w.Offset, r.Findings)
	}
	r, err = p.Lookup(context.Background(), Target{ByTime: true, Timestamp: times[len(times)-1].Timestamp}, Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	w = &r.Walks[0]
	if w.Time.Entries != len(times) || w.Time.Stale != 1 || len(r.Findings) > 0 || r.Truthful == nil || !*r.Truthful {
		t.Errorf("%+v, findings %v", w.Time, r.Findings)
	}
}

// Messages of v0 have no time: the time of the file stands in for it, and
// nothing is found inside.
func TestSegmentWithoutTimes(t *testing.T) {
	s := batchtest.NewSegment(0, batchtest.Message{Offset: 0, Value: []byte("a")}, batchtest.Message{Offset: 1, Value: []byte("b")})
	p := inMemory(0, s.Data, []byte{}, []byte{})
	r, err := p.Lookup(context.Background(), Target{ByTime: true, Timestamp: 1_600_000_000_000}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Found != nil || r.Why != NoTimeInside || !r.Considered[0].Chosen || r.Considered[0].Source != FromModTime {
		t.Errorf("%+v", r)
	}
	r, err = p.Lookup(context.Background(), Target{ByTime: true, Timestamp: 1_800_000_000_000}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Found != nil || r.Why != NoSuchTime || r.LargestTimestamp != -1 {
		t.Errorf("%+v", r)
	}
}

// A batch whose last records are gone is where the fetch begins; the record
// comes from the next one.
func TestCompactedEndOfABatch(t *testing.T) {
	emptied := batchtest.NewBatch(10, 1000, batchtest.Record{Value: []byte("a")})
	emptied.LastOffsetDelta = 9
	s := batchtest.NewSegment(10, emptied, batchtest.NewBatch(30, 1000, batchtest.Record{Value: []byte("b")}))
	p := inMemory(10, s.Data, []byte{}, []byte{})
	r, err := p.Lookup(context.Background(), Target{Offset: 15}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &r.Walks[0]
	if r.Found == nil || r.Found.Offset != 30 || w.FetchPosition != 0 || r.Found.BatchPosition != s.Layout.Batches[1].Position || w.Batches != 2 || w.Records != 2 {
		t.Errorf("%+v %+v", r.Found, w)
	}
}

// Nothing is opened but what the lookup needs.
func TestLookupOpensOneSegment(t *testing.T) {
	dir := t.TempDir()
	var segments []*batchtest.Segment
	for i := range int64(5) {
		segments = append(segments, batchtest.NewSegment(10*i, batchtest.NewBatch(10*i, 1000+i, batchtest.Record{})))
	}
	path, err := (&batchtest.Partition{Topic: "t", Segments: segments}).Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, base := range []int64{0, 10, 30, 40} {
		if err := os.Truncate(filepath.Join(path, batchtest.FileName(base, ".log")), 3); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Lookup(context.Background(), Target{Offset: 20}, Options{})
	if err != nil || r.Found == nil || len(r.Findings) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Of a time index in which nothing is true, as one of another segment, not
// every entry is looked for in the log.
func TestManyFalseTimes(t *testing.T) {
	profile := batchtest.Plain()
	profile.Batches = 200
	s := batchtest.Generate(1, profile)
	base := s.Layout.BaseOffset
	_, times := s.Layout.RebuiltIndexes(0)
	last := times[len(times)-1]
	for i := range 20_000 {
		times = append(times, batchtest.TimeEntry{Timestamp: last.Timestamp + int64(i) + 1, Offset: s.Layout.NextOffset() + int64(i)})
	}
	timeIndex := batchtest.Preallocate(batchtest.AppendTimeIndex(nil, base, times...), indexfile.TimeEntrySize, 1<<20)
	p := inMemory(base, s.Data, nil, timeIndex)
	read := new(int64)
	open := p.Segments[0].Log.Open
	p.Segments[0].Log.Open = func() (Source, error) {
		source, err := open()
		source.R = counting{source.R, read}
		return source, err
	}
	r, err := p.Lookup(t.Context(), Target{ByTime: true, Timestamp: last.Timestamp}, Options{})
	if err != nil || r.Found == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	w := r.Walks[len(r.Walks)-1]
	if w.Time.Stale != 20_000 || w.Time.State != IndexUsed {
		t.Errorf("%d stale, state %d", w.Time.Stale, w.Time.State)
	}
	if most := 100 * int64(len(s.Data)); *read > most {
		t.Errorf("read %d bytes of a log of %d", *read, len(s.Data))
	}
}
