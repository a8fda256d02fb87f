package sanity

import (
	"bytes"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

func logPains() []pain {
	data := batchtest.NewSegment(0, g(4)...).Data
	short := data[:354] // three batches
	behind := func(e ...batchtest.Entry) func(tree) {
		return replaced(logFile, batchtest.NewSegment(0, append(g(3), e...)...).Data)
	}
	other := gBatch(3, 2, at+1000)
	other.Records[0].Value = []byte("otherwise!")
	zeroTail := func(n int) func(tree) { return replaced(logFile, append(bytes.Clone(short), make([]byte, n)...)) }
	const zeros = "log-zero-tail warning " + logFile + " 354 -1"

	v1 := []batchtest.Entry{batchtest.V1(0, at, []byte("k"), []byte("one")), batchtest.V1(1, at, []byte("k"), []byte("two"))}
	v1Size := len(v1[0].Append(nil))
	badCRC := uint32(1)
	inner := batchtest.V1(1, at, []byte("k"), []byte("two"))
	inner.CRC = &badCRC
	wrapped := batchtest.NewWrapper(1, batchtest.Gzip, batchtest.Compression{Stored: true}, batchtest.V1(0, at, nil, []byte("one")), inner)

	split := two(g(2), []batchtest.Entry{gBatch(5, 4, at+2000), gBatch(9, 1, at+1500)}, 5)
	gaps := batchtest.NewBatch(0, at, batchtest.KV("a", ""), batchtest.Record{OffsetDelta: 2, Key: []byte("b")}, batchtest.Record{OffsetDelta: 5, Key: []byte("c")})
	gaps.LastOffsetDelta = 7
	future := gBatch(3, 2, 4_102_444_800_000)
	none := batchtest.EmptyBatch(5, 3, at).WithProducer(7, 0, -1).WithAttributes(batchtest.AttrControl | batchtest.AttrTransactional)
	five := pain{exhibit: exhibit{name: "first batch is not at 0", tree: built(&batchtest.Partition{Topic: "small", IndexInterval: -1,
		Segments: []*batchtest.Segment{batchtest.NewSegment(5, gBatch(5, 4, at))}}, nil)}}
	return []pain{
		sick("KAFKA-3919 a batch again", g(3), behind(gBatch(3, 2, at+1000)), "offset-not-increasing error "+logFile+" 354 -1"),
		sick("KAFKA-7866 the offsets again with other values", g(3), behind(other), "offset-not-increasing error "+logFile+" 354 -1"),
		sick("a huge length", g(3), put(logFile, 118+8, 0x7f), "batch-bad-size error "+logFile+" 118 -1"),
		sick("a negative length", g(3), put(logFile, 118+8, 0xff, 0xff, 0xff, 0xff), "batch-bad-size error "+logFile+" 118 -1"),
		sick("a tiny length", g(3), put(logFile, 118+8, 0, 0, 0, 5), "batch-bad-size error "+logFile+" 118 -1"),
		sick("KAFKA-9838 log shorter than its index", g(4), replaced(logFile, data[:300]), "log-torn-tail warning "+logFile+" 217 -1"),
		sick("KAFKA-21000 preallocated log", g(3), zeroTail(4096), zeros),
		sick("KAFKA-13664 zeros shorter than a header", g(3), zeroTail(16), zeros),
		sick("KAFKA-13664 zeros of a length field", g(3), zeroTail(17), zeros),
		sick("KAFKA-5431 zeros of a header", g(3), zeroTail(18), zeros),
		sick("KAFKA-8722 checksum of a v1 message", v1, put(logFile, 2*v1Size-1, 'x'), "batch-crc-mismatch error "+logFile+" 38 -1"),
		sick("KAFKA-8722 checksum of a message in a wrapper", []batchtest.Entry{wrapped}, nil, "batch-crc-mismatch error "+logFile+" 0 -1"),
		sick("KAFKA-5211 a bit of a value", g(3), put(logFile, 118+90, 1), "batch-crc-mismatch error "+logFile+" 118 -1"),
		{exhibit: exhibit{name: "KAFKA-10101 a sound segment behind a bad batch", tree: built(split, put(logFile, 118+90, 1))},
			loud: []string{"batch-crc-mismatch error " + logFile + " 118 -1"}},
		sick("KAFKA-7401 a swap file", g(4), replaced(logFile+".swap", data)).with("file-leftover info " + logFile + ".swap -1 -1"),
		sick("a record of the year 2100", []batchtest.Entry{g(1)[0], future, g(3)[2]}, nil),
		sick("a base offset outside of the checksum", g(3), put(logFile, 118+7, 200), "offset-not-increasing error "+logFile+" 118 -1"),
		sick("a leader epoch outside of the checksum", g(3), put(logFile, 118+15, 99), "epoch-unknown warning "+logFile+" 118 -1"),
		sick("a magic outside of the checksum", g(3), put(logFile, 118+16, 7), "batch-bad-magic error "+logFile+" 118 -1"),
		sick("KAFKA-7467 a control batch without records", []batchtest.Entry{g(2)[0], g(2)[1], none}, nil),
		sick("KAFKA-614 a compacted batch", []batchtest.Entry{gaps}, nil),
		five,
	}
}

func codecPains() []pain {
	coded := func(name string, c batchtest.Codec, how batchtest.Compression, loud ...string) pain {
		return sick(name, []batchtest.Entry{g(1)[0], gBatch(3, 2, at+1000).WithCodec(c, how), gBatch(5, 4, at+2000)}, nil, loud...)
	}
	const failed = "batch-decompress-failed error " + logFile + " 118 -1"
	broken := gBatch(3, 2, at+1000).WithCodec(batchtest.Zstd, batchtest.Compression{})
	broken.Payload = []byte{0x28, 0xb5, 0x2f, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff}
	wrongSum := gBatch(3, 2, at+1000).WithCodec(batchtest.Lz4, batchtest.Compression{})
	frame := batchtest.Compression{Lz4ContentChecksum: true}.Append(nil, batchtest.Lz4, gBatch(3, 2, at+1000).Encode()[batchtest.PosRecords:])
	frame[len(frame)-1] ^= 1
	wrongSum.Payload = frame
	legacy := batchtest.NewWrapper(0, batchtest.Lz4, batchtest.Compression{Lz4BrokenChecksum: true}, batchtest.V0(0, nil, []byte("a")), batchtest.V0(1, nil, []byte("b")))
	newer := batchtest.NewWrapper(1, batchtest.Lz4, batchtest.Compression{}, batchtest.V1(0, at, nil, []byte("a")), batchtest.V1(1, at, nil, []byte("b")))
	around := func(b batchtest.Batch) []batchtest.Entry {
		return []batchtest.Entry{g(1)[0], b, gBatch(5, 4, at+2000)}
	}
	// Raw snappy whose first byte is that of the framed form: 130 bytes.
	long := batchtest.NewBatch(3, at+1000, batchtest.KV("", string(make([]byte, 120))))
	for n := 121; len(long.Encode()) < batchtest.PosRecords+130; n++ {
		long = batchtest.NewBatch(3, at+1000, batchtest.KV("", string(make([]byte, n))))
	}
	long = long.WithCodec(batchtest.Snappy, batchtest.Compression{SnappyRaw: true})
	return []pain{
		sick("KAFKA-3160 lz4 of a v0 wrapper", []batchtest.Entry{legacy}, nil),
		sick("KAFKA-3160 lz4 of a v1 wrapper", []batchtest.Entry{newer}, nil),
		// No version of Kafka verifies it, and its writers set none.
		sick("KAFKA-20528 content checksum of lz4", around(wrongSum), nil),
		coded("content checksum of lz4 that holds", batchtest.Lz4, batchtest.Compression{Lz4ContentChecksum: true}),
		coded("snappy framed", batchtest.Snappy, batchtest.Compression{}),
		coded("snappy raw", batchtest.Snappy, batchtest.Compression{SnappyRaw: true}),
		coded("snappy framed with little-endian versions", batchtest.Snappy, batchtest.Compression{SnappyLittleEndian: true}),
		sick("snappy raw that begins like framed", []batchtest.Entry{g(1)[0], long}, nil),
		coded("zstd of two frames", batchtest.Zstd, batchtest.Compression{Parts: 2}),
		coded("zstd without a content size", batchtest.Zstd, batchtest.Compression{}),
		coded("zstd with a content size", batchtest.Zstd, batchtest.Compression{ZstdContentSize: true}),
		sick("zstd undecodable under a right checksum", around(broken), nil, failed),
		sick("zstd under a wrong checksum", around(broken), put(logFile, 118+batchtest.PosRecords+6, 1), "batch-crc-mismatch error "+logFile+" 118 -1"),
	}
}

func statePains() []pain {
	const snapshot = "00000000000000000010.snapshot"
	data := gBatch(3, 2, at+1000).WithProducer(7, 5, 0).WithAttributes(batchtest.AttrTransactional)
	open := []batchtest.Entry{g(1)[0], data, gBatch(5, 4, at+2000)}
	epochs := func(text string) func(tree) { return replaced("leader-epoch-checkpoint", []byte(text)) }
	cut := func(t tree) { t[dir0+snapshot] = nil }
	meta := func(name string, base int64, change func(tree), loud ...string) pain {
		p := &batchtest.Partition{Topic: "__cluster_metadata", IndexInterval: -1, Segments: []*batchtest.Segment{
			batchtest.NewSegment(base, batchtest.ControlBatch(base, at, batchtest.ControlRecord(batchtest.ControlLeaderChange, batchtest.LeaderChange(1, []int32{1}, []int32{1}))))}}
		return pain{exhibit: exhibit{name: name, targets: []string{p.Dir()}, tree: built(p, change)}, loud: loud}
	}
	checkpoint := func(n int) func(tree) {
		return func(t tree) {
			var b []byte
			for _, e := range batchtest.KRaftCheckpoint(0, at)[:n] {
				b = e.Append(b)
			}
			t["__cluster_metadata-0/00000000000000000020-0000000000.checkpoint"] = b
		}
	}
	part := func(t tree) { t["__cluster_metadata-0/00000000000000000020-0000000000.checkpoint.part"] = nil }
	below := batchtest.Snapshot(batchtest.ProducerEntry{ProducerID: 7, LastSequence: 1, LastOffset: 2, OffsetDelta: 1, Timestamp: at, CoordinatorEpoch: -1, CurrentTxnFirstOffset: 1})
	start := pain{exhibit: exhibit{name: "KAFKA-14055 a transaction that the snapshot alone knows", tree: built(&batchtest.Partition{Topic: "small", IndexInterval: -1,
		Segments: []*batchtest.Segment{batchtest.NewSegment(5, gBatch(5, 4, at))}}, func(t tree) {
		t[dir0+"00000000000000000005.snapshot"] = below
		t[dir0+"00000000000000000009.snapshot"] = below
	})}}
	return []pain{
		sick("KAFKA-12671 a transaction without a marker", open, nil).with("transaction-open info " + logFile + " 118 -1"),
		start,
		sick("KAFKA-7698 a marker of an older epoch", append(open[:2:2], batchtest.Marker(5, at+3000, 7, 4, true, 0)),
			func(t tree) { without(t, "00000000000000000006.snapshot") }, "producer-epoch-decreased warning "+logFile+" 217 -1"),
		sick("KAFKA-5747 an empty snapshot", append(open, gBatch(9, 1, at)), cut, "snapshot-size error "+snapshot+" 0 -1"),
		sick("KAFKA-5747 a snapshot with a byte flipped", append(open, gBatch(9, 1, at)), put(snapshot, 14, 0x55), "snapshot-crc-mismatch error "+snapshot+" 2 -1"),
		sick("KAFKA-5747 a snapshot of another version", append(open, gBatch(9, 1, at)), put(snapshot, 0, 0, 9), "snapshot-version error "+snapshot+" 0 -1"),
		{exhibit: exhibit{name: "KAFKA-16209 no snapshot at a segment", tree: built(two(g(2), []batchtest.Entry{gBatch(5, 4, at+2000)}, 5), func(t tree) { without(t, "00000000000000000005.snapshot") })}},
		sick("KAFKA-16541 fewer epochs than counted", g(4), epochs("0\n3\n0 0\n1 5\n"), "checkpoint-malformed error leader-epoch-checkpoint 12 -1"),
		sick("KAFKA-16541 epochs that fall", g(4), epochs("0\n2\n1 9\n0 5\n"), "checkpoint-epoch-order error leader-epoch-checkpoint 8 -1"),
		// Brokers read an empty checkpoint as one without entries.
		sick("KAFKA-16541 an empty checkpoint", g(4), epochs("")),
		meta("KAFKA-14240 a metadata log with its snapshot", 20, checkpoint(2)),
		meta("KAFKA-14240 a metadata log without it", 20, nil, "metadata-gap error __cluster_metadata-0/00000000000000000020.log 0 -1"),
		meta("KAFKA-14240 a snapshot before the log", 21, checkpoint(2), "metadata-gap error __cluster_metadata-0/00000000000000000021.log 0 -1"),
		meta("KAFKA-14240 a snapshot without a footer", 20, checkpoint(1), "kraft-checkpoint-malformed error __cluster_metadata-0/00000000000000000020-0000000000.checkpoint 83 -1"),
		meta("a half-written snapshot", 0, part).with("file-leftover info __cluster_metadata-0/00000000000000000020-0000000000.checkpoint.part -1 -1"),
	}
}
