//go:build kafka

package lookup

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/oracle"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// Every segment of every capture, and generated ones: the entries found, the
// positions and the records are those of Kafka's OffsetIndex.lookup,
// TimeIndex.lookup, LogSegment.translateOffset and findOffsetByTimestamp.
func TestLookupsAreKafkas(t *testing.T) {
	k := oracle.Open(t)
	answers := 0
	for part := range fixture.Partitions(t) {
		answers += compareDir(t, k, part.String(), part.Dir(t))
	}
	for seed := range uint64(30) {
		profiles := []batchtest.Profile{batchtest.Plain(), batchtest.Compacted(), batchtest.Transactional(), batchtest.Compressed()}
		profile := profiles[seed%4]
		profile.Batches = 200
		p := batchtest.Partition{Topic: "generated", IndexInterval: int64(200 * (1 + seed%7)), Segments: []*batchtest.Segment{batchtest.Generate(seed, profile)}}
		dir, err := p.Write(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		answers += compareDir(t, k, "generated", dir)
	}
	if answers < 10_000 {
		t.Errorf("only %d answers compared", answers)
	}
}

func compareDir(t *testing.T, k *oracle.Client, name, dir string) (answers int) {
	t.Helper()
	all, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	scanned := scanPartition(t, all)
	for i := range all.Segments {
		s := &all.Segments[i]
		one := &Partition{Path: dir, Segments: all.Segments[i : i+1], LogStart: s.BaseOffset}
		offsets, times := targetsIn(s, scanned[i])
		got := k.Lookup(dir, s.BaseOffset, offsets, times, oracle.LookupOpts{})
		for j := range got.ByOffset {
			compareOffset(t, name+"/"+filepath.Base(s.Log.Path), one, offsets[j], &got.ByOffset[j])
		}
		for j := range got.ByTime {
			compareTime(t, name+"/"+filepath.Base(s.Log.Path), one, times[j], &got.ByTime[j])
		}
		answers += len(offsets) + len(times)
	}
	return answers
}

// targetsIn are offsets and timestamps around the records of a segment.
func targetsIn(s *Segment, scan scanned) (offsets, times []int64) {
	rng := rand.New(rand.NewPCG(uint64(s.BaseOffset), 7))
	offsets = append(offsets, s.BaseOffset, scan.end-1, scan.end, scan.end+1)
	for range 20 {
		offsets = append(offsets, s.BaseOffset+rng.Int64N(max(scan.end-s.BaseOffset, 1)))
		if n := len(scan.records); n > 0 {
			times = append(times, scan.records[rng.IntN(n)].timestamp+rng.Int64N(3)-1)
		}
	}
	times = append(times, 0, scan.largest-1, scan.largest, scan.largest+1)
	for i := range times {
		times[i] = max(times[i], 0)
	}
	for i := range offsets {
		offsets[i] = max(offsets[i], s.BaseOffset)
	}
	return offsets, times
}

func compareOffset(t *testing.T, name string, p *Partition, target int64, want *oracle.OffsetAnswer) {
	t.Helper()
	if want.Error != nil {
		t.Errorf("%s: offset %d: kafka says %v", name, target, want.Error)
		return
	}
	r, err := p.Lookup(context.Background(), Target{Offset: target}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &r.Walks[0]
	if e := w.Offset.Entry; e.Offset != want.IndexEntry.Offset || int64(e.Position) != want.IndexEntry.Position || w.StartPosition != want.IndexEntry.Position {
		t.Errorf("%s: offset %d: entry %+v, start %d; kafka: %+v", name, target, e, w.StartPosition, want.IndexEntry)
	}
	switch {
	case want.Found == nil:
		if w.FetchPosition >= 0 || r.Found != nil {
			t.Errorf("%s: offset %d: found at %d; kafka finds nothing", name, target, w.FetchPosition)
		}
		return
	case w.FetchPosition != want.Found.Position:
		t.Errorf("%s: offset %d: found at %d; kafka: %+v", name, target, w.FetchPosition, *want.Found)
	}
	if want.Read == nil || want.Read.FirstRecordAtOrAfter == nil {
		return // compaction left nothing in this batch
	}
	first := want.Read.FirstRecordAtOrAfter
	if f := r.Found; f == nil || f.Offset != first.Offset || f.Timestamp != first.Timestamp {
		t.Errorf("%s: offset %d: %+v; kafka: %+v", name, target, r.Found, *first)
	}
}

func compareTime(t *testing.T, name string, p *Partition, target int64, want *oracle.TimeAnswer) {
	t.Helper()
	if want.Error != nil {
		t.Errorf("%s: timestamp %d: kafka says %v", name, target, want.Error)
		return
	}
	r, err := p.Lookup(context.Background(), Target{ByTime: true, Timestamp: target}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if (r.Found == nil) != (want.Found == nil) || r.Found != nil && (r.Found.Offset != want.Found.Offset || r.Found.Timestamp != want.Found.Timestamp) {
		t.Errorf("%s: timestamp %d: %+v; kafka: %+v", name, target, r.Found, want.Found)
	}
	if len(r.Walks) == 0 {
		return // the segment was not even chosen
	}
	w := &r.Walks[0]
	if e := w.Time.Entry; e.Timestamp != want.TimeIndexEntry.Timestamp || e.Offset != want.TimeIndexEntry.Offset {
		t.Errorf("%s: timestamp %d: entry %+v; kafka: %+v", name, target, e, want.TimeIndexEntry)
	}
	if w.StartPosition != want.IndexEntry.Position {
		t.Errorf("%s: timestamp %d: start %d; kafka: %+v", name, target, w.StartPosition, want.IndexEntry)
	}
}
