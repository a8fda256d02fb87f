//go:build kafka

package loader_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/oracle"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// judge compares the plan for a directory with what Kafka's loader does on a
// copy: whether it loads or which exception it throws, the offsets, the
// segments with their sizes, and the names of the files that go and come.
func judge(t *testing.T, k *oracle.Client, name, dir string, o loader.Options) *loader.Plan {
	t.Helper()
	listed, err := logdir.OpenPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := loader.Partition(context.Background(), listed, o)
	if err != nil && !errors.Is(err, recordbatch.ErrDecompressLimit) {
		t.Fatalf("%s: %v", name, err)
	}
	want := k.Load(dir, oracle.LoadOpts{
		LogOpts: oracle.LogOpts{IndexInterval: oracle.Bytes(int(o.Interval)), MaxIndexSize: o.MaxIndexSize},
		Clean:   o.Clean, RecoveryPoint: o.RecoveryPoint, LogStartOffset: o.LogStart,
	})
	if err != nil { // "can't be said": a record of more bytes than anyone wants to hold
		if !want.Failure.IsA("OutOfMemoryError") {
			t.Errorf("%s: %v; Kafka %v", name, err, want.Failure)
		}
		return nil
	}
	if plan.Loads != want.Loaded {
		t.Errorf("%s: loads %v (%v), Kafka %v (%v)", name, plan.Loads, plan.Failure, want.Loaded, want.Failure)
		return plan
	}
	changes := want.ChangesByLoad
	if !want.Loaded {
		if plan.Failure.Class != want.Failure.Class {
			t.Errorf("%s: throws %v, Kafka %v", name, plan.Failure, want.Failure)
		}
		changes = want.Changes
	} else {
		if plan.LogStart != want.LogStartOffset || plan.LogEnd != want.LogEndOffset {
			t.Errorf("%s: offsets %d to %d, Kafka %d to %d", name, plan.LogStart, plan.LogEnd, want.LogStartOffset, want.LogEndOffset)
		}
		var segments []loader.Segment
		for _, s := range want.Segments {
			segments = append(segments, loader.Segment{BaseOffset: s.Base, Size: s.Size})
		}
		if !slices.Equal(plan.Segments, segments) {
			t.Errorf("%s: segments %v, Kafka %v", name, plan.Segments, segments)
		}
	}
	var added []string
	for _, f := range changes.Added {
		added = append(added, f.Name)
	}
	slices.Sort(added)
	removed := slices.Sorted(slices.Values(changes.Removed))
	if !slices.Equal(plan.Removed, removed) || !slices.Equal(plan.Added, added) {
		t.Errorf("%s: removed %v, Kafka %v\n\tadded %v, Kafka %v", name, plan.Removed, removed, plan.Added, added)
	}
	return plan
}

// write makes a partition with one segment damaged.
func write(t *testing.T, p *batchtest.Partition, nth int, d batchtest.Damage) string {
	t.Helper()
	files := p.Build()
	s := p.Segments[nth]
	name := batchtest.FileName(s.Layout.BaseOffset, d.File)
	data, there := files[name]
	if !there || strings.HasSuffix(d.File, "index") && len(data) < 8*34 {
		return "" // damages of indexes hit the fourth slot
	}
	out, _ := d.Apply(data, &s.Layout)
	p.Files = map[string][]byte{name: out}
	dir, err := p.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p.Files = nil
	return dir
}

// Every damage to a log, in every segment of a partition.
func TestKafkaLoadsDamagedLogs(t *testing.T) {
	k := oracle.Open(t)
	n := 0
	profiles := map[string]batchtest.Profile{"plain": batchtest.Plain(), "compressed": batchtest.Compressed()}
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		profile := profiles[name]
		profile.Batches = 24
		for seed, d := range append(batchtest.LogDamages(), batchtest.HostileDamages()...) {
			if name == "compressed" && d.File == ".log" && seed%4 > 0 {
				continue
			}
			p := batchtest.GeneratePartition(uint64(seed), profile, 3)
			for nth := range p.Segments {
				dir := write(t, p, nth, d)
				if dir == "" {
					continue
				}
				o := defaults()
				o.Interval, o.MaxIndexSize = []int64{0, 500, 4096}[(seed+nth)%3], 1<<16
				judge(t, k, fmt.Sprintf("%s, %s in segment %d", name, d.Name, nth), dir, o)
				n++
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d cases", n)
	}
}

// Damaged indexes, snapshots and checkpoints, after a clean and an unclean
// stop.
func TestKafkaLoadsDamagedIndexes(t *testing.T) {
	k := oracle.Open(t)
	n := 0
	damages := slices.Concat(batchtest.IndexDamages(), batchtest.TimeIndexDamages(), batchtest.TxnIndexDamages(), batchtest.SnapshotDamages())
	for seed, d := range damages {
		profile := batchtest.Plain()
		if strings.Contains(d.File, "txn") || strings.Contains(d.File, "snapshot") {
			profile = batchtest.Transactional()
		}
		p := batchtest.GeneratePartition(uint64(seed), profile, 3)
		p.IndexInterval = -1
		for nth := range p.Segments {
			dir := write(t, p, nth, d)
			if dir == "" {
				continue
			}
			for _, clean := range []bool{true, false} {
				o := defaults()
				o.Interval, o.Clean, o.MaxIndexSize = 0, clean, 1<<16
				o.RecoveryPoint = p.NextOffset()
				judge(t, k, fmt.Sprintf("%s of segment %d, clean %v", d.Name, nth, clean), dir, o)
				n++
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d cases", n)
	}
}

// Whatever is done to a partition, and whatever the checkpoints say, the
// loader does what was foretold.
func TestKafkaLoadsMess(t *testing.T) {
	k := oracle.Open(t)
	profiles := []batchtest.Profile{batchtest.Plain(), batchtest.Transactional(), batchtest.Compacted(), batchtest.Wild(), batchtest.Legacy()}
	loads, loses := 0, 0
	const seeds = 400
	for seed := range uint64(seeds) {
		rnd := rand.New(rand.NewPCG(seed, 99))
		profile := profiles[rnd.IntN(len(profiles))]
		profile.Batches, profile.Huge, profile.BaseOffset = 4+rnd.IntN(20), 0, 0
		p := batchtest.GeneratePartition(seed, profile, 1+rnd.IntN(5))
		p.IndexInterval = []int64{-1, 500, 4096}[rnd.IntN(3)]
		dir, err := p.Write(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		m := &mess{t: t, rnd: rnd, dir: dir}
		for range rnd.IntN(5) {
			m.step()
		}
		o := defaults()
		o.Interval, o.MaxIndexSize = max(0, p.IndexInterval), 1<<16
		o.Clean = rnd.IntN(3) == 0
		switch rnd.IntN(3) {
		case 0:
			o.RecoveryPoint = rnd.Int64N(p.NextOffset() + 50)
		case 1:
			o.RecoveryPoint = p.NextOffset()
		}
		if rnd.IntN(4) == 0 {
			o.LogStart = rnd.Int64N(p.NextOffset() + 20)
		}
		plan := judge(t, k, fmt.Sprintf("seed %d: clean %v, recovery point %d, start %d: %s", seed, o.Clean, o.RecoveryPoint, o.LogStart, strings.Join(m.done, "; ")), dir, o)
		if plan != nil && plan.Loads {
			loads++
		}
		if plan != nil && plan.Lost.Any() {
			loses++
		}
	}
	if loads < seeds/2 || loads > seeds*19/20 || loses < seeds/10 {
		t.Errorf("%d of %d load, %d lose something", loads, seeds, loses)
	}
}

// unrecorded are further cases, of which there is no record of what Kafka did.
func unrecorded() []zooCase {
	return []zooCase{
		{name: "epochs-negative", topic: "codec-none-0", ext: "leader-epoch-checkpoint", change: func([]byte, string) []byte { return []byte("0\n2\n0 0\n-3 5\n") }},
		{name: "epochs-negative-start", topic: "codec-none-0", ext: "leader-epoch-checkpoint", change: func([]byte, string) []byte { return []byte("0\n1\n0 -5\n") }},
		{name: "epochs-negative-and-garbage", topic: "codec-none-0", ext: "leader-epoch-checkpoint", change: func([]byte, string) []byte { return []byte("0\n2\n-1 0\nx 5\n") }},
		{name: "index-last-position-negative", topic: "many-0", ext: ".index", nth: 4, change: onEntries(8, entry(-1, 4, 4, set(-5)))},
		{name: "index-last-entry-of-noise", topic: "many-0", ext: ".index", nth: 4, change: onEntries(8, func(e [][]byte, _ string) { copy(e[len(e)-1], "\x6a\x00\x00\x01\xbe\x00\x00\x0a") })},
	}
}

// The captured damages again, with the loader at hand.
func TestKafkaLoadsZoo(t *testing.T) {
	k := oracle.Open(t)
	cases := zoo(t)
	for _, c := range unrecorded() {
		cases[c.name] = c
	}
	for name, c := range cases {
		for _, clean := range []bool{false, true} {
			o := defaults()
			o.Clean = clean
			judge(t, k, fmt.Sprintf("%s, clean %v", name, clean), c.build(t), o)
		}
	}
}

// Real partitions of all releases, as they were left.
func TestKafkaLoadsCaptures(t *testing.T) {
	k := oracle.Open(t)
	for p := range fixture.Partitions(t) {
		if p.Topic() == "__cluster_metadata" {
			continue
		}
		o := defaults()
		o.Clean = p.Kind == fixture.Closed
		judge(t, k, p.String(), p.Copy(t), o)
	}
}
