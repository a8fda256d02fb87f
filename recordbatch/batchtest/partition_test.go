package batchtest

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twoSegments has a committed transaction in the first segment and one in the
// second that begins in the first and is aborted.
func twoSegments() *Partition {
	txn := func(base, pid int64, sequence int32) Batch {
		return NewBatch(base, ts+base, KV("k", "v")).WithProducer(pid, 2, sequence).WithAttributes(AttrTransactional)
	}
	return &Partition{
		Topic: "orders", Number: 3, TopicID: [16]byte{1, 2, 3}, IndexInterval: -1,
		Segments: []*Segment{
			NewSegment(0, txn(0, 7, 0), txn(1, 8, 0), Marker(2, ts+2, 7, 2, true, 15)),
			NewSegment(3, txn(3, 8, 1).WithEpoch(4), Marker(4, ts+4, 8, 2, false, 16).WithEpoch(4)),
		},
	}
}

func TestPartitionFiles(t *testing.T) {
	files := twoSegments().Build()
	want := []string{
		FileName(0, ".index"), FileName(0, ".log"), FileName(0, ".timeindex"),
		FileName(3, ".index"), FileName(3, ".log"), FileName(3, ".snapshot"), FileName(3, ".timeindex"), FileName(3, ".txnindex"),
		FileName(5, ".snapshot"), "leader-epoch-checkpoint", "partition.metadata",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(files))); diff != "" {
		t.Fatal(diff)
	}
	for name, content := range map[string][]byte{
		"leader-epoch-checkpoint": []byte("0\n2\n0 0\n4 3\n"),
		"partition.metadata":      []byte("version: 0\ntopic_id: AQIDAAAAAAAAAAAAAAAAAA"),
		FileName(3, ".txnindex"):  AppendTxnIndex(nil, AbortedTxn{0, 8, 1, 4, 5}),
		FileName(3, ".snapshot"): Snapshot(
			ProducerEntry{7, 2, 0, 0, 0, ts + 2, 15, -1}, ProducerEntry{8, 2, 0, 1, 0, ts + 1, -1, 1}),
		FileName(5, ".snapshot"): Snapshot(
			ProducerEntry{7, 2, 0, 0, 0, ts + 2, 15, -1}, ProducerEntry{8, 2, 1, 3, 0, ts + 4, 16, -1}),
	} {
		if !bytes.Equal(files[name], content) {
			t.Errorf("%s: %q, want %q", name, files[name], content)
		}
	}
}

// While another producer's transaction is open, it holds back the stable
// offset of an aborted one.
func TestLastStableOffset(t *testing.T) {
	var p Producers
	data := func(base, pid int64) Entry {
		return NewBatch(base, ts, Record{}).WithProducer(pid, 0, 0).WithAttributes(AttrTransactional)
	}
	s := NewSegment(0, data(0, 1), data(1, 2), Marker(2, ts, 2, 0, false, 0), Marker(3, ts, 1, 0, false, 0), Marker(4, ts, 1, 0, false, 0))
	for i := range s.Layout.Batches {
		p.Append(&s.Layout.Batches[i])
	}
	want := []AbortedTxn{{0, 2, 1, 2, 0}, {0, 1, 0, 3, 4}}
	if diff := cmp.Diff(want, p.Aborted); diff != "" {
		t.Error(diff)
	}
}

func TestWriteLogDir(t *testing.T) {
	p := twoSegments()
	p.Preallocated = 100
	p.Files = map[string][]byte{"partition.metadata": nil, "note": []byte("x")}
	root := t.TempDir()
	d := LogDir{Partitions: []*Partition{p}, NodeID: 1, ClusterID: "c", Clean: true, Files: map[string][]byte{".lock": nil}}
	if err := d.Write(root); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int64{
		"orders-3/" + FileName(3, ".index"): 96, "orders-3/" + FileName(3, ".timeindex"): 96,
		"orders-3/" + FileName(0, ".index"): 16, "orders-3/note": 1,
		"orders-3/partition.metadata": -1, ".lock": -1, ".kafka_cleanshutdown": 29,
		"recovery-point-offset-checkpoint": int64(len("0\n1\norders 3 5\n")),
	} {
		got := int64(-1)
		if info, err := os.Stat(filepath.Join(root, name)); err == nil {
			got = info.Size()
		}
		if got != size {
			t.Errorf("%s: %d bytes, want %d (-1: none)", name, got, size)
		}
	}
}
