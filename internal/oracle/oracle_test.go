//go:build kafka

package oracle

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// logDir is what a real broker wrote for topic t (one partition, 500 records of
// three producers, so that there are at least three batches) before an orderly
// stop.
var logDir struct {
	once   sync.Once
	root   string
	report *BrokerReport
}

func TestMain(m *testing.M) {
	code := m.Run()
	if logDir.root != "" {
		_ = os.RemoveAll(logDir.root)
	}
	os.Exit(code)
}

func brokerDir(t *testing.T) (root string, report *BrokerReport) {
	t.Helper()
	k := Open(t)
	logDir.once.Do(func() {
		root, err := os.MkdirTemp("", "kafsck-oracle-test-")
		if err != nil {
			t.Fatal(err)
		}
		logDir.root = root
		logDir.report = k.BrokerCheck(root, BrokerOpts{
			Format:  true,
			Create:  []Topic{{Name: "t", Partitions: 1, Config: map[string]string{"index.interval.bytes": "1000"}}},
			Produce: []Produce{{"t", 400, "zstd"}, {"t", 50, "none"}, {"t", 50, "gzip"}},
			Topics:  []string{"t"},
		})
	})
	if logDir.report == nil {
		t.Fatal("the broker that fills the log dir failed in another test")
	}
	return logDir.root, logDir.report
}

func TestVersion(t *testing.T) {
	if got := Open(t).Version(); got != KafkaVersion() {
		t.Errorf("Kafka says %q, asked for %q", got, KafkaVersion())
	}
}

func TestBrokerFillsAndServes(t *testing.T) {
	root, first := brokerDir(t)
	check := func(what string, r *BrokerReport) {
		t.Helper()
		if !r.OK || !r.AliveAtEnd || r.Exit != 143 || !r.CleanShutdown || r.Failure != nil {
			t.Errorf("%s: %+v, failure %v", what, r, r.Failure)
		}
		p := r.Partitions["t-0"]
		if len(r.Partitions) != 1 || p.Records != 500 || p.EndOffset != 500 || !p.ReachedEnd || *p.LastOffset != 499 {
			t.Errorf("%s: served %+v", what, r.Partitions)
		}
		if p.Digest != first.Partitions["t-0"].Digest {
			t.Errorf("%s: another digest", what)
		}
	}
	check("new", first)
	twin := t.TempDir()
	if err := os.CopyFS(twin, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	check("unclean", Open(t).BrokerCheck(twin, BrokerOpts{Unclean: true, NoRecoveryPoint: true, Topics: []string{"t"}}))
}

func TestBrokerThatDies(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "meta.properties"), []byte("version=1\nnode.id=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := Open(t).BrokerCheck(root, BrokerOpts{})
	if r.OK || r.AliveAtEnd || r.Exit != 1 || r.Failure == nil || r.Failure.Message != "broker process ended" || len(r.Warnings) == 0 {
		t.Errorf("%+v", r)
	}
}

func TestRecords(t *testing.T) {
	root, _ := brokerDir(t)
	k := Open(t)
	file := filepath.Join(root, "t-0", "00000000000000000000.log")
	seg := k.Records(file, RecordsOpts{})
	if seg.Error != nil || seg.EndPosition != seg.FileSize {
		t.Errorf("end %+v %d %d", seg.Error, seg.EndPosition, seg.FileSize)
	}
	n := 0
	for _, b := range seg.Batches {
		if !b.OK() || b.Magic != 2 || int(*b.CountOrNull) != len(b.Records) {
			t.Errorf("batch %+v", b)
		}
		for _, r := range b.Records {
			if r.Offset != int64(n) || !strings.HasPrefix(string(r.Key), "k") || !strings.HasPrefix(string(r.Value), "value ") {
				t.Errorf("record %d: %+v", n, r)
			}
			n++
		}
	}
	if n != 500 {
		t.Errorf("%d records", n)
	}
	heads := k.Records(file, RecordsOpts{BatchesOnly: true, MaxBatches: 1, Position: seg.Batches[1].Position})
	if len(heads.Batches) != 1 || heads.Batches[0].Records != nil || heads.Batches[0].BaseOffset != seg.Batches[1].BaseOffset {
		t.Errorf("second batch alone: %+v", heads)
	}

	// One flipped bit and a cut: data, not failures.
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b[seg.Batches[0].Position+70] ^= 1
	damaged := filepath.Join(t.TempDir(), "00000000000000000000.log")
	if err := os.WriteFile(damaged, b[:len(b)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	bad := k.Records(damaged, RecordsOpts{BatchesOnly: true})
	if len(bad.Batches) != len(seg.Batches)-1 || bad.Batches[0].IsValid || !bad.Batches[1].IsValid ||
		bad.Error != nil || bad.EndPosition == bad.FileSize {
		t.Errorf("damaged: %+v", bad)
	}
}

func TestRecoverLookupIndexes(t *testing.T) {
	root, _ := brokerDir(t)
	k := Open(t)
	dir := filepath.Join(root, "t-0")
	kept := filepath.Join(t.TempDir(), "kept")
	rec := k.Recover(dir, 0, RecoverOpts{LogOpts: LogOpts{IndexInterval: Bytes(1000), OutDir: kept}, ProducerState: FromReplay})
	if !rec.OK || rec.Failure != nil || rec.TruncatedBytes != 0 || rec.NextOffset != 500 || rec.LargestTimestamp != 1_700_000_000_399 {
		t.Errorf("recover %+v", rec)
	}
	live := k.Indexes(dir, 0, LogOpts{})
	rebuilt := k.Indexes(filepath.Join(kept, "t-0"), 0, LogOpts{})
	if !live.OffsetIndex.Exists || len(live.OffsetIndex.Entries) == 0 || !slices.Equal(live.OffsetIndex.Entries, rebuilt.OffsetIndex.Entries) {
		t.Errorf("offset index: broker %v, recover %v", live.OffsetIndex, rebuilt.OffsetIndex)
	}
	if len(live.TimeIndex.Entries) == 0 || live.TimeIndex.OpenError != nil || !live.TimeIndex.Sanity.OK {
		t.Errorf("time index %+v", live.TimeIndex)
	}
	if live.TxnIndex.Exists && live.TxnIndex.Size != 0 {
		t.Errorf("transaction index %+v", live.TxnIndex)
	}
	if live.SegmentSanity == nil || !live.SegmentSanity.OK || !slices.Equal(live.TimeIndex.Entries, rec.TimeIndex.Entries) {
		t.Errorf("live %+v, recovered %+v", live, rec.TimeIndex)
	}
	seg := k.Records(filepath.Join(dir, "00000000000000000000.log"), RecordsOpts{BatchesOnly: true})
	last := seg.Batches[len(seg.Batches)-1]
	found := k.Lookup(dir, 0, []int64{0, 450, 500}, []int64{0, 1_700_000_000_399, 1_700_000_000_400}, LookupOpts{})
	if f := found.ByOffset; f[0].Found.Position != 0 || f[1].Read.FirstRecordAtOrAfter.Offset != 450 || f[2].Found != nil ||
		f[1].Found.Position != last.Position && f[1].Found.Position+int64(f[1].Found.BatchSize) > last.Position {
		t.Errorf("by offset %+v", f)
	}
	if f := found.ByTime; f[0].Found.Offset != 0 || f[1].Found.Offset != 399 || f[2].Found != nil {
		t.Errorf("by time %+v", f)
	}
	untrimmed := k.Lookup(dir, 0, nil, nil, LookupOpts{KeepZeroTail: true})
	if untrimmed.OffsetIndexEntries != found.OffsetIndexEntries || untrimmed.OffsetIndexEntries != len(live.OffsetIndex.Entries) {
		t.Errorf("entries %d, %d", untrimmed.OffsetIndexEntries, found.OffsetIndexEntries)
	}
}

func TestLoadSnapshotDump(t *testing.T) {
	root, _ := brokerDir(t)
	k := Open(t)
	dir := filepath.Join(root, "t-0")
	loaded := k.Load(dir, LoadOpts{LogOpts: LogOpts{NowMs: 1_700_000_001_000}}) // else both producers have expired
	if !loaded.Loaded || loaded.LogEndOffset != 500 || len(loaded.Segments) != 1 || loaded.Segments[0].NextOffset != 500 ||
		len(loaded.Producers) != 3 || len(loaded.Changes.Removed) != 0 {
		t.Errorf("load %+v", loaded)
	}
	snap := k.Snapshot(filepath.Join(dir, "00000000000000000500.snapshot"))
	if snap.ReadError != nil || len(snap.Producers) != 3 || snap.Producers[0].Batches[0].LastOffset == 0 {
		t.Errorf("snapshot %+v", snap)
	}
	d := k.Dump("--files", filepath.Join(dir, "00000000000000000000.log"))
	if d.ExitStatus() != 0 || d.Stderr != "" || strings.Count(d.Stdout, "baseOffset: ") < 2 {
		t.Errorf("dump %+v", d)
	}
	if d := k.Dump("--nonsense"); d.ExitStatus() != 1 {
		t.Errorf("wrong option: %+v", d)
	}
}

// A request that Kafka refuses and one that takes too long are errors, and the
// next one is answered all the same.
func TestFailures(t *testing.T) {
	k := Open(t)
	var got any
	err := k.Ask("records", map[string]any{"file": filepath.Join(t.TempDir(), "absent.log")}, nil, &got)
	if e, ok := err.(*Error); !ok || !e.IsA("IllegalArgumentException") {
		t.Errorf("absent file: %v", err)
	}
	hasty := *k
	hasty.Timeout = 300 * time.Millisecond
	err = hasty.Ask("consume", map[string]any{"bootstrap": "127.0.0.1:1"}, nil, &got)
	if err == nil || !strings.Contains(err.Error(), "no answer within 300ms") {
		t.Errorf("slow request: %v", err)
	}
	if got := k.Version(); got != KafkaVersion() {
		t.Errorf("after that: %q", got)
	}
}
