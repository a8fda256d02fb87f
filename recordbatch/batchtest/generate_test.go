package batchtest

import (
	"bytes"
	"fmt"
	"math"
	"testing"
)

// profiles are those that franz-go can read: it refuses the lz4 frames of v0.
func profiles() map[string]Profile {
	wildOld, wildNew := Wild(), Wild()
	wildOld.Codecs = []Codec{None, Gzip, Snappy, Zstd}
	wildNew.Magics = []int8{1, 2, 2}
	legacy := Legacy()
	legacy.Codecs = []Codec{None, Gzip, Snappy}
	return map[string]Profile{
		"wild with v0": wildOld, "wild": wildNew, "plain": Plain(), "compressed": Compressed(),
		"transactional": Transactional(), "compacted": Compacted(), "legacy": legacy,
	}
}

func TestFranzReadsGenerated(t *testing.T) {
	for name, p := range profiles() {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(12) {
				franzAgrees(t, Generate(seed, p))
				if t.Failed() {
					t.Fatal("seed", seed)
				}
			}
		})
	}
}

func TestGenerateRepeatsItself(t *testing.T) {
	for seed := range uint64(8) {
		a, b, c := Generate(seed, Wild()), Generate(seed, Wild()), Generate(seed+1000, Wild())
		if !bytes.Equal(a.Data, b.Data) {
			t.Errorf("seed %d: bytes differ the second time", seed)
		}
		if diff := difference(a.Layout, b.Layout); diff != "" {
			t.Errorf("seed %d: %s", seed, diff)
		}
		if bytes.Equal(a.Data, c.Data) {
			t.Errorf("seed %d: another seed gives the same bytes", seed)
		}
	}
}

// What a checker relies on holds in every generated segment.
func TestGeneratedIsLegal(t *testing.T) {
	for name, p := range profiles() {
		for seed := range uint64(20) {
			if fault := firstFault(&Generate(seed, p).Layout); fault != "" {
				t.Errorf("%s, seed %d: %s", name, seed, fault)
			}
		}
	}
}

// The segments of a partition follow each other, and so do producers.
func TestGeneratedPartitionIsLegal(t *testing.T) {
	running := 0
	for seed := range uint64(10) {
		p := GeneratePartition(seed, Compacted(), 3)
		whole := Layout{BaseOffset: p.Segments[0].Layout.BaseOffset}
		var producers Producers
		for i, s := range p.Segments {
			if i > 0 && s.Layout.BaseOffset != p.Segments[i-1].Layout.NextOffset() {
				t.Errorf("seed %d: segment %d does not follow", seed, i)
			}
			if fault := firstFault(&s.Layout); i == 0 && fault != "" {
				t.Errorf("seed %d: %s", seed, fault)
			}
			for b := range s.Layout.All() {
				producers.Append(b)
				whole.Batches = append(whole.Batches, *b)
			}
			for _, e := range producers.Entries() {
				if i < 2 && e.CurrentTxnFirstOffset >= 0 {
					running++
				}
			}
		}
		if fault := sequenceFault(&whole); fault != "" {
			t.Errorf("seed %d: %s", seed, fault)
		}
	}
	if running == 0 {
		t.Error("no transaction runs on into the next segment")
	}
}

func firstFault(l *Layout) string {
	next, position, epoch := l.BaseOffset, int64(0), int32(-1)
	for i := range l.Batches {
		b := &l.Batches[i]
		fail := func(what string) string { return fmt.Sprintf("batch %d at offset %d: %s", i, b.BaseOffset, what) }
		if b.BaseOffset < next || b.LastOffset < b.BaseOffset || b.LastOffset-l.BaseOffset > math.MaxInt32 {
			return fail(fmt.Sprintf("offsets %d to %d, expected from %d on", b.BaseOffset, b.LastOffset, next))
		}
		if b.Position != position {
			return fail("position")
		}
		if b.LeaderEpoch >= 0 && b.LeaderEpoch < epoch {
			return fail("leader epoch falls")
		}
		last, largest := b.BaseOffset-1, int64(-1)
		for _, r := range b.Records {
			if r.Offset <= last || r.Offset > b.LastOffset {
				return fail("record offsets")
			}
			last, largest = r.Offset, max(largest, r.Timestamp)
		}
		if len(b.Records) > 0 && b.MaxTimestamp != largest {
			return fail(fmt.Sprintf("largest timestamp %d, of the records %d", b.MaxTimestamp, largest))
		}
		next, position, epoch = b.LastOffset+1, b.End(), max(epoch, b.LeaderEpoch)
	}
	return sequenceFault(l)
}

// sequenceFault checks producer epochs, sequences, and that a transaction's
// batches stay between its first batch and its marker.
func sequenceFault(l *Layout) string {
	type state struct {
		epoch int16
		next  int32
		open  bool
	}
	producers := map[int64]*state{}
	for i := range l.Batches {
		b := &l.Batches[i]
		if b.ProducerID < 0 {
			continue
		}
		p := producers[b.ProducerID]
		if p == nil {
			p = &state{b.ProducerEpoch, max(b.BaseSequence, 0), false}
			producers[b.ProducerID] = p
		}
		if b.ProducerEpoch < p.epoch {
			return fmt.Sprintf("batch %d: producer epoch falls", i)
		}
		if b.ProducerEpoch > p.epoch {
			p.epoch, p.next = b.ProducerEpoch, 0
		}
		if b.Control() {
			if !p.open {
				return fmt.Sprintf("batch %d: marker without a transaction", i)
			}
			p.open = false
			continue
		}
		if b.BaseSequence != p.next {
			return fmt.Sprintf("batch %d: sequence %d, expected %d", i, b.BaseSequence, p.next)
		}
		if p.open && !b.Transactional() {
			return fmt.Sprintf("batch %d: not part of the open transaction", i)
		}
		p.next, p.open = addSequence(b.LastSequence, 1), b.Transactional()
	}
	return ""
}

// A wild segment is no use if some feature never comes up.
func TestWildHasEverything(t *testing.T) {
	found := map[string]bool{}
	for seed := range uint64(40) {
		s := Generate(seed, Wild())
		var producers Producers
		for i := range s.Layout.Batches {
			b := &s.Layout.Batches[i]
			producers.Append(b)
			kind, marker := b.MarkerType()
			_, horizon := b.DeleteHorizon()
			for feature, has := range map[string]bool{
				fmt.Sprintf("magic %d %s", b.Magic, b.Codec()): true,
				"log append time v1":                           b.Magic == 1 && b.LogAppendTime(),
				"log append time v2":                           b.Magic == 2 && b.LogAppendTime(),
				"commit":                                       marker && kind == ControlCommit,
				"abort":                                        marker && kind == ControlAbort,
				"unknown control":                              marker && kind >= 100,
				"empty batch":                                  b.Count == 0,
				"gap inside":                                   b.Magic == 2 && int64(b.Count) <= b.LastOffset-b.BaseOffset,
				"delete horizon":                               horizon && !b.Control(),
				"marker with horizon":                          horizon && b.Control(),
				"idempotent":                                   b.ProducerID >= 0 && !b.Transactional(),
				"sequence wraps":                               b.BaseSequence >= 0 && b.LastSequence < b.BaseSequence,
				"no timestamps":                                b.Magic == 2 && b.Count > 0 && b.MaxTimestamp == -1,
				"huge":                                         b.Size > 50_000,
				"one record":                                   b.Count == 1,
				"far from base":                                b.LastOffset-s.Layout.BaseOffset == math.MaxInt32,
				"offset past 2^53":                             b.BaseOffset > 1<<53,
				"leader epoch rises":                           b.LeaderEpoch > 2,
			} {
				found[feature] = found[feature] || has
			}
		}
		open := 0
		for _, e := range producers.Entries() {
			if e.CurrentTxnFirstOffset >= 0 {
				open++
			}
		}
		found["several open at the end"] = found["several open at the end"] || open > 1
		for _, a := range producers.Aborted {
			held := a.LastStableOffset <= a.LastOffset
			found["aborted while another is open"] = found["aborted while another is open"] || held
		}
	}
	if n := 5 + 4 + 4; len(found) < n+19 {
		t.Errorf("only %d features looked at", len(found))
	}
	for feature, has := range found {
		if !has {
			t.Errorf("no %s in 40 segments", feature)
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	for name, p := range map[string]Profile{"wild": Wild(), "plain": Plain()} {
		b.Run(name, func(b *testing.B) {
			bytes, seed := 0, uint64(0)
			for b.Loop() {
				bytes += len(Generate(seed%100, p).Data)
				seed++
			}
			b.SetBytes(int64(bytes / b.N))
		})
	}
}
