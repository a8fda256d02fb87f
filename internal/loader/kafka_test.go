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

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/oracle"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// kafka is a release that loads a copy of a partition directory.
type kafka struct {
	loads interface {
		Load(dir string, opts oracle.LoadOpts) *oracle.Loaded
	}
	version kafkaversion.Version
	// Of every so many questions one is asked; 0 and 1 all of them.
	every, turn, count int
}

// defaults have small indexes where there are many releases to ask.
func (k *kafka) defaults() loader.Options {
	o := defaults()
	if k.every > 0 {
		o.MaxIndexSize = 1 << 16
	}
	return o
}

// asks says whether the next question is one for this release.
func (k *kafka) asks() bool {
	k.count++
	return k.every < 2 || k.count%k.every == k.turn%k.every
}

// share is the part of n questions that is asked at least.
func (k *kafka) share(n int) int { return n / max(1, k.every) }

// fit makes a profile one of batches that the release knows.
func (k *kafka) fit(p batchtest.Profile) batchtest.Profile {
	if k.version.Before(0, 11) {
		p = batchtest.Legacy()
	}
	if k.version.Before(0, 10) {
		p.Magics = []int8{0}
	}
	if k.version.Before(0, 8, 2) {
		p.Codecs = []batchtest.Codec{batchtest.None, batchtest.Gzip, batchtest.Snappy}
	}
	return p
}

func latest(t *testing.T) *kafka { return &kafka{loads: oracle.Open(t), version: kafkaversion.Latest} }

// judge compares the plan for a directory with what Kafka's loader does on a
// copy: whether it loads or which exception it throws, the offsets, the
// segments with their sizes, and the names of the files that go and come.
func judge(t *testing.T, k *kafka, name, dir string, o loader.Options) *loader.Plan {
	t.Helper()
	listed, err := logdir.OpenPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	o.Version = k.version
	plan, err := loader.Partition(context.Background(), listed, o)
	if err != nil && !errors.Is(err, recordbatch.ErrDecompressLimit) {
		t.Fatalf("%s: %v", name, err)
	}
	want := k.loads.Load(dir, oracle.LoadOpts{
		LogOpts: oracle.LogOpts{IndexInterval: oracle.Bytes(int(o.Interval)), MaxIndexSize: o.MaxIndexSize},
		Clean:   o.Clean, RecoveryPoint: o.RecoveryPoint, LogStartOffset: o.LogStart,
	})
	if err != nil { // "can't be said": a record of more bytes than anyone wants to hold
		if !want.Failure.IsA("OutOfMemoryError") {
			t.Errorf("%s: %v; Kafka %v", name, err, want.Failure)
		}
		return nil
	}
	if k.version.Before(0, 10, 2) && want.Failure.IsA("OutOfMemoryError") {
		return nil // whatever a length claims is allocated: what happens depends on the heap
	}
	if plan.Loads != want.Loaded {
		t.Errorf("%s: loads %v (%v), Kafka %v (%v)", name, plan.Loads, plan.Failure, want.Loaded, want.Failure)
		return plan
	}
	changes := want.ChangesByLoad
	if !want.Loaded {
		if !k.sameClass(plan.Failure, want.Failure) {
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
	if d := k.difference(plan.Removed, changes.Removed); d != "" {
		t.Errorf("%s: removed, unlike Kafka: %s", name, d)
	}
	if d := k.difference(plan.Added, added); d != "" {
		t.Errorf("%s: added, unlike Kafka: %s", name, d)
	}
	return plan
}

// sameClass compares exceptions by their classes. Where an IOException is the
// cause of a KafkaStorageException the plan names the former, but for releases
// to which that makes a difference.
func (k *kafka) sameClass(ours *indexfile.KafkaError, theirs *oracle.Error) bool {
	differ := !k.version.Before(1) && k.version.Before(3, 2)
	if cause := theirs.Cause; cause != nil && theirs.IsA("KafkaStorageException") && !differ {
		theirs = cause
	}
	return ours.Class == theirs.Class
}

// difference lists what is in one of two lists alone: "+" in ours, "-" in
// theirs.
func (k *kafka) difference(ours, theirs []string) string {
	var out []string
	only := func(sign string, some, others []string) {
		for _, name := range some {
			if !slices.Contains(others, name) {
				out = append(out, sign+name)
			}
		}
	}
	only("+", ours, theirs)
	only("-", theirs, ours)
	return strings.Join(out, " ")
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
func TestKafkaLoadsDamagedLogs(t *testing.T) { loadsDamagedLogs(t, latest(t)) }

func loadsDamagedLogs(t *testing.T, k *kafka) {
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
				if !k.asks() {
					continue
				}
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
	if n < k.share(150) {
		t.Errorf("only %d cases", n)
	}
}

// Damaged indexes, snapshots and checkpoints, after a clean and an unclean
// stop.
func TestKafkaLoadsDamagedIndexes(t *testing.T) { loadsDamagedIndexes(t, latest(t)) }

func loadsDamagedIndexes(t *testing.T, k *kafka) {
	n := 0
	damages := slices.Concat(batchtest.IndexDamages(), batchtest.TimeIndexDamages(), batchtest.TxnIndexDamages(), batchtest.SnapshotDamages())
	for seed, d := range damages {
		if k.version.Before(0, 11) && (strings.Contains(d.File, "txn") || strings.Contains(d.File, "snapshot")) {
			continue
		}
		profile := batchtest.Plain()
		if strings.Contains(d.File, "txn") || strings.Contains(d.File, "snapshot") {
			profile = batchtest.Transactional()
		}
		profile = k.fit(profile)
		p := batchtest.GeneratePartition(uint64(seed), profile, 3)
		p.IndexInterval = -1
		for nth := range p.Segments {
			dir := write(t, p, nth, d)
			if dir == "" {
				continue
			}
			for _, clean := range []bool{true, false} {
				if !k.asks() {
					continue
				}
				o := defaults()
				o.Interval, o.Clean, o.MaxIndexSize = 0, clean, 1<<16
				o.RecoveryPoint = p.NextOffset()
				judge(t, k, fmt.Sprintf("%s of segment %d, clean %v", d.Name, nth, clean), dir, o)
				n++
			}
		}
	}
	if n < k.share(100) {
		t.Errorf("only %d cases", n)
	}
}

// Whatever is done to a partition, and whatever the checkpoints say, the
// loader does what was foretold.
func TestKafkaLoadsMess(t *testing.T) { loadsMess(t, latest(t)) }

func loadsMess(t *testing.T, k *kafka) {
	profiles := []batchtest.Profile{batchtest.Plain(), batchtest.Transactional(), batchtest.Compacted(), batchtest.Wild(), batchtest.Legacy()}
	n, loads, loses := 0, 0, 0
	const seeds = 400
	for seed := range uint64(seeds) {
		if !k.asks() {
			continue
		}
		n++
		rnd := rand.New(rand.NewPCG(seed, 99))
		profile := k.fit(profiles[rnd.IntN(len(profiles))])
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
	if n < k.share(seeds) || loads < n/2 || loads == seeds || loses < n/12 {
		t.Errorf("%d of %d load, %d lose something", loads, n, loses)
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
func TestKafkaLoadsZoo(t *testing.T) { loadsZoo(t, latest(t)) }

func loadsZoo(t *testing.T, k *kafka) {
	cases := zoo(t)
	for _, c := range unrecorded() {
		cases[c.name] = c
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		for _, clean := range []bool{false, true} {
			if !k.asks() {
				continue
			}
			o := k.defaults()
			o.Clean = clean
			judge(t, k, fmt.Sprintf("%s, clean %v", name, clean), c.build(t), o)
		}
	}
}

// Real partitions of all releases, as they were left.
func TestKafkaLoadsCaptures(t *testing.T) { loadsCaptures(t, latest(t)) }

func loadsCaptures(t *testing.T, k *kafka) {
	for p := range fixture.Partitions(t) {
		if p.Topic() == "__cluster_metadata" || p.Kind != fixture.Closed && k.every > 0 || !k.asks() {
			continue
		}
		o := k.defaults()
		o.Clean = p.Kind == fixture.Closed
		judge(t, k, p.String(), p.Copy(t), o)
	}
}

// Small files with something wrong.
func TestKafkaLoadsStateFiles(t *testing.T) { loadsStateFiles(t, latest(t)) }

func loadsStateFiles(t *testing.T, k *kafka) {
	p := batchtest.GeneratePartition(1, batchtest.Plain(), 1)
	for name, contents := range map[string][]string{
		"leader-epoch-checkpoint": {"", "0", "0\n", "1\n0\n", "x\n", "0\nx\n", "0\n1\n", "0\n1\n0 x\n", "0\n1\n0 0 0\n", "0\n1\n0 0\n1 1\n", "0\n1\n0 0", "0\n-1\n", "0\n1\n99999999999 0\n", "0\n1\n\xff\xff 0\n", "0\n1\n\n", "0\n0\n\n"},
		"partition.metadata":      {"", "version: 0\n", "version: 1\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n", "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n", "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA\n", "version: x\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n", "version: 0\ntopic_id: !\n", "version: 0\ntopic_id: AAAA\n", "nothing\n", "version: 0\nid: AAAAAAAAAAAAAAAAAAAAAQ\n"},
	} {
		for _, content := range contents {
			if k.version.Before(2, 8) && name == "partition.metadata" {
				continue
			}
			p.Files = map[string][]byte{name: []byte(content)}
			dir, err := p.Write(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			o := defaults()
			o.MaxIndexSize, o.Clean = 1<<16, true
			judge(t, k, fmt.Sprintf("%s: %q", name, content), dir, o)
		}
	}
}
