package lookup

import (
	"bytes"
	"context"
	"os"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// record is one record of a partition, by a full scan.
type record struct{ offset, timestamp int64 }

// scanned are the records of each segment, and its largest timestamp: that of
// its batches' headers.
type scanned struct {
	records []record
	largest int64
	end     int64
}

func scanPartition(t testing.TB, p *Partition) (segments []scanned) {
	t.Helper()
	var decoder recordbatch.Decoder
	for i := range p.Segments {
		s := scanned{largest: -1, end: p.Segments[i].BaseOffset}
		data, err := os.ReadFile(p.Segments[i].Log.Path)
		if err != nil {
			t.Fatal(err)
		}
		for b, err := range recordbatch.NewScanner(bytes.NewReader(data), int64(len(data)), recordbatch.Options{}).Batches() {
			if err != nil {
				t.Fatal(err)
			}
			s.largest = max(s.largest, b.MaxTimestamp)
			s.end = b.LastOffset() + 1
			for r, err := range decoder.Records(b) {
				if err != nil {
					t.Fatal(err)
				}
				s.records = append(s.records, record{r.Offset, r.Timestamp})
			}
		}
		segments = append(segments, s)
	}
	return segments
}

// In all captures, live and closed, of every version, every lookup finds what a
// full scan finds, with the index and without it, and no sound file is blamed.
func TestLookupsFindWhatAScanFinds(t *testing.T) {
	ctx := context.Background()
	lookups, found := 0, 0
	for part := range fixture.Partitions(t) {
		p, err := Open(part.Dir(t))
		if err != nil {
			t.Fatal(err)
		}
		segments := scanPartition(t, p)
		for _, target := range targetsOf(segments) {
			want, ok := expected(p, segments, target)
			for _, o := range []Options{{}, {NoIndex: true}} {
				lookups++
				r, err := p.Lookup(ctx, target, o)
				if err != nil {
					t.Fatalf("%s: %+v: %v", part, target, err)
				}
				if r.Found != nil {
					found++
				}
				if ok != (r.Found != nil) || ok && (r.Found.Offset != want.offset || r.Found.Timestamp != want.timestamp) {
					t.Fatalf("%s: %+v %+v: want %v %v, got %+v", part, target, o, want, ok, r.Found)
				}
				for _, f := range r.Findings {
					if f.Severity == sanity.Error {
						t.Fatalf("%s: %+v: %s: %s", part, target, f.Code, f.Message)
					}
				}
			}
		}
	}
	if lookups < 3_000 || found < lookups/2 {
		t.Errorf("%d lookups, %d found something", lookups, found)
	}
}

// targetsOf are offsets and times within, between and around the records.
func targetsOf(segments []scanned) (targets []Target) {
	var offsets, times []int64
	records := 0
	for _, s := range segments {
		records += len(s.records)
	}
	step := max(1, records/10)
	for _, s := range segments {
		offsets = append(offsets, s.end-1, s.end)
		for i := 0; i < len(s.records); i += step {
			offsets = append(offsets, s.records[i].offset, s.records[i].offset+1)
			times = append(times, s.records[i].timestamp, s.records[i].timestamp+1)
		}
		times = append(times, s.largest-1, s.largest, s.largest+1)
	}
	offsets = append(offsets, 0, segments[len(segments)-1].end+1, 1<<40)
	slices.Sort(offsets)
	slices.Sort(times)
	for _, o := range slices.Compact(offsets) {
		targets = append(targets, Target{Offset: max(o, 0)})
	}
	for _, ts := range slices.Compact(times) {
		if ts >= 0 {
			targets = append(targets, Target{ByTime: true, Timestamp: ts})
		}
	}
	return targets
}

// expected is the answer by the rules alone, over all records.
func expected(p *Partition, segments []scanned, target Target) (record, bool) {
	if !target.ByTime {
		if target.Offset < p.LogStart {
			return record{}, false
		}
		for _, s := range segments {
			for _, r := range s.records {
				if r.offset >= target.Offset {
					return r, true
				}
			}
		}
		return record{}, false
	}
	for i, s := range segments {
		largest := s.largest
		if largest < 0 {
			largest = p.Segments[i].Log.ModTime.UnixMilli()
		}
		if largest < target.Timestamp {
			continue
		}
		for _, r := range s.records {
			if r.timestamp >= target.Timestamp && r.offset >= p.LogStart {
				return r, true
			}
		}
		return record{}, false
	}
	return record{}, false
}
