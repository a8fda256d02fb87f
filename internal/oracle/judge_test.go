//go:build kafka

package oracle

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kafsck/kafsck/internal/fixture"
)

// The harness says of the captured files what Kafka's own tools, run by hand
// in another place, said of them.

func TestDumpIsTheTools(t *testing.T) {
	k := Open(t)
	dirs := map[string]string{}
	n, skipped := 0, 0
	for g := range fixture.Goldens(t) {
		if reworded(g) {
			skipped++
			continue
		}
		if dirs[g.Capture] == "" {
			dirs[g.Capture] = fixture.CaptureDir(t, g.Capture)
		}
		n++
		d := k.DumpIn(dirs[g.Capture], append([]string{"--files", g.File}, g.Flags...)...)
		if stderr := withoutLog(d.Stderr); KafkaVersion() == DefaultKafkaVersion && g.Exit == 0 && stderr != string(g.Stderr) {
			t.Errorf("%s: stderr (-tool +harness)\n%s", g.Name(), firstDiff(string(g.Stderr), stderr))
		}
		if d.Stdout != string(g.Stdout) || d.ExitStatus() != g.Exit {
			t.Errorf("%s: exit %d, tool's %d; (-tool +harness)\n%s", g.Name(), d.ExitStatus(), g.Exit, firstDiff(string(g.Stdout), d.Stdout))
		}
	}
	for c := range fixture.FlagCases(t) {
		n++
		d := k.DumpIn(dirs["kafka-4.4.0"], c.Args...)
		if d.Stdout != string(c.Stdout) {
			t.Errorf("%s %q: (-tool +harness)\n%s", c.Name, c.Args, firstDiff(string(c.Stdout), d.Stdout))
		}
	}
	t.Logf("%d texts compared, %d known to be worded differently by Kafka %s", n, skipped, KafkaVersion())
	if n < 100 {
		t.Errorf("only %d texts", n)
	}
}

// reworded tells whether releases other than that of the captured texts are
// known to word this one differently; docs/testing.md says how.
func reworded(g fixture.Golden) bool {
	v := KafkaVersion()
	switch {
	case v == DefaultKafkaVersion:
		return false
	case g.Mode == fixture.ModeDecoded:
		return true
	case path.Ext(g.File) == ".snapshot":
		return v < "4.3"
	default:
		return v < "4.1" && strings.Contains(g.File, "__cluster_metadata")
	}
}

// withoutLog removes what Kafka's classes logged, as was done with the texts.
func withoutLog(stderr string) string {
	var b strings.Builder
	for line := range strings.Lines(stderr) {
		if level, _, _ := strings.Cut(line, " "); level != "INFO" && level != "WARN" && level != "ERROR" {
			b.WriteString(line)
		}
	}
	return b.String()
}

func firstDiff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return "-" + w[i] + "\n+" + g[i]
		}
	}
	return cmp.Diff(len(w), len(g))
}

func TestRecordsAreTheCaptured(t *testing.T) {
	k := Open(t)
	n := 0
	for f := range fixture.Records(t) {
		n++
		dir := fixture.Copy(t, path.Join(f.Capture, path.Dir(f.File)))
		seg := k.Records(filepath.Join(dir, path.Base(f.File)), RecordsOpts{})
		var got []fixture.Batch
		for _, b := range seg.Batches {
			if !b.OK() {
				t.Errorf("%s: batch %+v", f.File, b)
			}
			got = append(got, b.Batch)
		}
		if !reflect.DeepEqual(f.Batches, got) { // a Diff of everything takes minutes
			t.Errorf("%s: (-captured +harness)\n%s", f.File, cmp.Diff(f.Batches, got))
		}
	}
	if n < 40 {
		t.Errorf("only %d files", n)
	}
}

func TestRecoverIsTheBrokers(t *testing.T) {
	k := Open(t)
	n := 0
	for r := range fixture.Recovered(t, "kafka-4.4.0", "clients") {
		dir := r.Partition.Dir(t)
		for _, name := range r.Files(t) {
			if path.Ext(name) != ".index" {
				continue
			}
			n++
			base := baseOf(t, name)
			out := filepath.Join(t.TempDir(), "out")
			rec := k.Recover(dir, base, RecoverOpts{
				LogOpts:       LogOpts{IndexInterval: Bytes(r.Interval), MaxIndexSize: r.MaxBytes, OutDir: out},
				ProducerState: FromReplay,
			})
			if !rec.OK {
				t.Errorf("%s %d: %v", r.Rel, base, rec.Failure)
			}
			for _, suffix := range []string{".index", ".timeindex", ".txnindex"} {
				want := fileOrNil(t, filepath.Join(fixture.Segments(t), r.Rel, strings.TrimSuffix(name, ".index")+suffix))
				got := fileOrNil(t, SegmentFile(filepath.Join(out, r.Partition.Name), base, suffix))
				if !bytes.Equal(want, got) {
					t.Errorf("%s %d%s: %d bytes, captured %d", r.Rel, base, suffix, len(got), len(want))
				}
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d segments", n)
	}
}

func baseOf(t *testing.T, name string) int64 {
	t.Helper()
	base, err := strconv.ParseInt(strings.TrimSuffix(name, path.Ext(name)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return base
}

// fileOrNil takes a missing file and an empty one for the same.
func fileOrNil(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return b
}
