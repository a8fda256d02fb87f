package sanity

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// border is one difference between two releases: the same files, read by the
// last release before it and by the first behind it.
type border struct {
	name          string
	tree          tree
	targets       []string // "small-0" where there are none
	before, since string   // releases
	inOld, inNew  string   // "severity code: text of message or broker" of a finding that must be there, or "" where nothing above info may be
}

func TestReleaseBorders(t *testing.T) {
	covered := map[Code]bool{}
	for _, b := range borders() {
		t.Run(b.name, func(t *testing.T) {
			x := exhibit{tree: b.tree, targets: b.targets}
			paths := x.paths(x.write(t))
			for version, want := range map[string]string{b.before: b.inOld, b.since: b.inNew} {
				r := check(t, Options{KafkaVersion: mustParse(t, version)}, paths...)
				if want == "" {
					if loud := r.loud(); len(loud) > 0 {
						t.Errorf("%s: accused\n%s", version, r)
					}
					continue
				}
				if !says(r, want) {
					t.Errorf("%s: want %q, found\n%s", version, want, r)
				}
			}
		})
		for _, want := range []string{b.inOld, b.inNew} {
			if _, rest, ok := strings.Cut(want, " "); ok {
				code, _, _ := strings.Cut(rest, ":")
				covered[Code(code)] = true
			}
		}
	}
	for _, rule := range releaseBatches {
		if !covered[rule.code] {
			t.Errorf("%s: no border is tested", rule.code)
		}
	}
	for _, rule := range releaseConsequences {
		if !covered[rule.code] {
			t.Errorf("%s: no border is tested", rule.code)
		}
	}
}

func mustParse(t testing.TB, version string) kafkaversion.Version {
	t.Helper()
	v, err := kafkaversion.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// says looks for a finding by "severity code: text".
func says(r *result, want string) bool {
	for _, f := range r.findings {
		head := fmt.Sprintf("%s %s: ", f.Severity, f.Code)
		text, ok := strings.CutPrefix(want, head)
		if ok && (strings.Contains(f.Message, text) || strings.Contains(f.Broker, text)) {
			return true
		}
	}
	return false
}

func borders() []border {
	all := batchBorders()
	all = append(all, indexBorders()...)
	all = append(all, orderBorders()...)
	all = append(all, stateBorders()...)
	return append(all, nameBorders()...)
}

// logOf is a partition with one log of these entries, without indexes that some
// releases would find fault with.
func logOf(entries ...batchtest.Entry) tree {
	return tree{seg0 + ".log": batchtest.NewSegment(0, entries...).Data, seg0 + ".index": nil, seg0 + ".timeindex": nil}
}

func batchBorders() []border {
	v1 := batchtest.V1(0, at, []byte("k"), []byte("v"))
	lz4 := batchtest.NewWrapper(0, batchtest.Lz4, batchtest.Compression{}, batchtest.V0(0, nil, []byte("v")))
	zstd := func(base int64) batchtest.Batch { return kv(base).WithCodec(batchtest.Zstd, batchtest.Compression{}) }
	horizon := kv(0).WithDeleteHorizon(at + 1000)
	kraft := batchtest.ControlBatch(0, at, batchtest.ControlRecord(5, batchtest.KRaftVersion(1))).WithEpoch(1)
	cut := "recovery cuts here: 3 batches, 3 records behind it are lost"
	magic7 := func(magic byte) tree {
		t := logOf(kv(0), kv(1), kv(2))
		t[seg0+".log"][len(kv(0).Encode())+16] = magic
		return t
	}
	return []border{
		{name: "magic 2", tree: logOf(kv(0), kv(1), kv(2)), before: "0.10.2.2", since: "0.11", inOld: "error batch-bad-magic: " + cut},
		{name: "magic 2, in words", tree: logOf(kv(0)), before: "0.8.0", since: "0.11", inOld: "error batch-bad-magic: magic 2 came with Kafka 0.11"},
		{name: "magic 1", tree: logOf(v1), before: "0.9.0.1", since: "0.10.0.0", inOld: "error batch-bad-magic: taken for the length of the key by Kafka 0.9.0.1"},
		{name: "magic 0", tree: logOf(batchtest.V0(0, nil, []byte("v"))), before: "0.8.0", since: "4.4"},
		{name: "zstd", tree: logOf(zstd(0), zstd(1)), before: "2.0.1", since: "2.1", inOld: "error batch-bad-codec: Unknown compression type id: 4"},
		{name: "lz4", tree: logOf(lz4), before: "0.8.1.1", since: "0.8.2", inOld: "error batch-bad-codec: 3 is an unknown compression codec"},
		{name: "delete horizon", tree: logOf(horizon), before: "3.0.2", since: "3.1", inOld: "info batch-unknown-attributes: tombstones and markers are removed by the age"},
		{name: "kraft.version record, decoded", tree: logOf(kraft), before: "3.7.2", since: "3.8", inOld: "error control-malformed: KRAFT_VERSION"},
		{name: "kraft.version record, not looked at", tree: logOf(kraft), before: "3.4.1", since: "3.5", inNew: "error control-malformed: Unknown control record type"},
		{name: "kraft.version in a snapshot", tree: tree{
			dir0 + "00000000000000000003-0000000001.checkpoint": kraftSnapshot(),
		}, before: "3.7.0", since: "3.8", inOld: "error kraft-checkpoint-malformed: KRAFT_VERSION and KRAFT_VOTERS came with Kafka 3.8"},
		{name: "magic 7", tree: magic7(7), before: "0.10.2.2", since: "0.11", inOld: "error batch-bad-magic: lies behind position 0", inNew: "error batch-bad-magic: recovery keeps the batch"},
		{name: "magic -1 is cut by all", tree: magic7(0xff), before: "0.11", since: "4.4", inOld: "error batch-bad-magic: recovery cuts here: 1 batches", inNew: "error batch-bad-magic: recovery cuts here: 1 batches"},
	}
}

// kraftSnapshot is a checkpoint of a quorum with kraft.version 1.
func kraftSnapshot() []byte {
	var b []byte
	b = batchtest.ControlBatch(0, at, batchtest.ControlRecord(3, batchtest.SnapshotHeader(at)), numbered(1, batchtest.ControlRecord(5, batchtest.KRaftVersion(1)))).WithEpoch(1).Append(b)
	return batchtest.ControlBatch(2, at, batchtest.ControlRecord(4, batchtest.SnapshotFooter())).WithEpoch(1).Append(b)
}

func numbered(delta int32, r batchtest.Record) batchtest.Record {
	r.OffsetDelta = delta
	return r
}

func indexBorders() []border {
	entries := of(kv(0), kv(1), kv(2), kv(3))
	size := int64(len(kv(0).Encode()))
	index := batchtest.AppendIndex(nil, 0, batchtest.IndexEntry{Offset: 1, Position: size})
	times := batchtest.AppendTimeIndex(nil, 0, batchtest.TimeEntry{Timestamp: at + 1, Offset: 1}, batchtest.TimeEntry{Timestamp: at + 3, Offset: 3})
	zeros := func(b []byte, n int) []byte { return append(bytes.Clone(b), make([]byte, n)...) }
	// A rolled segment and an empty one behind it: what is said is not said of
	// the newest.
	rolled := func(change func(tree)) tree {
		return built(entries, func(t tree) {
			t[seg0+".index"], t[seg0+".timeindex"] = index, times
			t[dir0+"00000000000000000004.log"] = nil
			change(t)
		})
	}
	legacy := func(change func(tree)) tree {
		message := func(offset int64) batchtest.Message { return batchtest.V0(offset, nil, []byte("v")) }
		t := logOf(message(0), message(1), message(2))
		t[seg0+".index"] = batchtest.AppendIndex(nil, 0, batchtest.IndexEntry{Offset: 1, Position: int64(len(message(0).Append(nil)))})
		t[dir0+"00000000000000000003.log"], t[dir0+"00000000000000000003.index"] = nil, nil
		delete(t, seg0+".timeindex")
		change(t)
		return t
	}
	mismatch := batchtest.AppendIndex(nil, 0, batchtest.IndexEntry{Offset: 1, Position: size + 5})
	return []border{
		{name: "a zero tail in a rolled time index", tree: rolled(func(t tree) { t[seg0+".timeindex"] = zeros(times, 120) }),
			before: "2.2.2", since: "2.3", inOld: "warning timeindex-preallocated: fails the check that Kafka 2.2.2 makes", inNew: "info timeindex-preallocated: "},
		{name: "a zero tail in a rolled index", tree: rolled(func(t tree) { t[seg0+".index"] = zeros(index, 80) }),
			before: "1.1.1", since: "2.0", inOld: "warning index-preallocated: indexes are rebuilt", inNew: "info index-preallocated: "},
		{name: "a time index of zeros passes", tree: rolled(func(t tree) { t[seg0+".timeindex"] = zeros(nil, 1200) }), before: "2.2.2", since: "2.3"},
		{name: "a wrong entry beside a time index that fails", tree: rolled(func(t tree) { t[seg0+".index"], t[seg0+".timeindex"] = mismatch, zeros(times, 120) }),
			before: "2.2.2", since: "2.3", inOld: "warning index-position-not-a-batch: 00000000000000000000.timeindex fails the check", inNew: "error index-position-not-a-batch: "},
		{name: "a wrong entry that passes", tree: rolled(func(t tree) { t[seg0+".index"] = mismatch }),
			before: "2.2.2", since: "2.3", inOld: "error index-position-not-a-batch: ", inNew: "error index-position-not-a-batch: "},
		{name: "a size that is none", tree: rolled(func(t tree) { t[seg0+".index"] = zeros(index, 3) }),
			before: "2.2.2", since: "2.3", inOld: "warning index-size: rebuilt", inNew: "error index-size: not noticed"},
		{name: "a size that is none, of times", tree: rolled(func(t tree) { t[seg0+".timeindex"] = zeros(times, 3) }),
			before: "2.2.2", since: "2.3", inOld: "warning timeindex-size: rebuilt", inNew: "error timeindex-size: not noticed"},
		{name: "a size that is none, long ago", tree: legacy(func(t tree) { t[seg0+".index"] = zeros(t[seg0+".index"], 3) }),
			before: "0.8.2.2", since: "0.9", inOld: "error index-size: the broker does not start", inNew: "warning index-size: rebuilt"},
		{name: "a zero tail long ago", tree: legacy(func(t tree) { t[seg0+".index"] = zeros(t[seg0+".index"], 80) }),
			before: "0.8.2.2", since: "0.9", inOld: "error index-preallocated: the broker does not start", inNew: "warning index-preallocated: rebuilt"},
		{name: "no index in 0.8.0", tree: legacy(func(t tree) { delete(t, seg0+".index") }),
			before: "0.8.0", since: "0.8.1", inOld: "error index-missing: does not start", inNew: "warning index-missing: recovers the whole segment"},
		{name: "no index in 0.9", tree: legacy(func(t tree) { delete(t, seg0+".index") }),
			before: "0.8.2.2", since: "0.9", inOld: "warning index-missing: recovers the whole segment", inNew: "warning index-missing: not missed"},
		{name: "no index in 0.10.1", tree: legacy(func(t tree) { delete(t, seg0+".index") }),
			before: "0.10.0.1", since: "0.10.1", inOld: "warning index-missing: not missed", inNew: "warning index-missing: recovers the whole segment"},
		{name: "no index in 1.1", tree: rolled(func(t tree) { delete(t, seg0+".index") }),
			before: "1.0.2", since: "1.1", inOld: "warning index-missing: recovers the whole segment", inNew: "warning index-missing: not missed"},
		{name: "no index in 2.3", tree: rolled(func(t tree) { delete(t, seg0+".index") }),
			before: "2.2.2", since: "2.3", inOld: "warning index-missing: not missed", inNew: "warning index-missing: recovers the whole segment"},
		{name: "no time index", tree: func() tree {
			t := logOf(batchtest.V1(0, at, nil, []byte("v")))
			delete(t, seg0+".timeindex")
			t[dir0+"00000000000000000001.log"], t[dir0+"00000000000000000001.timeindex"] = nil, nil
			return t
		}(), before: "0.10.0.1", since: "0.10.1", inNew: "warning timeindex-missing: "},
		{name: "a version of an aborted transaction", tree: built(smallV2(), func(t tree) { txnVersion(t, 1) }),
			before: "4.3.1", since: "4.4", inOld: "warning txnindex-version: taken for version 0 by Kafka 4.3.1", inNew: "error txnindex-version: the load of the log fails"},
		{name: "a version of an aborted transaction in its first byte", tree: built(smallV2(), func(t tree) { txnVersion(t, 0x100) }),
			before: "4.3.1", since: "4.4", inOld: "error txnindex-version: the load of the log fails", inNew: "error txnindex-version: the load of the log fails"},
	}
}

// txnVersion sets the version of the first entry of the .txnindex that is there.
func txnVersion(t tree, version int) {
	for name, data := range t {
		if strings.HasSuffix(name, ".txnindex") && len(data) >= 34 {
			data[0], data[1] = byte(version>>8), byte(version)
			return
		}
	}
	panic("no transaction index")
}

func orderBorders() []border {
	zeroTail := func(files tree) tree {
		log := logOf(kv(0), kv(1))
		log[seg0+".log"] = append(log[seg0+".log"], make([]byte, 300)...)
		return logDir("data", log, files)
	}
	legacyZeros := logOf(batchtest.V0(0, nil, []byte("v")))
	legacyZeros[seg0+".log"] = append(legacyZeros[seg0+".log"], make([]byte, 300)...)
	delete(legacyZeros, seg0+".timeindex")
	far := kv(1 << 32)
	below := tree{}
	for name, data := range logOf(kv(3), kv(9)) {
		below[strings.Replace(name, "00000000000000000000", "00000000000000000005", 1)] = data
	}
	producer := func(base int64, epoch int16, sequence int32) batchtest.Batch {
		return kv(base).WithProducer(7, epoch, sequence)
	}
	return []border{
		{name: "zeros end the log", tree: legacyZeros, before: "0.10.1.1", since: "0.10.2", inOld: "warning log-zero-tail: zeros are the end of the log", inNew: "warning log-zero-tail: recovery cuts here"},
		{name: "zeros behind a clean stop", tree: zeroTail(tree{".kafka_cleanshutdown": nil}), targets: []string{"data"}, before: "0.10.1.1", since: "0.11", inNew: "error log-zero-tail: does not start", inOld: "warning log-zero-tail: "},
		{name: "an offset that overflows", tree: logOf(kv(0), far), before: "1.1.1", since: "2.0", inOld: "error offset-overflow: not noticed", inNew: "error offset-overflow: splits the segment"},
		{name: "an offset below the base", tree: below, before: "1.1.1", since: "2.0", inOld: "error offset-below-base: not noticed", inNew: "error offset-below-base: LogSegmentOffsetOverflowException"},
		{name: "a producer's epoch falls", tree: logOf(producer(0, 3, 0), producer(1, 2, 0)), before: "2.4.0", since: "2.4.1", inOld: "warning producer-epoch-decreased: ProducerFencedException", inNew: "warning producer-epoch-decreased: logs a warning"},
	}
}

func stateBorders() []border {
	dir := func(files tree) tree { return logDir("data", logOf(batchtest.V0(0, nil, []byte("v"))), files) }
	meta := func(name, content, before, since, inOld, inNew string) border {
		return border{name: name, tree: dir(tree{"meta.properties": []byte(content)}), targets: []string{"data"}, before: before, since: since, inOld: inOld, inNew: inNew}
	}
	none := func(t tree, files ...string) tree {
		for _, f := range files {
			delete(t, f)
		}
		return t
	}
	quorum := `{"leaderId":1,"leaderEpoch":3,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}`
	return []border{
		meta("meta.properties of KRaft", "version=1\nnode.id=1\ncluster.id=c\n", "2.7.2", "2.8", "error meta-properties-malformed: version 1 came with Kafka 2.8", ""),
		meta("meta.properties without broker.id", "version=0\ncluster.id=c\n", "2.7.2", "2.8", "error meta-properties-malformed: broker.id is missing", ""),
		meta("meta.properties without cluster.id", "version=0\nbroker.id=1\n", "3.9.1", "4.0", "", "error meta-properties-malformed: cluster.id is missing"),
		meta("meta.properties without a node", "version=0\ncluster.id=c\n", "3.9.1", "4.0", "", "error meta-properties-malformed: there is no id of the node"),
		meta("meta.properties before there was one", "version=9\n", "0.8.2.2", "0.9", "info meta-properties-malformed: Kafka 0.8.2.2 does not read this file", "error meta-properties-malformed: "),
		{name: "quorum-state", tree: merged(logOf(kv(0)), tree{dir0 + "quorum-state": []byte(quorum)}), before: "3.7.2", since: "3.8", inOld: "error quorum-state-malformed: data_version 1 came with Kafka 3.8"},
		{name: "a snapshot that isn't read", tree: none(merged(logOf(batchtest.V0(0, nil, []byte("v"))), tree{dir0 + "00000000000000000001.snapshot": {0, 1}}), seg0+".timeindex"),
			before: "0.10.2.2", since: "0.11", inOld: "info snapshot-size: does not read this file", inNew: "error snapshot-size: deleted at the next start"},
		{name: "epochs that aren't read", tree: merged(logOf(batchtest.V0(0, nil, []byte("v"))), tree{dir0 + "leader-epoch-checkpoint": []byte("0\n1\nx y\n")}),
			before: "0.10.2.2", since: "0.11", inOld: "info checkpoint-malformed: does not read this file", inNew: "error checkpoint-malformed: "},
		{name: "a topic id that isn't read", tree: merged(logOf(kv(0)), tree{dir0 + "partition.metadata": []byte("version: 0\n")}),
			before: "2.7.2", since: "2.8", inOld: "info partition-metadata-malformed: does not read this file", inNew: "error partition-metadata-malformed: "},
		{name: "recovery points that aren't read", tree: dir(tree{"recovery-point-offset-checkpoint": []byte("x\n"), "meta.properties": []byte("broker.id=1\n")}), targets: []string{"data"},
			before: "0.8.0", since: "0.8.1", inOld: "info checkpoint-malformed: does not read this file", inNew: "error checkpoint-malformed: "},
		{name: "a log start behind the end", tree: dir(tree{"log-start-offset-checkpoint": batchtest.OffsetCheckpoint(batchtest.TopicPartitionOffset{Topic: "small", Offset: 50}), "meta.properties": []byte("broker.id=1\n")}), targets: []string{"data"},
			before: "2.2.0", since: "2.2.1", inOld: "warning checkpoint-offset-out-of-range: nothing of the partition can be read", inNew: "warning checkpoint-offset-out-of-range: deletes all segments"},
		{name: "recovery points that can't be read", tree: dir(tree{"recovery-point-offset-checkpoint": []byte("x\n"), "meta.properties": []byte("broker.id=1\n")}), targets: []string{"data"},
			before: "0.8.2.2", since: "0.9", inOld: "error checkpoint-malformed: the broker does not start", inNew: "error checkpoint-malformed: every partition is recovered"},
		{name: "epochs that can't be read", tree: merged(logOf(kv(0)), tree{dir0 + "leader-epoch-checkpoint": []byte("0\n1\n0 0\n1 1\n")}),
			before: "3.1.2", since: "3.2", inOld: "error checkpoint-malformed: the broker does not start", inNew: "error checkpoint-malformed: the log directory goes offline"},
		{name: "an epoch below 0", tree: merged(logOf(kv(0)), tree{dir0 + "leader-epoch-checkpoint": []byte("0\n1\n-3 0\n")}),
			before: "2.6.3", since: "2.7", inOld: "error checkpoint-malformed: not noticed", inNew: "error checkpoint-malformed: the broker does not start"},
		{name: "a topic id that can't be read", tree: merged(logOf(kv(0)), tree{dir0 + "partition.metadata": []byte("version: -1\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n")}),
			before: "3.1.2", since: "3.2", inOld: "error partition-metadata-malformed: the broker does not start", inNew: "error partition-metadata-malformed: the log directory goes offline"},
		{name: "a topic id of a later version", tree: merged(logOf(kv(0)), tree{dir0 + "partition.metadata": []byte("version: 1\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n")}),
			before: "3.6.2", since: "3.7", inOld: "error partition-metadata-malformed: unknown to Kafka 3.6.2"},
		{name: "a bootstrap snapshot that isn't read", tree: dir(tree{"bootstrap.checkpoint": []byte("no snapshot at all")}), targets: []string{"data"},
			before: "3.2.3", since: "3.3", inOld: "info kraft-checkpoint-malformed: does not read this file", inNew: "error kraft-checkpoint-malformed: "},
		{name: "a snapshot without its log's start", tree: tree{"__cluster_metadata-0/00000000000000000005.log": batchtest.NewSegment(5, kv(5)).Data, "__cluster_metadata-0/00000000000000000005.index": nil, "__cluster_metadata-0/00000000000000000005.timeindex": nil},
			targets: []string{"__cluster_metadata-0"}, before: "3.2.3", since: "3.3", inOld: "error metadata-gap: not noticed at the start", inNew: "error metadata-gap: does not start"},
	}
}

func nameBorders() []border {
	marked := func(marker string) tree {
		return logDir("data", tree{"small-0.0123456789abcdef0123456789abcdef-" + marker + "/00000000000000000000.log": nil}, tree{"meta.properties": []byte("broker.id=1\ncluster.id=c\n")})
	}
	name := func(marker, before, since string) border {
		return border{name: "-" + marker, tree: marked(marker), targets: []string{"data"}, before: before, since: since, inOld: "error file-name: the ending -" + marker}
	}
	return []border{
		name("delete", "0.10.1.1", "0.10.2"),
		name("future", "1.0.2", "1.1"),
		name("stray", "3.6.0", "3.6.1"),
		{name: "the cache of remote indexes", tree: logDir("data", logOf(kv(0)), tree{"remote-log-index-cache/x": nil}), targets: []string{"data"},
			before: "3.4.1", since: "3.5", inOld: "error file-name: remote-log-index-cache came with Kafka 3.5"},
	}
}

// The table that users read names every release at which something changes.
func TestReleaseBordersAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "\n| before | it then finds, or says |\n")
	if !found {
		t.Fatal("docs/cli.md has no table of releases")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	named := func(v kafkaversion.Version) {
		if (v != kafkaversion.Version{}) && !strings.Contains(table, "\n| "+v.Name()+" |") {
			t.Errorf("the table has no row for %s", v.Name())
		}
	}
	for _, r := range releaseBatches {
		named(r.releases.From)
		named(r.releases.Until)
	}
	for _, r := range releaseConsequences {
		named(r.releases.From)
		named(r.releases.Until)
	}
	for _, r := range releaseFiles {
		named(r.releases.From)
	}
	for _, r := range metaRules {
		named(r.releases.From)
		named(r.releases.Until)
	}
	for _, r := range markerReleases {
		named(r.From)
	}
	named(metadataVersions.From)
	named(remoteCacheReleases.From)
	named(quorumReleases.From)
}
