package loader_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/internal/logdir"
)

// completed is what a broker logged when it had loaded a partition.
type completed struct{ segments, start, end int64 }

var completedLine = regexp.MustCompile(`Completed load of Log\(dir=\$HOME_OF_NODE/(\S+), topicId=.*\) with (\d+) segments, local-log-start-offset (\d+) and log-end-offset (\d+) in`)

func completedLoads(t *testing.T, file string) map[string]completed {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	loads := map[string]completed{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := completedLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		var n [3]int64
		for i := range n {
			if n[i], err = strconv.ParseInt(m[i+2], 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		name := m[1]
		if strings.HasSuffix(name, "-stray") { // renamed before the line
			name = name[:strings.LastIndexByte(name, '.')]
		}
		loads[name] = completed{n[0], n[1], n[2]}
	}
	return loads
}

func dirPlans(t *testing.T, path string, o loader.DirOptions) (*loader.Start, map[string]*loader.Plan) {
	t.Helper()
	target, err := logdir.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	start, err := loader.Dir(target.Dir, o)
	if err != nil {
		t.Fatal(err)
	}
	plans := map[string]*loader.Plan{}
	for loaded := range start.Plans(context.Background()) {
		if loaded.Err != nil {
			t.Fatal(loaded.Err)
		}
		plans[filepath.Base(loaded.Path)] = loaded.Plan
	}
	return start, plans
}

func dirDefaults() loader.DirOptions {
	return loader.DirOptions{Options: defaults(), Workers: 2}
}

// Whole log directories that were killed, torn, trimmed or interrupted, before
// and after the start of a real broker: the offsets and segments that it
// logged, and the files that it left.
func TestForecastsOfLogDirs(t *testing.T) {
	for _, c := range []struct{ state, before, after, log string }{
		{"killed", "*/killed", "killed-recovered", "killed-recovered.broker.log"},
		{"killed", "*/torn", "torn-recovered", "torn-recovered.broker.log"},
		{"interrupted-cleaner", "*/*/before", "after", "after.broker.log"},
		{"deleterecords", "*/stopped", "restarted", "restarted.broker.log"},
		{"jbod", "*/stray-before", "stray-after", "stray.broker.log"},
	} {
		t.Run(c.state+" "+filepath.Base(c.before), func(t *testing.T) {
			t.Parallel()
			dirs, err := filepath.Glob(filepath.Join(fixture.State(t, c.state), c.before))
			if err != nil || len(dirs) == 0 {
				t.Fatalf("no directories: %v", err)
			}
			for _, dir := range dirs {
				compareStart(t, dir, filepath.Join(filepath.Dir(dir), c.after), completedLoads(t, filepath.Join(filepath.Dir(dir), c.log)))
			}
		})
	}
}

func compareStart(t *testing.T, before, after string, loads map[string]completed) {
	t.Helper()
	seen := 0
	for _, dir := range fixture.LogDirs(t, before) {
		base := filepath.Base(dir)
		if dir == before {
			base = "d1"
		}
		fixture.RequireUnchanged(t, dir)
		_, plans := dirPlans(t, dir, dirDefaults())
		for name, plan := range plans {
			if plan.Metadata {
				continue
			}
			want, logged := loads[base+"/"+name]
			if !logged {
				t.Errorf("%s: no line about %s/%s", before, base, name)
				continue
			}
			seen++
			got := completed{int64(len(plan.Segments)), plan.LogStart, plan.LogEnd}
			if !plan.Loads || got != want {
				t.Errorf("%s/%s: %+v (%v), the broker %+v", dir, name, got, plan.Failure, want)
			}
			left := filepath.Join(after, strings.TrimPrefix(dir, before), name)
			if _, err := os.Stat(left); err == nil && plan.Marker != logdir.Future { // a move went on
				compareFiles(t, plan, left)
			}
		}
	}
	if seen == 0 || seen != len(loads) {
		t.Errorf("%s: %d of %d loads compared", before, seen, len(loads))
	}
}

// compareFiles: a coordinator may have appended a marker or a commit to the
// last segment after the start.
func compareFiles(t *testing.T, plan *loader.Plan, dir string) {
	t.Helper()
	after, err := logdir.OpenPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	var want []loader.Segment
	for _, s := range after.Segments {
		if s.Log != nil {
			want = append(want, loader.Segment{BaseOffset: s.BaseOffset, Size: s.Log.Size})
		}
	}
	got := slices.Clone(plan.Segments)
	if n := len(got); n > 0 && n == len(want) && want[n-1].Size > got[n-1].Size {
		if more := want[n-1].Size - got[n-1].Size; more > 200 {
			t.Errorf("%s: %d bytes more in the last segment", dir, more)
		}
		got[n-1].Size = want[n-1].Size
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: segments %v, the broker %v", dir, got, want)
	}
	// Snapshots of the producers: those foretold, and nothing older.
	for _, s := range after.Snapshots {
		if slices.Contains(plan.Removed, s.Name) {
			t.Errorf("%s: %s was to go", dir, s.Name)
		}
	}
	for _, name := range plan.Added {
		if strings.HasSuffix(name, ".snapshot") && !slices.ContainsFunc(after.Snapshots, func(e logdir.Entry) bool { return e.Name == name }) {
			t.Errorf("%s: %s was to come", dir, name)
		}
	}
}

// A directory that is being moved has the checkpoint of its partition, and one
// that is deleted is an empty log.
func TestForecastOfMovedAndDeleted(t *testing.T) {
	for _, dir := range fixture.LogDirs(t, fixture.State(t, "jbod", "a/moving-deleted-stopped")) {
		start, plans := dirPlans(t, dir, dirDefaults())
		if !start.Clean {
			t.Errorf("%s: not clean", dir)
		}
		moving, deleted := 0, 0
		for name, plan := range plans {
			if !plan.Loads || plan.Lost.Any() {
				t.Errorf("%s: loads %v, loses %+v", name, plan.Loads, plan.Lost)
			}
			switch plan.Marker {
			case logdir.Future:
				moving++
				if plan.LogEnd == 0 || plan.Options.RecoveryPoint != plan.LogEnd {
					t.Errorf("%s: end %d, recovery point %d", name, plan.LogEnd, plan.Options.RecoveryPoint)
				}
			case logdir.Delete:
				deleted++
				if plan.LogEnd != 0 || len(plan.Segments) == 0 {
					t.Errorf("%s: end %d, %d segments", name, plan.LogEnd, len(plan.Segments))
				}
			}
		}
		if moving != 1 || deleted == 0 {
			t.Errorf("%s: %d moving, %d deleted", dir, moving, deleted)
		}
	}
}
