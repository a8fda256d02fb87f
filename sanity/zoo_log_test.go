package sanity

import (
	"bytes"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

func withProducer(b batchtest.Batch, epoch int16, sequence int32) batchtest.Batch {
	return b.WithProducer(7, epoch, sequence)
}

// two is a partition of two segments with the given batches.
func two(first, second []batchtest.Entry, base int64) *batchtest.Partition {
	return &batchtest.Partition{Topic: "small", IndexInterval: -1, Segments: []*batchtest.Segment{
		batchtest.NewSegment(0, first...), batchtest.NewSegment(base, second...),
	}}
}

func without(t tree, names ...string) {
	for _, n := range names {
		delete(t, dir0+n)
	}
}

func logExhibits() []exhibit {
	type list = []batchtest.Entry
	noEpochs := func(t tree) { without(t, "leader-epoch-checkpoint") }
	size := func(e batchtest.Entry) int64 { return int64(len(e.Append(nil))) }
	one := size(kv(0))
	open := withProducer(kv(1), 0, 0).WithAttributes(batchtest.AttrTransactional)
	strict := Options{CleanupPolicy: PolicyDelete}
	return []exhibit{
		{code: EpochDecreased, name: "falls", tree: built(of(kv(0).WithEpoch(3), kv(1).WithEpoch(1), kv(2).WithEpoch(3)), noEpochs),
			file: seg0 + ".log", position: one, slot: -1, severity: Warning, quiet: true},
		{code: EpochDecreased, name: "rises and falls back", tree: built(of(kv(0), kv(1).WithEpoch(5), kv(2)), noEpochs),
			file: seg0 + ".log", position: one, slot: -1, severity: Warning, quiet: true},
		{code: EpochDecreased, name: "falls in the next segment", tree: built(two(list{kv(0).WithEpoch(4)}, list{kv(1).WithEpoch(2), kv(2).WithEpoch(4)}, 1), noEpochs),
			file: dir0 + "00000000000000000001.log", position: 0, slot: -1, severity: Warning, quiet: true},

		{code: LogTooLarge, name: "zeros", tree: built(of(kv(0)), nil), sizes: map[string]int64{seg0 + ".log": 1 << 31},
			file: seg0 + ".log", position: 1<<31 - 1, slot: -1, severity: Error},
		{code: LogTooLarge, name: "older segment", tree: built(two(list{kv(0)}, list{kv(1)}, 1), nil), sizes: map[string]int64{seg0 + ".log": 3 << 30},
			file: seg0 + ".log", position: 1<<31 - 1, slot: -1, severity: Error},
		{code: LogTooLarge, name: "no batch", tree: built(of(), nil), sizes: map[string]int64{seg0 + ".log": 1<<31 + 1},
			file: seg0 + ".log", position: 1<<31 - 1, slot: -1, severity: Error},

		{code: OffsetBelowBase, name: "first batch", tree: built(of(kv(0), kv(1)), func(t tree) {
			without(t, "00000000000000000000.index", "00000000000000000000.timeindex", "00000000000000000002.snapshot")
			t[dir0+"00000000000000000005.log"] = t[seg0+".log"]
			delete(t, seg0+".log")
		}), file: dir0 + "00000000000000000005.log", position: 0, slot: -1, severity: Error},
		{code: OffsetBelowBase, name: "negative", tree: built(of(kv(0), kv(-7), kv(1)), nil), file: seg0 + ".log", position: one, slot: -1, severity: Error},
		{code: OffsetBelowBase, name: "second segment", tree: built(two(list{kv(0), kv(1)}, list{kv(1), kv(2)}, 2), nil),
			file: dir0 + "00000000000000000002.log", position: 0, slot: -1, severity: Error},

		{code: OffsetOverlapsNextSegment, name: "by one", tree: built(two(list{kv(0), kv(1), kv(2)}, list{kv(3)}, 2), nil),
			file: seg0 + ".log", position: 2 * one, slot: -1, severity: Error},
		{code: OffsetOverlapsNextSegment, name: "all", tree: built(two(list{kv(5), kv(6)}, list{kv(7)}, 3), nil),
			file: seg0 + ".log", position: 0, slot: -1, severity: Error},
		{code: OffsetOverlapsNextSegment, name: "within a batch", tree: built(two(list{batchtest.NewBatch(0, at, batchtest.KV("a", ""), batchtest.KV("b", ""), batchtest.KV("c", ""))}, list{kv(3)}, 2), nil),
			file: seg0 + ".log", position: 0, slot: -1, severity: Error},

		{code: OffsetGap, name: "one offset", tree: built(of(kv(0), kv(2)), nil), file: seg0 + ".log", position: one, slot: -1, severity: Info, quiet: true},
		{code: OffsetGap, name: "policy delete", options: strict, tree: built(of(kv(0), kv(2)), nil), file: seg0 + ".log", position: one, slot: -1, severity: Warning, quiet: true},
		{code: OffsetGap, name: "between segments", options: strict, tree: built(two(list{kv(0)}, list{kv(5)}, 5), nil), file: dir0 + "00000000000000000005.log", position: 0, slot: -1, severity: Warning, quiet: true},

		{code: ProducerEpochDecreased, name: "data", tree: built(of(withProducer(kv(0), 5, 0), withProducer(kv(1), 4, 0)), nil),
			file: seg0 + ".log", position: one, slot: -1, severity: Warning},
		{code: ProducerEpochDecreased, name: "marker", tree: built(of(withProducer(kv(0), 5, 0).WithAttributes(batchtest.AttrTransactional), batchtest.Marker(1, at, 7, 4, true, 0)), nil),
			file: seg0 + ".log", position: one, slot: -1, severity: Warning},
		{code: ProducerEpochDecreased, name: "next segment", tree: built(two(list{withProducer(kv(0), 2, 0)}, list{withProducer(kv(1), 1, 1)}, 1), nil),
			file: dir0 + "00000000000000000001.log", position: 0, slot: -1, severity: Warning},

		{code: SequenceGap, name: "one missing", tree: built(of(withProducer(kv(0), 0, 0), withProducer(kv(1), 0, 2)), nil), file: seg0 + ".log", position: one, slot: -1, severity: Info, quiet: true},
		{code: SequenceGap, name: "policy delete", options: strict, tree: built(of(withProducer(kv(0), 0, 0), withProducer(kv(1), 0, 9)), nil), file: seg0 + ".log", position: one, slot: -1, severity: Warning, quiet: true},
		{code: SequenceGap, name: "over the wrap", tree: built(of(withProducer(kv(0), 0, 1<<31-1), withProducer(kv(1), 0, 1)), nil), file: seg0 + ".log", position: one, slot: -1, severity: Info, quiet: true},
		{code: SequenceRepeated, name: "twice", tree: built(of(withProducer(kv(0), 0, 0), withProducer(kv(1), 0, 0)), nil), file: seg0 + ".log", position: one, slot: -1, severity: Info, quiet: true},
		{code: SequenceRepeated, name: "restart", options: strict, tree: built(of(withProducer(kv(0), 0, 40), withProducer(kv(1), 0, 0)), nil), file: seg0 + ".log", position: one, slot: -1, severity: Warning, quiet: true},
		{code: SequenceRepeated, name: "later", tree: built(of(withProducer(kv(0), 0, 3), kv(1), withProducer(kv(2), 0, 2)), nil), file: seg0 + ".log", position: one * 2, slot: -1, severity: Info, quiet: true},

		{code: TransactionOpen, name: "no marker", tree: built(of(kv(0), open), nil), file: seg0 + ".log", position: one, slot: -1, severity: Info, quiet: true},
		{code: TransactionOpen, name: "marker of another", tree: built(of(open, batchtest.Marker(2, at, 8, 0, true, 0)), nil), file: seg0 + ".log", position: 0, slot: -1, severity: Info, quiet: true},
		{code: TransactionOpen, name: "begun again", tree: small(nil), file: seg8 + ".log", position: 0, slot: -1, severity: Info, quiet: true},

		// A broker that writes: at most info. Without one, by segment.
		{code: LogTornTail, name: "newest", tree: small(func(t tree) { t[seg8+".log"] = t[seg8+".log"][:len(t[seg8+".log"])-3] }), file: seg8 + ".log",
			position: size(batchtest.NewBatch(8, at, batchtest.KV("g", "7"), batchtest.KV("h", "8"))), slot: -1, severity: Warning, quiet: true},
		{code: LogTornTail, name: "newest, closed cleanly", targets: []string{"data"}, tree: logDir("data", small(func(t tree) { t[seg8+".log"] = t[seg8+".log"][:len(t[seg8+".log"])-3] }), tree{".kafka_cleanshutdown": nil}),
			position: size(batchtest.NewBatch(8, at, batchtest.KV("g", "7"), batchtest.KV("h", "8"))), slot: -1, severity: Error, quiet: true},
		{code: LogTornTail, name: "older", tree: small(func(t tree) { t[seg0+".log"] = t[seg0+".log"][:len(t[seg0+".log"])-3] }), file: seg0 + ".log",
			position: int64(len(smallV2().Segments[0].Data)) - size(batchtest.Marker(7, at, 8, 1, true, 3)), slot: -1, severity: Error, quiet: true},
		{code: LogZeroTail, name: "newest", tree: small(func(t tree) { t[seg8+".log"] = append(bytes.Clone(t[seg8+".log"]), make([]byte, 500)...) }), file: seg8 + ".log",
			position: int64(len(smallV2().Segments[1].Data)), slot: -1, severity: Warning, quiet: true},
		{code: LogZeroTail, name: "older", tree: small(func(t tree) { t[seg0+".log"] = append(bytes.Clone(t[seg0+".log"]), make([]byte, 500)...) }), file: seg0 + ".log",
			position: int64(len(smallV2().Segments[0].Data)), slot: -1, severity: Error, quiet: true},
		{code: LogZeroTail, name: "nothing but zeros", tree: tree{seg0 + ".log": make([]byte, 500), seg0 + ".index": nil, seg0 + ".timeindex": nil}, file: seg0 + ".log",
			position: 0, slot: -1, severity: Warning, quiet: true},
	}
}
