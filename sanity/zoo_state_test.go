package sanity

import (
	"bytes"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

func stateExhibits() []exhibit {
	checkpoint := func(name, file string, offset int64) exhibit {
		return exhibit{code: CheckpointOffsetOutOfRange, name: name, targets: []string{"data"}, file: "data/" + file, position: -1, slot: -1, severity: Warning, quiet: true,
			tree: logDir("data", small(nil), tree{file: batchtest.OffsetCheckpoint(batchtest.TopicPartitionOffset{Topic: "small", Partition: 0, Offset: offset})})}
	}
	meta := func(code Code, name, content string) exhibit {
		return exhibit{code: code, name: name, targets: []string{"data"}, file: "data/meta.properties", severity: Error, slot: -1, quiet: true,
			position: -1, tree: logDir("data", small(nil), tree{"meta.properties": []byte(content)})}
	}
	placed := func(x exhibit, position int64) exhibit { x.position = position; return x }
	both := []string{"d1", "d2"}
	conflict := func(name string, a, b []byte) exhibit {
		return exhibit{code: MetaPropertiesConflict, name: name, targets: both, file: "d2/meta.properties", position: -1, slot: -1, severity: Error, quiet: true,
			tree: merged(logDir("d1", small(nil), tree{"meta.properties": a}), tree{"d2/meta.properties": b})}
	}
	quorum := func(name, content string) exhibit {
		return exhibit{code: QuorumStateMalformed, name: name, file: dir0 + "quorum-state", position: 0, slot: -1, severity: Error, quiet: true,
			tree: small(func(t tree) { t[dir0+"quorum-state"] = []byte(content) })}
	}
	kraft := func(name string, position int64, change func([]batchtest.Entry) []byte) exhibit {
		file := dir0 + "00000000000000000010-0000000002.checkpoint"
		return exhibit{code: KRaftCheckpointMalformed, name: name, file: file, position: position, slot: -1, severity: Error, quiet: true,
			tree: small(func(t tree) {
				t[file] = change(batchtest.KRaftCheckpoint(2, at, [][]byte{{1, 20, 0, 0}}, [][]byte{{1, 20, 0, 0}}))
			})}
	}
	joined := func(entries []batchtest.Entry) []byte {
		var b []byte
		for _, e := range entries {
			b = e.Append(b)
		}
		return b
	}
	header := int64(len(batchtest.KRaftCheckpoint(2, at)[0].Append(nil)))
	snapshot := func(name string, entries ...batchtest.ProducerEntry) exhibit {
		return exhibit{code: SnapshotMismatch, name: name, file: dir0 + "00000000000000000011.snapshot", position: -1, slot: -1, severity: Warning, quiet: true,
			tree: small(func(t tree) { t[dir0+"00000000000000000011.snapshot"] = batchtest.Snapshot(entries...) })}
	}
	seven := batchtest.ProducerEntry{ProducerID: 7, LastSequence: 4, LastOffset: 9, OffsetDelta: 1, Timestamp: at + 50, CoordinatorEpoch: 3, CurrentTxnFirstOffset: 8}
	eight := batchtest.ProducerEntry{ProducerID: 8, ProducerEpoch: 1, LastSequence: 0, LastOffset: 5, Timestamp: at + 40, CoordinatorEpoch: 3, CurrentTxnFirstOffset: -1}
	closed, older := seven, seven
	closed.CurrentTxnFirstOffset, older.LastOffset = -1, 7
	id := func(b byte) []byte { return batchtest.PartitionMetadata([16]byte{b, 7}) }
	sibling := func(name, second string, order ...string) exhibit {
		a, b := small(func(t tree) { t[dir0+"partition.metadata"] = id(1) }), tree{}
		for path, data := range small(func(t tree) { t[dir0+"partition.metadata"] = id(2) }) {
			b[second+path[len("small-0"):]] = data
		}
		x := exhibit{code: TopicIDMismatch, name: name, targets: order, file: second + "/partition.metadata", position: -1, slot: -1, severity: Error, quiet: true, tree: merged(a, b)}
		if len(order) == 0 {
			x.targets, x.file = []string{"data"}, "data/"+x.file
			x.tree = logDir("data", x.tree, nil)
		}
		return x
	}
	twice := func(name, path string) exhibit {
		return exhibit{code: PartitionDuplicate, name: name, targets: both, file: "d2/" + path, position: -1, slot: -1, severity: Error, quiet: true,
			tree: merged(logDir("d1", tree{path + "/00000000000000000000.log": nil}, nil), logDir("d2", tree{path + "/00000000000000000000.log": nil}, nil))}
	}
	metadata := func(name string, position int64, files tree) exhibit {
		log := "__cluster_metadata-0/00000000000000000007.log"
		x := exhibit{code: MetadataGap, name: name, targets: []string{"__cluster_metadata-0"}, file: log, position: position, slot: -1, severity: Error, quiet: true, tree: tree{}}
		x.tree[log] = batchtest.NewSegment(7, kv(7), kv(8)).Data
		x.tree[log[:len(log)-3]+"index"], x.tree[log[:len(log)-3]+"timeindex"] = nil, nil
		for path, data := range files {
			x.tree["__cluster_metadata-0/"+path] = data
		}
		return x
	}
	return []exhibit{
		metadata("no checkpoint", 0, nil),
		metadata("a checkpoint that ends before the log", 0, tree{"00000000000000000006-0000000002.checkpoint": joined(batchtest.KRaftCheckpoint(2, at))}),
		metadata("a checkpoint that is being deleted", 0, tree{"00000000000000000007-0000000002.checkpoint.deleted": joined(batchtest.KRaftCheckpoint(2, at))}),
		metadata("inside of the log", int64(len(kv(7).Encode())), tree{
			"00000000000000000007-0000000002.checkpoint": joined(batchtest.KRaftCheckpoint(2, at)),
			"00000000000000000007.log":                   batchtest.NewSegment(7, kv(7), kv(9)).Data,
		}),
		checkpoint("recovery point", "recovery-point-offset-checkpoint", 12),
		checkpoint("high watermark", "replication-offset-checkpoint", 1000),
		checkpoint("log start", "log-start-offset-checkpoint", 12),
		{code: CheckpointOffsetOutOfRange, name: "leader epoch", file: dir0 + "leader-epoch-checkpoint", position: 12, slot: -1, severity: Warning, quiet: true,
			tree: small(func(t tree) {
				t[dir0+"leader-epoch-checkpoint"] = batchtest.EpochCheckpoint(batchtest.EpochStart{}, batchtest.EpochStart{Epoch: 1, Offset: 8}, batchtest.EpochStart{Epoch: 2, Offset: 12})
			})},
		meta(MetaPropertiesMalformed, "unknown version", "version=9\nnode.id=1\ncluster.id=c\n"),
		meta(MetaPropertiesMalformed, "no node", "version=1\ncluster.id=c\n"),
		meta(MetaPropertiesMalformed, "no number", "version=1\nnode.id=one\ncluster.id=c\n"),
		conflict("another cluster", batchtest.MetaProperties(1, "a", [16]byte{9}), batchtest.MetaProperties(1, "b", [16]byte{8})),
		conflict("the same directory", batchtest.MetaProperties(1, "a", [16]byte{9}), batchtest.MetaProperties(2, "a", [16]byte{9})),
		conflict("another version", batchtest.MetaProperties(1, "a", [16]byte{9}), []byte("version=0\nbroker.id=1\ncluster.id=a\n")),
		placed(quorum("cut", `{"leaderId":1,`), 14),
		quorum("unknown version", `{"leaderId":1,"leaderEpoch":3,"votedId":-1,"data_version":7}`),
		quorum("empty", ""),
		kraft("no footer", header+2*int64(len(batchtest.KRaftCheckpoint(2, at, [][]byte{{1, 20, 0, 0}})[1].Append(nil))), func(e []batchtest.Entry) []byte { return joined(e[:len(e)-1]) }),
		kraft("no header", 0, func(e []batchtest.Entry) []byte { return joined(e[1:]) }),
		kraft("bit flipped", header, func(e []batchtest.Entry) []byte { b := joined(e); b[header+65] ^= 4; return b }),
		kraft("another epoch", 0, func([]batchtest.Entry) []byte {
			return joined(batchtest.KRaftCheckpoint(3, at, [][]byte{{1, 20, 0, 0}}))
		}),
		snapshot("open transaction unknown", eight),
		snapshot("transaction closed", closed, eight),
		snapshot("last offset behind", older, eight),
		snapshot("producer from nowhere", seven, eight, batchtest.ProducerEntry{ProducerID: 99, LastSequence: 1, LastOffset: 9, CoordinatorEpoch: -1, CurrentTxnFirstOffset: -1}),
		{code: SnapshotMismatch, name: "beyond the end", file: dir0 + "00000000000000000040.snapshot", position: -1, slot: -1, severity: Warning, quiet: true,
			tree: small(func(t tree) { t[dir0+"00000000000000000040.snapshot"] = batchtest.Snapshot(seven, eight) })},
		sibling("in a log directory", "small-1"),
		sibling("side by side", "small-2", "small-0", "small-2"),
		sibling("a future copy", "small-3.0123456789abcdef0123456789abcdef-future"),
		twice("first", "small-0"),
		twice("another number", "small-17"),
		twice("a topic with dashes", "a-b-c-1"),
		{code: CheckpointMalformed, name: "of the log directory", targets: []string{"data"}, file: "data/cleaner-offset-checkpoint", position: 4, slot: -1, severity: Error, quiet: true,
			tree: logDir("data", small(nil), tree{"cleaner-offset-checkpoint": []byte("0\n1\na 0\n")})},
		{code: CheckpointMalformed, name: "another version", targets: []string{"data"}, file: "data/log-start-offset-checkpoint", position: 0, slot: -1, severity: Error, quiet: true,
			tree: logDir("data", small(nil), tree{"log-start-offset-checkpoint": []byte("3\n0\n")})},
		{code: CheckpointMalformed, name: "count", targets: []string{"data"}, file: "data/recovery-point-offset-checkpoint", position: 11, slot: -1, severity: Error, quiet: true,
			tree: logDir("data", small(nil), tree{"recovery-point-offset-checkpoint": bytes.Clone([]byte("0\n3\na 0 15\n"))})},
	}
}
