package logdir_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/logdir"
)

// write makes files of the given names below dir; a name that ends in "/" is a
// directory.
func write(t *testing.T, dir string, names ...string) string {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// segmentsOf writes segments as "base: log index …", one a line.
func segmentsOf(p *logdir.Partition) string {
	var b strings.Builder
	for _, s := range p.Segments {
		fmt.Fprintf(&b, "%d:", s.BaseOffset)
		for _, e := range []*logdir.Entry{s.Log, s.Index, s.TimeIndex, s.TxnIndex, s.Snapshot} {
			if e != nil {
				b.WriteString(" " + e.File.Kind.String())
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func names(entries []logdir.Entry) string {
	var s []string
	for _, e := range entries {
		s = append(s, e.Name)
	}
	return strings.Join(s, " ")
}

// TestRealStates lists log directories that real brokers left: nothing is
// unknown or unreadable, and every file stands in exactly one place. (Someone
// put a notes.txt into two of them.)
func TestRealStates(t *testing.T) {
	dirs := 0
	for _, state := range []string{"jbod", "tiered"} {
		for _, path := range fixture.LogDirs(t, fixture.State(t, state)) {
			dirs++
			target, err := logdir.Open(path)
			if err != nil || target.Dir == nil {
				t.Fatalf("%s: %+v %v", path, target, err)
			}
			d := target.Dir
			if len(d.Partitions) == 0 || d.MetaProperties == nil || d.RecoveryPoints == nil || d.HighWatermarks == nil || d.LogStarts == nil || d.CleanerOffsets == nil {
				t.Errorf("%s: %+v", path, d)
			}
			if d.Issues != nil || d.UnknownDirs != nil || names(d.Other) != "" && names(d.Other) != "notes.txt" {
				t.Errorf("%s: issues %v, directories %v, files %v", path, d.Issues, d.UnknownDirs, d.Other)
			}
			for _, ref := range d.Partitions {
				checkRealPartition(t, ref)
			}
		}
	}
	if dirs < 7 {
		t.Errorf("only %d log directories", dirs)
	}
}

func checkRealPartition(t *testing.T, ref logdir.PartitionRef) {
	t.Helper()
	p, err := ref.Open()
	if err != nil {
		t.Error(err)
		return
	}
	if !p.HasName || p.Dir != ref.Dir || !p.Dir.Canonical || logdir.CheckTopic(p.Dir.Topic) != nil {
		t.Errorf("%s: %+v", p.Path, p.Dir)
	}
	if p.Issues != nil || p.Other != nil {
		t.Errorf("%s: issues %v, files %v", p.Path, p.Issues, p.Other)
	}
	var listed, there []string
	for _, e := range p.Files() {
		listed = append(listed, e.Path)
		if info, err := os.Stat(e.Path); err != nil || info.Size() != e.Size || !info.ModTime().Equal(e.ModTime) {
			t.Errorf("%s: %v", e.Path, err)
		}
		if !e.File.Canonical {
			t.Errorf("%s is not canonical", e.Path)
		}
	}
	entries, err := os.ReadDir(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		there = append(there, filepath.Join(p.Path, e.Name()))
	}
	if !slices.Equal(listed, there) {
		t.Errorf("listed %v\nthere %v", listed, there)
	}
}

func TestPartitionListing(t *testing.T) {
	dir := write(t, filepath.Join(t.TempDir(), "t-1"),
		"00000000000000000000.log", "00000000000000000000.index", "00000000000000000000.timeindex",
		"00000000000000000010.log", "00000000000000000010.txnindex", "00000000000000000010.snapshot",
		"9.index", "9223372036854775807.log", "00000000000000000011.snapshot",
		"00000000000000000010.log.deleted", "00000000000000000010.index.bak-20260102T030405Z",
		"10.log", "x.log", "notes", "leader-epoch-checkpoint", "partition.metadata", "partition.metadata.tmp",
		"00000000000000000005-0000000001.checkpoint", "00000000000000000005.log/", "dir/")
	p, err := logdir.OpenPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := "0: .log .index .timeindex\n9: .index\n10: .log .txnindex .snapshot\n9223372036854775807: .log\n"
	if got := segmentsOf(p); got != want {
		t.Errorf("segments:\n%s", got)
	}
	if p.Segments[2].Log.Name != "00000000000000000010.log" {
		t.Errorf("%s is taken for the segment 10", p.Segments[2].Log.Name)
	}
	for got, want := range map[string]string{
		names(p.Snapshots):   "00000000000000000010.snapshot 00000000000000000011.snapshot",
		names(p.Checkpoints): "00000000000000000005-0000000001.checkpoint",
		names(p.Leftovers):   "00000000000000000010.index.bak-20260102T030405Z 00000000000000000010.log.deleted partition.metadata.tmp",
		names(p.Other):       "10.log notes x.log",
		p.LeaderEpochs.Name:  "leader-epoch-checkpoint",
		p.Metadata.Path:      filepath.Join(dir, "partition.metadata"),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	var issues []string
	for _, i := range p.Issues {
		issues = append(issues, fmt.Sprintf("%d %s", i.Kind, strings.TrimPrefix(i.Error(), dir+string(filepath.Separator))))
	}
	slices.Sort(issues)
	wantIssues := []string{
		fmt.Sprintf("%d 00000000000000000005.log: is a directory, not a file", logdir.NotAFile),
		fmt.Sprintf("%d dir: is a directory, not a file", logdir.NotAFile),
		fmt.Sprintf("%d 10.log: means the same as 00000000000000000010.log, which is the one in use", logdir.SecondName),
	}
	if !slices.Equal(issues, wantIssues) {
		t.Errorf("issues %q", issues)
	}
}

// openDir lists a log directory.
func openDir(path string) (*logdir.Dir, error) {
	target, err := logdir.Open(path)
	if err != nil {
		return nil, err
	}
	return target.Dir, nil
}

func TestDirListing(t *testing.T) {
	dir := write(t, t.TempDir(), "t-10/", "t-2/", "a.b-0/", "t-2.x-future/", "lost+found/", "remote-log-index-cache/",
		"meta.properties", ".lock", ".kafka_cleanshutdown", "bootstrap.checkpoint", "cleaner-offset-checkpoint.tmp", "readme", "t-3")
	d, err := openDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, r := range d.Partitions {
		order = append(order, filepath.Base(r.Path))
	}
	if want := []string{"a.b-0", "t-2", "t-2.x-future", "t-10"}; !slices.Equal(order, want) {
		t.Errorf("order %v", order)
	}
	if names(d.UnknownDirs) != "lost+found" || d.RemoteIndexCache == nil || names(d.Leftovers) != "cleaner-offset-checkpoint.tmp" || names(d.Other) != "readme t-3" {
		t.Errorf("%+v", d)
	}
	if got := names(d.Files()); got != ".kafka_cleanshutdown .lock bootstrap.checkpoint cleaner-offset-checkpoint.tmp meta.properties readme t-3" {
		t.Errorf("files %s", got)
	}
}

// TestOpen: what a path is, and that paths stay as they were given.
func TestOpen(t *testing.T) {
	root := write(t, t.TempDir(),
		"kafka-logs-1/meta.properties", "kafka-logs-1/t-0/00000000000000000000.log", "kafka-logs-1/empty-3/",
		"fresh/t-0/partition.metadata", "odd/t-0/orders.log", "copied/00000000000000000000.log", "other/notes", "nothing/", "remote-log-index-cache/5_pNhtXwJcRoO8G_77LU2IGw.index",
		"logs-2/t-0/00000000000000000007.log", "closed/.kafka_cleanshutdown", "etc/dbus-1/session.conf", "etc/empty-1/", "var/lib/readme", "var/kafka/meta.properties", "orders-9/notes")
	t.Chdir(root)
	for path, want := range map[string]string{
		"kafka-logs-1":                    "dir kafka-logs-1 first t-0=empty-3",
		"./kafka-logs-1/":                 "dir ./kafka-logs-1/",
		"kafka-logs-1/t-0":                "partition t-0 kafka-logs-1/t-0/00000000000000000000.log",
		"kafka-logs-1/empty-3":            "partition empty-3",
		"fresh":                           "dir fresh",
		"logs-2":                          "dir logs-2",
		"odd":                             "dir odd",
		"closed":                          "dir closed",
		"etc/empty-1":                     "partition empty-1",
		"copied":                          "partition - copied/00000000000000000000.log",
		"./kafka-logs-1//meta.properties": "file ./kafka-logs-1//meta.properties",
		"other/notes":                     "file other/notes",
	} {
		target, err := logdir.Open(filepath.FromSlash(path))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var got string
		switch {
		case target.Dir != nil:
			got = "dir " + target.Path
			if path == "kafka-logs-1" {
				got += " first t-0=" + target.Dir.Partitions[0].Dir.Topic + "-3"
			}
		case target.Partition != nil:
			got = "partition -"
			if target.Partition.HasName {
				got = "partition " + target.Partition.Dir.String()
			}
			for _, s := range target.Partition.Segments {
				got += " " + filepath.ToSlash(s.Log.Path)
			}
		case target.File != nil:
			got = "file " + target.File.Path
		}
		if got != filepath.FromSlash(want) && got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	for _, path := range []string{"other", "nothing", "remote-log-index-cache", "etc", "etc/dbus-1", "var", "orders-9"} {
		if target, err := logdir.Open(path); !errors.Is(err, logdir.ErrNotKafka) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: %+v %v", path, target, err)
		}
	}
	if _, err := logdir.Open("var"); !strings.HasSuffix(err.Error(), "; a log directory is "+filepath.Join("var", "kafka")) {
		t.Errorf("the log directory below is not named: %v", err)
	}
	t.Chdir("kafka-logs-1/t-0")
	if target, err := logdir.Open("."); err != nil || target.Partition == nil || target.Partition.Dir.Topic != "t" || target.Partition.Segments[0].Log.Path != "00000000000000000000.log" {
		t.Errorf(".: %+v %v", target, err)
	}
}

func TestSymlinks(t *testing.T) {
	root := write(t, t.TempDir(), "d/t-0/00000000000000000000.log", "elsewhere/u-0/00000000000000000000.log", "elsewhere/file")
	link := func(to, from string) {
		if err := os.Symlink(to, filepath.Join(root, from)); err != nil {
			t.Skip(err)
		}
	}
	link(filepath.Join(root, "elsewhere", "u-0"), "d/u-0")
	link("t-0", "d/v-0")
	link(filepath.Join(root, "elsewhere", "file"), "d/t-0/00000000000000000000.index")
	link("nowhere", "d/t-0/00000000000000000001.index")
	link("00000000000000000002.index", "d/t-0/00000000000000000002.index")
	d, err := openDir(filepath.Join(root, "d"))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Partitions) != 3 || d.Partitions[1].Link == "" || d.Partitions[2].Link != "t-0" || d.Partitions[0].Link != "" {
		t.Errorf("%+v", d.Partitions)
	}
	if len(d.Issues) != 1 || d.Issues[0].Kind != logdir.LeadsOutside || filepath.Base(d.Issues[0].Path) != "u-0" {
		t.Errorf("%v", d.Issues)
	}
	p, err := d.Partitions[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	if got := segmentsOf(p); got != "0: .log .index\n" {
		t.Errorf("segments %s", got)
	}
	kinds := map[logdir.IssueKind]int{}
	for _, i := range p.Issues {
		kinds[i.Kind]++
	}
	if kinds[logdir.LeadsOutside] != 1 || kinds[logdir.Unreadable] != 2 {
		t.Errorf("%v", p.Issues)
	}
}

func TestOpenFile(t *testing.T) {
	root := write(t, t.TempDir(), "file")
	f, size, err := logdir.OpenFile(filepath.Join(root, "file"))
	if err != nil || size != 4 {
		t.Fatal(size, err)
	}
	if _, writes := any(f).(io.Writer); writes {
		t.Error("the file can be written to")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := logdir.OpenFile(filepath.Join(root, "gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, _, err := logdir.OpenFile(root); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Error(err)
	}
}

func TestFilter(t *testing.T) {
	old, now := time.Unix(1000, 0), time.Unix(2000, 0)
	entry := func(at time.Time) *logdir.Entry { return &logdir.Entry{ModTime: at} }
	segments := []logdir.Segment{
		{BaseOffset: 0, Log: entry(old)},
		{BaseOffset: 5, Index: entry(now)},
		{BaseOffset: 10, Log: entry(old), TimeIndex: entry(now)},
		{BaseOffset: 20, Log: entry(old)},
	}
	for _, c := range []struct {
		filter logdir.Filter
		want   []int64
	}{
		{logdir.Filter{}, []int64{0, 5, 10, 20}},
		{logdir.Filter{Newest: 1}, []int64{20}},
		{logdir.Filter{Newest: 2}, []int64{10, 20}},
		{logdir.Filter{Newest: 3}, []int64{0, 5, 10, 20}},
		{logdir.Filter{Newest: 99}, []int64{0, 5, 10, 20}},
		{logdir.Filter{ModifiedSince: now}, []int64{5, 10}},
		{logdir.Filter{ModifiedSince: now, Newest: 1}, nil},
	} {
		var got []int64
		for _, s := range c.filter.Segments(segments) {
			got = append(got, s.BaseOffset)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c.filter, got)
		}
	}
	refs := []logdir.PartitionRef{{Dir: logdir.PartitionDir{Topic: "orders.eu"}}, {Dir: logdir.PartitionDir{Topic: "orders.us", Partition: 3}}, {Dir: logdir.PartitionDir{Topic: "x", Partition: 3}}}
	for _, c := range []struct {
		filter logdir.Filter
		want   int
	}{
		{logdir.Filter{}, 3}, {logdir.Filter{Topic: "orders.*"}, 2}, {logdir.Filter{Topic: "orders"}, 0}, {logdir.Filter{Topic: "?"}, 1},
		{logdir.Filter{Partitions: []int32{3, 4}}, 2}, {logdir.Filter{Topic: "o*", Partitions: []int32{3}}, 1},
	} {
		if got := len(c.filter.Select(refs)); got != c.want || c.filter.Validate() != nil {
			t.Errorf("%+v: %d", c.filter, got)
		}
	}
	for _, bad := range []logdir.Filter{{Topic: "a["}, {Newest: -1}, {Partitions: []int32{1, -1}}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}
