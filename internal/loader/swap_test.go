package loader_test

import (
	"testing"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// far is an offset that needs a segment of its own.
const far = 1 << 31

func overflowing(last ...int64) *batchtest.Partition {
	s := batchtest.NewSegment(0)
	for _, offset := range append([]int64{0, 1, 2, far + 5, far + 6}, last...) {
		s.Add(batchtest.NewBatch(offset, 1700000000000, batchtest.KV("k", "v")))
	}
	next := batchtest.NewSegment(2*far + 100)
	next.Add(batchtest.NewBatch(2*far+100, 1700000000001, batchtest.KV("k", "w")))
	return &batchtest.Partition{Topic: "t", Segments: []*batchtest.Segment{s, next}}
}

// A segment whose offsets don't fit is divided, unless its last offset does.
func TestSplit(t *testing.T) {
	dir, err := overflowing(2*far + 90).Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plan := planFor(t, dir, defaults())
	if !plan.Loads || plan.Lost.Any() || plan.LogEnd != 2*far+101 {
		t.Fatalf("%v, lost %+v, end %d", plan.Failure, plan.Lost, plan.LogEnd)
	}
	var bases []int64
	for _, s := range plan.Segments {
		bases = append(bases, s.BaseOffset)
	}
	if len(bases) != 4 || bases[0] != 0 || bases[1] != far+5 || bases[2] != 2*far+90 || bases[3] != 2*far+100 {
		t.Errorf("segments %v", bases)
	}
	if d := plan.Decisions[0]; d.Action != loader.Split || d.SizeBefore != d.SizeAfter {
		t.Errorf("%+v", d)
	}

	dir, err = overflowing(3).Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plan = planFor(t, dir, defaults())
	if plan.Loads || simple(plan.Failure.Class) != "IllegalArgumentException" || plan.Lost.Any() {
		t.Errorf("%v", plan.Failure)
	}
	if d := plan.Decisions[0]; d.Reason != "offset-overflow" || d.Position <= 0 {
		t.Errorf("%+v", d)
	}
}

// An interrupted compaction, by release.
func TestSwapByRelease(t *testing.T) {
	for version, want := range map[string]struct {
		segments int
		end      int64
	}{
		"4.4": {2, 90}, "2.8": {2, 90}, "1.0.0": {2, 90}, "0.9.0": {2, 90},
		// The other segments that went into the .swap file stay.
		"0.8.2": {3, 90},
	} {
		t.Run(version, func(t *testing.T) {
			p := &batchtest.Partition{Topic: "t"}
			merged := batchtest.NewSegment(0)
			for base := int64(0); base < 90; base += 30 {
				s := batchtest.NewSegment(base)
				for o := base; o < base+30; o++ {
					message := batchtest.V0(o, nil, []byte("value"))
					s.Add(message)
					if base < 60 {
						merged.Add(message)
					}
				}
				p.Segments = append(p.Segments, s)
			}
			p.Files = map[string][]byte{"00000000000000000000.log.swap": merged.Data, "00000000000000000000.index.swap": {}}
			dir, err := p.Write(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			o := defaults()
			o.Clean = true
			if o.Version, err = kafkaversion.Parse(version); err != nil {
				t.Fatal(err)
			}
			plan := planFor(t, dir, o)
			if !plan.Loads || len(plan.Segments) != want.segments || plan.LogEnd != want.end || plan.Lost.Any() {
				t.Errorf("%v: segments %v, end %d, lost %+v", plan.Failure, plan.Segments, plan.LogEnd, plan.Lost)
			}
			if plan.Segments[0].Size != int64(len(merged.Data)) {
				t.Errorf("the first segment has %d bytes, the .swap file %d", plan.Segments[0].Size, len(merged.Data))
			}
		})
	}
}
