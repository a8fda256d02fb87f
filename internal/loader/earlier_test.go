package loader_test

import (
	"bytes"
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// border is a partition with which releases differ.
type border struct {
	name    string
	files   map[string][]byte
	options loader.Options
	// outcomes are the simple names of exceptions, or "" for a partition that
	// loads, by release.
	outcomes map[string]string
	offline  string                  // the release that loses the log directory only
	check    func(*loader.Plan) bool // of what loads
}

func (b *border) write(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "small-0")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range b.files {
		writeFile(t, filepath.Join(dir, name), string(data))
	}
	return dir
}

func borders() []border {
	log, name := batchtest.FileName(0, ".log"), func(suffix string) string { return batchtest.FileName(0, suffix) }
	kv := func(base int64) batchtest.Batch {
		return batchtest.NewBatch(base, 1_700_000_000_000+base, batchtest.KV("k", "v"))
	}
	open := func(base int64) batchtest.Batch { return kv(base).WithProducer(7, 0, int32(base)).WithAttributes(0x10) }
	v0 := func(offset int64) []byte { return batchtest.V0(offset, nil, []byte("v")).Append(nil) }
	size := len(kv(0).Encode())
	logOf := func(batches ...batchtest.Batch) (data []byte) {
		for _, b := range batches {
			data = append(data, b.Encode()...)
		}
		return data
	}
	three := logOf(kv(0), kv(1), kv(2))
	claims := func(data []byte, length uint32) []byte {
		data = bytes.Clone(data)
		binary.BigEndian.PutUint32(data[size+8:], length)
		return data
	}
	type files = map[string][]byte
	// Complete, so that no release has to rebuild an index.
	whole := func(data []byte, more files) files {
		all := files{log: data, name(".index"): nil, name(".timeindex"): nil}
		maps.Copy(all, more)
		return all
	}
	epochs := func(text string) files { return whole(three, files{"leader-epoch-checkpoint": []byte(text)}) }
	second := batchtest.FileName(2, ".log")
	return []border{
		{name: "a number that is none", files: epochs("0\n1\nzero 0\n"), options: loader.Options{Clean: true}, outcomes: map[string]string{
			"0.10.2.2": "", "0.11.0.3": "IOException", "1.0.2": "KafkaStorageException", "3.0.2": "KafkaStorageException", "3.1.2": "NumberFormatException", "3.9.1": "NumberFormatException"}},
		{name: "a line too many", files: epochs("0\n1\n0 0\n1 1\n"), options: loader.Options{Clean: true}, offline: "3.2.3", outcomes: map[string]string{
			"0.11.0.3": "IOException", "2.8.2": "KafkaStorageException", "3.1.2": "KafkaStorageException", "3.2.3": "IOException"}},
		{name: "a later version of the topic id", files: whole(three, files{"partition.metadata": []byte("version: 1\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n")}), options: loader.Options{Clean: true}, offline: "3.6.2", outcomes: map[string]string{
			"2.7.2": "", "2.8.2": "KafkaStorageException", "3.6.2": "IOException", "3.7.2": ""}},
		{name: "a .swap that is none", files: whole(three, files{"leader-epoch-checkpoint.swap": nil}), options: loader.Options{Clean: true}, outcomes: map[string]string{
			"1.1.1": "", "2.8.2": "", "3.0.2": "NumberFormatException"}},
		{name: "a .cleaned that is none", files: whole(three, files{"leader-epoch-checkpoint.cleaned": nil}), options: loader.Options{Clean: true}, outcomes: map[string]string{
			"1.1.1": "", "2.0.1": "NumberFormatException"}},
		{name: "a length that a sum of 32 bits can't hold", files: whole(claims(three, 0x7ffffff0), nil), outcomes: map[string]string{
			"0.10.1.1": "", "0.10.2.2": "", "0.11.0.3": "OutOfMemoryError", "1.1.0": "OutOfMemoryError", "1.1.1": "", "2.8.2": ""}},
		{name: "the largest length", files: whole(claims(three, 0x7fffffff), nil), outcomes: map[string]string{
			"0.10.2.2": "", "0.11.0.3": "IllegalArgumentException", "1.1.0": "IllegalArgumentException", "1.1.1": ""}},
		{name: "a marker that can't be decoded", files: whole(append(logOf(kv(0)), batchtest.ControlBatch(1, 0, batchtest.Record{Key: []byte{255, 0, 0, 0}, Value: make([]byte, 6)}).WithProducer(7, 0, -1).WithAttributes(0x30).Encode()...), nil), outcomes: map[string]string{
			"0.11.0.3": "InvalidRecordException", "2.2.2": "InvalidRecordException", "3.9.1": "InvalidRecordException", "4.4.0": "InvalidRecordException"}},
		{name: "an offset that does not fit", files: whole(logOf(kv(0), kv(1<<32), kv(1<<32+1)), nil), outcomes: map[string]string{"1.1.1": "", "2.0.1": ""},
			check: func(p *loader.Plan) bool { return (len(p.Segments) == 1) == p.Options.Version.Before(2) }},
		{name: "an offset below the base", files: files{second: logOf(kv(0), kv(1)), strings.TrimSuffix(second, ".log") + ".index": nil}, outcomes: map[string]string{
			"1.1.1": "", "2.8.2": "IllegalArgumentException"}},
		{name: "recovered below the log's start", options: loader.Options{LogStart: 2}, files: whole(logOf(kv(0), kv(1)), files{second: logOf(kv(2), kv(3)), strings.TrimSuffix(second, ".log") + ".index": nil}), outcomes: map[string]string{
			"0.10.2.2": "", "0.11.0.3": "IllegalArgumentException", "1.1.1": "IllegalArgumentException", "2.0.1": ""}},
		{name: "a .swap that doesn't count, beside the index of its segment", options: loader.Options{Clean: true}, files: whole(append(three[:2*size:2*size], append(kv(2).Encode()[:30], 0)...), files{
			name(".log.swap"): three, name(".log.cleaned"): nil,
		}), outcomes: map[string]string{"2.2.2": "", "2.8.2": "", "3.0.2": ""},
			check: func(p *loader.Plan) bool {
				return (p.Segments[0].Size == int64(2*size)) == (!p.Options.Version.Before(2, 3) && p.Options.Version.Before(3))
			}},
		{name: "no segment", options: loader.Options{LogStart: 9}, files: files{"leader-epoch-checkpoint": nil}, outcomes: map[string]string{"2.2.0": "", "2.2.1": ""},
			check: func(p *loader.Plan) bool { return (p.Segments[0].BaseOffset == 0) == p.Options.Version.Before(2, 2, 1) }},
		{name: "an open transaction that the log lost", options: loader.Options{Clean: true}, files: whole(logOf(open(0)), files{
			batchtest.FileName(1, ".log"): nil, batchtest.FileName(1, ".index"): nil, batchtest.FileName(1, ".timeindex"): nil,
			batchtest.FileName(1, ".snapshot"): batchtest.Snapshot(batchtest.ProducerEntry{ProducerID: 7, LastOffset: 1, CurrentTxnFirstOffset: 1, CoordinatorEpoch: -1}),
		}), outcomes: map[string]string{"2.3.1": "NullPointerException", "2.4.0": ""}},
		{name: "zeros behind messages, and the index of another log", options: loader.Options{Clean: true}, files: files{
			log: append(v0(0), make([]byte, 100)...), name(".index"): batchtest.AppendIndex(nil, 0, batchtest.IndexEntry{Offset: 5, Position: int64(len(v0(0)))}),
		}, outcomes: map[string]string{"0.10.1.1": "IllegalStateException", "0.10.2.2": "CorruptRecordException"}},
		{name: "v2 to those that don't know it", options: loader.Options{Clean: true}, files: whole(logOf(batchtest.NewBatch(0, 0, batchtest.KV("a", "b"), batchtest.KV("a", "b"))), nil), outcomes: map[string]string{"0.10.2.2": "", "0.11.0.3": ""},
			check: func(p *loader.Plan) bool { return (p.LogEnd == 1) == p.Options.Version.Before(0, 11) }},
		{name: "three bytes too many in the newest index", options: loader.Options{Clean: true}, files: files{log: v0(0), name(".index"): {1, 2, 3}}, outcomes: map[string]string{
			"0.8.0": "IllegalStateException", "0.8.2.2": "", "0.9.0.1": ""}},
	}
}

// What earlier releases do otherwise, as the releases themselves say
// (TestEarlierKafkaLoads).
func TestEarlierReleases(t *testing.T) {
	for _, c := range borders() {
		for _, text := range slices.Sorted(maps.Keys(c.outcomes)) {
			version, err := kafkaversion.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			o := c.options
			o.Version, o.Interval, o.MaxIndexSize = version, 0, 1<<16
			plan := planFor(t, c.write(t), o)
			class := ""
			if plan.Failure != nil {
				class = simple(plan.Failure.Class)
			}
			if want := c.outcomes[text]; class != want {
				t.Errorf("%s, %s: %v, want %q", c.name, text, plan.Failure, want)
				continue
			}
			if plan.Failed() != (text == c.offline) {
				t.Errorf("%s, %s: the log directory goes offline: %v", c.name, text, plan.Failed())
			}
			if c.check != nil && plan.Loads && !c.check(plan) {
				t.Errorf("%s, %s: segments %v, end %d", c.name, text, plan.Segments, plan.LogEnd)
			}
		}
	}
}

// An exception has the name that its class had.
func TestClassesByRelease(t *testing.T) {
	batch := batchtest.NewBatch(0, 0, batchtest.KV("k", "v")).Encode()
	b := border{files: map[string][]byte{batchtest.FileName(5, ".log.swap"): batch, batchtest.FileName(0, ".log"): batch, batchtest.FileName(0, ".index"): nil}}
	version, err := kafkaversion.Parse("2.8.2")
	if err != nil {
		t.Fatal(err)
	}
	plan := planFor(t, b.write(t), loader.Options{Version: version, MaxIndexSize: 1 << 16, Clean: true})
	if plan.Failure == nil || plan.Failure.Class != "kafka.common.LogSegmentOffsetOverflowException" {
		t.Errorf("%v", plan.Failure)
	}
}
