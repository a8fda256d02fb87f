package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

func source(t *testing.T, dir string) *Source {
	t.Helper()
	p, err := logdir.OpenPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &Source{Path: dir, Epochs: p.LeaderEpochs}
	for _, segment := range p.Segments {
		if segment.Log != nil {
			s.Logs = append(s.Logs, *segment.Log)
		}
	}
	return s
}

func compareDirs(t *testing.T, a, b string) (*Summary, []Range) {
	t.Helper()
	var ranges []Range
	summary, err := Replicas(context.Background(), source(t, a), source(t, b), Options{
		Tell: func(r *Range) error { ranges = append(ranges, *r); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	next := int64(-1)
	for _, r := range ranges {
		if int64(r.FirstOffset) < next || r.LastOffset < r.FirstOffset {
			t.Errorf("%s and %s: ranges overlap: %+v", a, b, ranges)
		}
		next = int64(r.LastOffset) + 1
	}
	return summary, ranges
}

// Replicas of a real cluster: equal ones, and some that lag, as was noted when
// they were captured.
func TestReplicasOfACluster(t *testing.T) {
	root := fixture.State(t, "kraft", "a/clean", "a/lagging", "a/replicas.json")
	data, err := os.ReadFile(filepath.Join(root, "a/replicas.json"))
	if err != nil {
		t.Fatal(err)
	}
	var captures map[string]map[string]map[string]struct {
		End int64 `json:"end_offset"`
	}
	if err := json.Unmarshal(data, &captures); err != nil {
		t.Fatal(err)
	}
	equal, lagging := 0, 0
	for _, capture := range []string{"clean", "lagging"} {
		for name, replicas := range captures[capture] {
			for nodeA, a := range replicas {
				for nodeB, b := range replicas {
					dir := func(node string) string { return filepath.Join(root, "a", capture, node, name) }
					s, ranges := compareDirs(t, dir(nodeA), dir(nodeB))
					if s.A.LogEndOffset != a.End || s.B.LogEndOffset != b.End {
						t.Errorf("%s %s: %+v", capture, name, *s)
					}
					if s.Different != 0 || s.SameRecords != 0 || s.Divergence != nil || s.FirstDifference != -1 || s.Identical != min(a.End, b.End) ||
						s.OnlyA != max(0, a.End-b.End) || s.OnlyB != max(0, b.End-a.End) || s.Equal != (a.End == b.End) || (s.Exit == 0) != s.Equal {
						t.Errorf("%s %s, %s and %s: %+v", capture, name, nodeA, nodeB, *s)
					}
					if s.Equal {
						equal++
					} else {
						lagging++
						if last := ranges[len(ranges)-1]; last.Reason != BehindLogEnd || int64(last.LastOffset) != max(a.End, b.End)-1 {
							t.Errorf("%s %s: %+v", capture, name, last)
						}
					}
				}
			}
		}
	}
	if equal < 20 || lagging < 6 {
		t.Errorf("only %d equal and %d lagging pairs", equal, lagging)
	}
}

// The broker that came back after an unclean election said "Truncating
// partition pair-0 with TruncationState(offset=65".
func TestDivergenceIsWhereTheBrokerTruncated(t *testing.T) {
	root := fixture.State(t, "kraft", "a/unclean-killed/n1/pair-0", "a/clean/n2/pair-0")
	old, now := filepath.Join(root, "a/unclean-killed/n1/pair-0"), filepath.Join(root, "a/clean/n2/pair-0")
	for _, swap := range []bool{false, true} {
		a, b, want := old, now, Divergence{Offset: 65, Leader: "b", EpochA: 2, EpochB: 3, Truncated: 40}
		if swap {
			a, b, want = now, old, Divergence{Offset: 65, Leader: "a", EpochA: 3, EpochB: 2, Truncated: 40}
		}
		s, _ := compareDirs(t, a, b)
		if s.Divergence == nil || *s.Divergence != want || s.FirstDifference != 65 || s.Identical != 65 || s.Equal {
			t.Errorf("%+v %+v", *s, s.Divergence)
		}
	}
}

func record(value string) batchtest.Record { return batchtest.Record{Value: []byte(value)} }

// values is a batch with a record for each value.
func values(offset int64, list ...string) batchtest.Batch {
	var records []batchtest.Record
	for _, v := range list {
		records = append(records, record(v))
	}
	return batchtest.NewBatch(offset, 1_700_000_000_000, records...)
}

// write writes one segment, with a change to its bytes.
func write(t *testing.T, base int64, change func(s *batchtest.Segment) []byte, entries ...batchtest.Entry) string {
	t.Helper()
	s := batchtest.NewSegment(base, entries...)
	p := &batchtest.Partition{Topic: "t", Segments: []*batchtest.Segment{s}}
	if change != nil {
		p.Files = map[string][]byte{batchtest.FileName(base, ".log"): change(s)}
	}
	dir, err := p.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	fixture.RequireUnchanged(t, dir)
	return dir
}

func TestKinds(t *testing.T) {
	full := []batchtest.Entry{values(0, "a", "b"), values(2, "c", "d"), values(4, "e"), values(5, "f", "g", "h")}
	sound := write(t, 0, nil, full...)
	otherEpoch := values(2, "c", "d")
	otherEpoch.LeaderEpoch = 9
	packed := values(2, "c", "d")
	packed.Attributes |= int16(batchtest.Gzip)
	emptied := values(2, "c", "d")
	emptied.Records = emptied.Records[1:]
	for name, c := range map[string]struct {
		b    string
		want string
	}{
		"itself":  {sound, "[identical 0-7]"},
		"lagging": {write(t, 0, nil, full[:2]...), "[identical 0-3] [only-a 4-7 behind-log-end]"},
		"deleted": {write(t, 4, nil, full[2:]...), "[only-a 0-3 below-log-start] [identical 4-7]"},
		"a damaged batch": {write(t, 0, func(s *batchtest.Segment) []byte {
			data := bytes.Clone(s.Data)
			data[s.Layout.Batches[1].End()-1] ^= 1
			return data
		}, full...), "[identical 0-1] [only-a 2-3 damaged] [identical 4-7]"},
		"a damaged end": {write(t, 0, func(s *batchtest.Segment) []byte { return s.Data[:len(s.Data)-1] }, full...),
			"[identical 0-4] [only-a 5-7 damaged]"},
		"a hole":             {write(t, 0, nil, full[0], full[2], full[3]), "[identical 0-1] [only-a 2-3 missing] [identical 4-7]"},
		"another value":      {write(t, 0, nil, full[0], values(2, "c", "D"), full[2], full[3]), "[identical 0-1] [different 2-3 1/0/0] [identical 4-7]"},
		"other boundaries":   {write(t, 0, nil, values(0, "a", "b", "c"), values(3, "d", "e"), full[3]), "[same-records 0-4] [identical 5-7]"},
		"split in two":       {write(t, 0, nil, full[0], full[1], full[2], values(5, "f"), values(6, "g", "h")), "[identical 0-4] [same-records 5-7]"},
		"another epoch":      {write(t, 0, nil, full[0], otherEpoch, full[2], full[3]), "[identical 0-1] [same-records 2-3] [identical 4-7]"},
		"compressed":         {write(t, 0, nil, full[0], packed, full[2], full[3]), "[identical 0-1] [same-records 2-3] [identical 4-7]"},
		"a record compacted": {write(t, 0, nil, full[0], emptied, full[2], full[3]), "[identical 0-1] [different 2-3 0/1/0] [identical 4-7]"},
		"more records":       {write(t, 0, nil, append(full[:4:4], values(8, "i"))...), "[identical 0-7] [only-b 8-8 behind-log-end]"},
		"nothing":            {write(t, 0, nil), "[only-a 0-7 behind-log-end]"},
	} {
		s, ranges := compareDirs(t, sound, c.b)
		if got := text(ranges); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		mirrored, back := compareDirs(t, c.b, sound)
		if s.OnlyA != mirrored.OnlyB || s.Different != mirrored.Different || s.FirstDifference != mirrored.FirstDifference || len(ranges) != len(back) {
			t.Errorf("%s: the other way round: %s", name, text(back))
		}
	}
}

func text(ranges []Range) string {
	out := ""
	for i, r := range ranges {
		if i > 0 {
			out += " "
		}
		out += fmt.Sprintf("[%s %d-%d", r.Kind, r.FirstOffset, r.LastOffset)
		if r.Reason != "" {
			out += " " + r.Reason
		}
		if r.Kind == Different {
			out += fmt.Sprintf(" %d/%d/%d", r.Differing, r.AloneInA, r.AloneInB)
		}
		out += "]"
	}
	return out
}

// Wild segments are equal to themselves, and differ where they were damaged.
func TestWild(t *testing.T) {
	for seed := range uint64(8) {
		s := batchtest.Generate(seed, batchtest.Wild())
		if len(s.Layout.Batches) < 10 {
			continue
		}
		p := &batchtest.Partition{Topic: "t", Segments: []*batchtest.Segment{s}}
		a, err := p.Write(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if sum, ranges := compareDirs(t, a, a); !sum.Equal || len(ranges) != 1 && s.Layout.Records() > 0 {
			t.Logf("seed %d: %s", seed, text(ranges))
			if !sum.Equal {
				t.Errorf("seed %d: %+v", seed, *sum)
			}
		}
		damaged := bytes.Clone(s.Data)
		hit := &s.Layout.Batches[5]
		damaged[hit.End()-1] ^= 1
		p.Files = map[string][]byte{batchtest.FileName(s.Layout.BaseOffset, ".log"): damaged}
		b, err := p.Write(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		sum, ranges := compareDirs(t, a, b)
		if sum.Equal || sum.B.Damaged != 1 || sum.OnlyA != hit.LastOffset-hit.BaseOffset+1 || sum.OnlyB != 0 || sum.Different != 0 {
			t.Errorf("seed %d: %+v: %s", seed, *sum, text(ranges))
		}
	}
}
