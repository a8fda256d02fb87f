package loader_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// logDir writes a log directory of plain partitions: a-0, b-0, b-1, each with
// recovery points at their ends.
func logDir(t *testing.T, clean bool) string {
	t.Helper()
	d := &batchtest.LogDir{NodeID: 1, ClusterID: "MkU3OEVBNTcwNTJENDM2Qk", DirectoryID: [16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, Clean: clean}
	for i, name := range []string{"a", "b", "b"} {
		profile := batchtest.Plain()
		profile.BaseOffset = 0
		p := batchtest.GeneratePartition(uint64(i+1), profile, 3)
		p.Topic, p.Number = name, max(0, i-1)
		d.Partitions = append(d.Partitions, p)
	}
	root := t.TempDir()
	if err := d.Write(root); err != nil {
		t.Fatal(err)
	}
	return root
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// spoil flips a bit in the first segment of a partition.
func spoil(t *testing.T, dir string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: no logs: %v", dir, err)
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	data[100] ^= 1
	writeFile(t, names[0], string(data))
}

// What the marker and the checkpoints protect from being looked at.
func TestMarkerAndRecoveryPoints(t *testing.T) {
	for _, c := range []struct {
		name         string
		clean        bool
		change       func(t *testing.T, dir string)
		o            func(*loader.DirOptions)
		loses, fault bool
	}{
		{name: "clean stop", clean: true},
		{name: "recovery points", clean: false},
		{name: "clean stop ignored, recovery points", clean: true, o: func(o *loader.DirOptions) { o.Unclean = true }},
		{name: "recovery points ignored", o: func(o *loader.DirOptions) { o.NoRecoveryPoint = true }, loses: true},
		{name: "clean stop wins", clean: true, o: func(o *loader.DirOptions) { o.NoRecoveryPoint = true }},
		{name: "malformed recovery points", change: func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "recovery-point-offset-checkpoint"), "0\n2\na 0 7\n")
		}, loses: true, fault: true},
		{name: "no recovery points", change: func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "recovery-point-offset-checkpoint"), "")
		}, loses: true},
		{name: "empty marker of old releases", change: func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, ".kafka_cleanshutdown"), "")
			writeFile(t, filepath.Join(dir, "recovery-point-offset-checkpoint"), "")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := logDir(t, c.clean)
			spoil(t, filepath.Join(dir, "b-1"))
			if c.change != nil {
				c.change(t, dir)
			}
			o := dirDefaults()
			if c.o != nil {
				c.o(&o)
			}
			start, plans := dirPlans(t, dir, o)
			if len(plans) != 3 || start.Partitions != 3 || plans["a-0"].Lost.Any() || plans["b-0"].Lost.Any() {
				t.Errorf("plans %v", plans)
			}
			if got := plans["b-1"].Lost.Any(); got != c.loses {
				t.Errorf("loses: %v, want %v", got, c.loses)
			}
			if got := start.RecoveryPointsFault != nil; got != c.fault {
				t.Errorf("fault: %v", start.RecoveryPointsFault)
			}
		})
	}
}

func TestLogStarts(t *testing.T) {
	dir := logDir(t, true)
	_, plans := dirPlans(t, dir, dirDefaults())
	end := plans["a-0"].LogEnd
	writeFile(t, filepath.Join(dir, "log-start-offset-checkpoint"), "0\n1\na 0 5\n")
	if _, plans = dirPlans(t, dir, dirDefaults()); plans["a-0"].LogStart != 5 || plans["b-0"].LogStart != 0 {
		t.Errorf("starts %d and %d", plans["a-0"].LogStart, plans["b-0"].LogStart)
	}
	// Above the end: everything goes, and the log begins there.
	writeFile(t, filepath.Join(dir, "log-start-offset-checkpoint"), "0\n1\na 0 999999\n")
	_, plans = dirPlans(t, dir, dirDefaults())
	a := plans["a-0"]
	if a.LogStart != 999999 || a.LogEnd != 999999 || len(a.Segments) != 1 || a.Lost.FirstOffset != 0 || a.Lost.LastOffset != end-1 {
		t.Errorf("%d to %d, %v, lost %+v", a.LogStart, a.LogEnd, a.Segments, a.Lost)
	}
	writeFile(t, filepath.Join(dir, "log-start-offset-checkpoint"), "0\n1\na 0 x\n")
	start, plans := dirPlans(t, dir, dirDefaults())
	if start.LogStartsFault == nil || plans["a-0"].LogStart != 0 || plans["a-0"].Lost.Any() {
		t.Errorf("%v, %d", start.LogStartsFault, plans["a-0"].LogStart)
	}
}

// What stops the broker before it touches a partition, or by a partition.
func TestStartFails(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(t *testing.T, dir string)
		class   string
		dirs    bool // a failure of the log directory
		offline bool
		failing string
	}{
		{name: "directory of another name", change: func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, "lost+found"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, class: "KafkaException", dirs: true},
		{name: "meta.properties", change: func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "meta.properties"), "version=7\n")
		}, class: "RuntimeException", dirs: true},
		{name: "twice", change: func(t *testing.T, dir string) {
			if err := os.CopyFS(filepath.Join(dir, "b-01"), os.DirFS(filepath.Join(dir, "b-1"))); err != nil {
				t.Fatal(err)
			}
		}, class: "IllegalStateException", failing: "b-1"},
		{name: "epochs", change: func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "b-0", "leader-epoch-checkpoint"), "0\n1\n1 2 3\n")
		}, class: "IOException", offline: true, failing: "b-0"},
		{name: "topic id", change: func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "b-0", "partition.metadata"), "version: 0\n")
		}, class: "NullPointerException", failing: "b-0"},
		{name: "name of a segment", change: func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "b-0", "copy.log"), "")
		}, class: "NumberFormatException", failing: "b-0"},
		{name: "name of a snapshot", change: func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "b-0", "old.snapshot"), "")
		}, class: "NumberFormatException", failing: "b-0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := logDir(t, false)
			c.change(t, dir)
			start, plans := dirPlans(t, dir, dirDefaults())
			if (start.Failure != nil) != c.dirs || c.dirs && simple(start.Failure.Class) != c.class {
				t.Fatalf("failure of the log dir: %v", start.Failure)
			}
			failed := 0
			for name, p := range plans {
				if p.Loads {
					continue
				}
				failed++
				if simple(p.Failure.Class) != c.class || p.Failed() != c.offline {
					t.Errorf("%s: %v, offline %v", name, p.Failure, p.Failed())
				}
				if !c.dirs && !strings.HasPrefix(name, c.failing) && name != "b-01" {
					t.Errorf("%s fails", name)
				}
				if len(p.Segments) != 3 {
					t.Errorf("%s: %d segments", name, len(p.Segments))
				}
			}
			if want := map[bool]int{true: 3, false: 1}[c.dirs]; failed != want {
				t.Errorf("%d partitions fail, want %d", failed, want)
			}
		})
	}
}

func TestFilterOfPartitions(t *testing.T) {
	dir := logDir(t, true)
	o := dirDefaults()
	o.Filter = logdir.Filter{Topic: "b", Partitions: []int32{1}}
	if _, plans := dirPlans(t, dir, o); len(plans) != 1 || plans["b-1"] == nil {
		t.Errorf("%v", plans)
	}
}

// The controllers' log is always recovered as after an unclean stop.
func TestMetadataLogIsAlwaysUnclean(t *testing.T) {
	dirs := fixture.LogDirs(t, fixture.State(t, "kraft", "a/clean"))
	if len(dirs) == 0 {
		t.Fatal("no directories")
	}
	for _, dir := range dirs {
		start, plans := dirPlans(t, dir, dirDefaults())
		m := plans["__cluster_metadata-0"]
		if m == nil || !m.Metadata || m.Options.Clean || !start.Clean || !m.Loads || m.Lost.Any() {
			t.Errorf("%s: clean %v, %+v", dir, start.Clean, m)
		}
	}
}
