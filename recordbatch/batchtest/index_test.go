package batchtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// equalBatches is a segment of batches of one size, two offsets each.
func equalBatches(n, size int) *Segment {
	s := NewSegment(0)
	for i := range n {
		b := NewBatch(int64(2*i), ts+int64(i), Record{}, Record{})
		b.RawRecords = make([]byte, size-PosRecords)
		s.Add(b)
	}
	return s
}

func positions(entries []IndexEntry) []int64 {
	var p []int64
	for _, e := range entries {
		p = append(p, e.Position)
	}
	return p
}

// The arithmetic of the index interval, for batches of 3000 bytes.
func TestIndexRules(t *testing.T) {
	l := equalBatches(8, 3000).Layout
	rebuilt, times := l.RebuiltIndexes(4096)
	want := []IndexEntry{{5, 6000}, {9, 12000}, {13, 18000}}
	if diff := cmp.Diff(want, rebuilt); diff != "" {
		t.Error("rebuilt", diff)
	}
	wantTimes := []TimeEntry{{ts + 2, 5}, {ts + 4, 9}, {ts + 6, 13}, {ts + 7, 15}}
	if diff := cmp.Diff(wantTimes, times); diff != "" {
		t.Error("rebuilt times", diff)
	}

	single := []int{1, 1, 1, 1, 1, 1, 1}
	for _, c := range []struct {
		name     string
		sessions [][]int
		want     []int64
	}{
		{"never reopened", [][]int{single}, []int64{6000, 12000, 18000}},
		{"closed after three", [][]int{single[:3], single[:4]}, []int64{6000, 15000}},
		{"one append of seven, one of one", [][]int{{7, 1}}, []int64{21000}},
	} {
		got, _ := l.LiveIndexes(4096, c.sessions...)
		if diff := cmp.Diff(c.want, positions(got)); diff != "" {
			t.Error(c.name, diff)
		}
	}
	if got, _ := l.LiveIndexes(4096, []int{7, 1}); got[0].Offset != 15 {
		t.Errorf("an append is indexed by its last offset 15, not by %d", got[0].Offset)
	}
	if all, _ := l.RebuiltIndexes(0); len(all) != 7 {
		t.Errorf("interval 0 gives %d entries, want 7: all batches but the first", len(all))
	}
}

// fourBatches is a small segment whose bytes were compared with those of
// Kafka's own MemoryRecordsBuilder.
func fourBatches() *Segment {
	s := NewSegment(0)
	batch := func(base, n int, t int64) {
		var records []Record
		for i := range n {
			records = append(records, Record{
				TimestampDelta: int64(i), Key: fmt.Append(nil, "k", base+i), Value: make([]byte, 10),
			})
		}
		s.Add(NewBatch(int64(base), t, records...).WithEpoch(-1))
	}
	batch(0, 3, 1700000000000)
	batch(3, 2, 1700000001000)
	batch(5, 4, 1700000002000)
	batch(9, 1, 1700000001500)
	return s
}

func TestBytesEqualKafkas(t *testing.T) {
	sum := sha256.Sum256(fourBatches().Data)
	if got := hex.EncodeToString(sum[:]); got != "c6e6f887f4bf701282046988ba52ba30dce03b2da33ca8de42f933a663034e78" {
		t.Error("sha256", got)
	}
}

// What LogSegment.recover of Kafka built for that segment, entry for entry.
func TestRebuiltIndexEqualsKafkas(t *testing.T) {
	index, times := fourBatches().Layout.RebuiltIndexes(0)
	if diff := cmp.Diff([]IndexEntry{{4, 118}, {8, 217}, {9, 354}}, index); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]TimeEntry{{1700000001001, 4}, {1700000002003, 8}}, times); diff != "" {
		t.Error(diff)
	}
}
