package bundle

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/place"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// With redacted names, no name of a topic or of a strange file comes out,
// whatever is wrong with the files; the same names are the same everywhere.
func TestRedactedNames(t *testing.T) {
	above := filepath.Join(t.TempDir(), "acme-corp")
	root := filepath.Join(above, "data")
	log := markerLogs()["v2"]
	dir := batchtest.LogDir{
		NodeID: 1, ClusterID: "cluster-1", DirectoryID: [16]byte{9, 9}, Clean: true,
		Partitions: []*batchtest.Partition{
			{Topic: "payroll.berlin", TopicID: [16]byte{1, 2}, Segments: []*batchtest.Segment{log}, IndexInterval: -1},
			{Topic: "payroll.berlin", Number: 1, TopicID: [16]byte{7, 7}, Segments: []*batchtest.Segment{log}},
			{Topic: "__consumer_offsets", TopicID: [16]byte{3}, Segments: []*batchtest.Segment{batchtest.NewSegment(0)}},
		},
	}
	if err := dir.Write(root); err != nil {
		t.Fatal(err)
	}
	partition := filepath.Join(root, "payroll.berlin-0")
	for _, name := range []string{"payroll.berlin-7.0123456789abcdef0123456789abcdef-delete", "payroll directory", "payroll.berlin-x"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	appendTo(t, filepath.Join(root, "payroll.txt"), "x")
	appendTo(t, filepath.Join(partition, "payroll list.txt"), "x")
	appendTo(t, filepath.Join(root, "replication-offset-checkpoint"), "payroll.other 1 2\n")
	appendTo(t, filepath.Join(partition, "leader-epoch-checkpoint"), "payroll is broken\n")
	appendTo(t, filepath.Join(partition, "00000000000000000000.log"), "payroll is torn")
	for _, path := range []string{root, partition, filepath.Join(partition, "00000000000000000000.log")} {
		members, result := makeBundle(t, path, Options{RedactNames: true, Records: true})
		for name, data := range members {
			for _, word := range []string{"payroll", "acme"} {
				if at := bytes.Index(append([]byte(name+"\n"), data...), []byte(word)); at >= 0 {
					t.Errorf("%s: %q in %s: %.300s", path, word, name, append([]byte(name+"\n"), data...)[max(at-100, 0):])
				}
			}
		}
		if result.Findings.Errors == 0 {
			t.Errorf("%s: no damage was found", path)
		}
	}
	members, _ := makeBundle(t, root, Options{RedactNames: true})
	topic := hashed("topic", "payroll.berlin")
	for _, want := range []string{"headers/" + topic + "-0/00000000000000000000.log.ndjson", "headers/__consumer_offsets-0/00000000000000000000.log.ndjson"} {
		if _, ok := members[want]; !ok {
			t.Errorf("no member %s", want)
		}
	}
	if !strings.Contains(string(members["files/recovery-point-offset-checkpoint"]), topic+" 0 ") {
		t.Errorf("the checkpoint is %q", members["files/recovery-point-offset-checkpoint"])
	}
	// Without the option the names are there, and the path above still isn't.
	members, _ = makeBundle(t, root, Options{})
	for name, data := range members {
		if bytes.Contains(data, []byte("acme")) {
			t.Errorf("the path above is in %s: %s", name, data)
		}
	}
	if _, ok := members["headers/payroll.berlin-0/00000000000000000000.log.ndjson"]; !ok {
		t.Error("no member payroll.berlin-0")
	}
}

func TestTexts(t *testing.T) {
	n := newNamer(&logdir.Target{Path: "/srv/kafka/data", Dir: &logdir.Dir{}}, true)
	n.topic("orders")
	n.topic("a")
	n.topic("__consumer_offsets")
	orders, a := hashed("topic", "orders"), hashed("topic", "a")
	for in, want := range map[string]string{
		"/srv/kafka/data/orders-0/00.log: torn":      orders + "-0/00.log: torn",
		"see /srv/kafka/data2/orders.":               "see /srv/kafka/data2/" + orders + ".",
		"orders-12 is also in a-3.":                  orders + "-12 is also in " + a + "-3.",
		"reorders, a-b and __consumer_offsets-4":     "reorders, a-b and __consumer_offsets-4",
		`line 3: not 3 tokens: "x \" y" it is`:       "line 3: not 3 tokens: <left out> it is",
		"the broker's copy isn't that":               "the broker's copy isn't that",
		"version string 'it's me'":                   "version string <left out>",
		"Malformed line in checkpoint file [/x]: me": "Malformed line in <left out>",
		"offset 42 at 1700000000000":                 "offset 42 at 1700000000000",
		"base offset 9101832543026569572 is":         "base offset <left out> is",
		"base offset -9101832543026569572 is":        "base offset <left out> is",
	} {
		if got := n.text(in); got != want {
			t.Errorf("%q is shown as\n%q, not\n%q", in, got, want)
		}
	}
}

// The same files give the same bytes, however many cores there are.
func TestBundleIsDeterministic(t *testing.T) {
	root := t.TempDir()
	dir := batchtest.LogDir{NodeID: 1, ClusterID: "c", DirectoryID: [16]byte{9, 9}}
	for _, topic := range []string{"b", "a", "c"} {
		dir.Partitions = append(dir.Partitions, &batchtest.Partition{Topic: topic, TopicID: [16]byte{topic[0]}, Segments: []*batchtest.Segment{markerLogs()["v2"]}})
	}
	if err := dir.Write(root); err != nil {
		t.Fatal(err)
	}
	archive := func(workers int) []byte {
		out := t.TempDir()
		if _, err := write(t, t.Context(), root, filepath.Join(out, "r.tar.gz"), Options{Workers: workers, Recovery: testRecovery()}); err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadDir(out)
		if err != nil || len(left) != 1 {
			t.Fatalf("%v, %v", left, err)
		}
		data, err := os.ReadFile(filepath.Join(out, "r.tar.gz"))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if !bytes.Equal(archive(1), archive(4)) {
		t.Error("two bundles of the same files differ")
	}
}

func write(t testing.TB, ctx context.Context, path, out string, o Options) (*Result, error) {
	t.Helper()
	target, err := logdir.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	dir, name, err := place.Beside(out, []string{path})
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	return Write(ctx, target, dir, name, o)
}

// After an interrupt nothing is left.
func TestInterruptLeavesNothing(t *testing.T) {
	p := batchtest.Partition{Topic: "t", Segments: []*batchtest.Segment{markerLogs()["v2"]}}
	path, err := p.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := t.TempDir()
	if _, err := write(t, ctx, path, filepath.Join(out, "r.tar.gz"), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// A limit keeps the first batches, and the damaged ones behind them.
func TestMaxBatches(t *testing.T) {
	p := batchtest.Partition{Topic: "t", Segments: []*batchtest.Segment{markerLogs()["v2"]}}
	path, err := p.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(path, "00000000000000000000.log")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := p.Segments[0].Layout.Batches[6]
	data[damaged.Position+80] ^= 1
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	members, _ := makeBundle(t, path, Options{MaxBatches: 2})
	text := string(members["headers/t-0/00000000000000000000.log.ndjson"])
	for _, want := range []string{`"baseOffset":0,`, `"baseOffset":3,`, `"baseOffset":18,`, `"code":"batch-crc-mismatch"`, `"batches":12,"shown":3,"damaged":1}`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Count(text, "\n") != 5 {
		t.Errorf("not five lines:\n%s", text)
	}
	if !strings.Contains(string(members[manifestName]), "3 of 12 batches") {
		t.Error("the manifest doesn't say what was left out")
	}
}
