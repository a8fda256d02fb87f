package rebuild_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/rebuild"
)

func TestInPlace(t *testing.T) {
	dir := spoiled(t)
	log := read(t, dir, "00000000000000000010.log")
	if err := os.Chmod(filepath.Join(dir, "00000000000000000010.index"), 0o604); err != nil {
		t.Fatal(err)
	}
	o := defaults()
	o.InPlace, o.Verify = true, true
	want := recovered(t)
	written := 0
	for _, plan := range mustRun(t, dir, o) {
		for _, x := range plan.Files {
			if x.Written == "" || x.Backup == "" || x.Identical || x.Diff.FirstSlot != 0 {
				t.Errorf("%+v", x)
			}
			if got := read(t, x.Backup); !bytes.Equal(got, bytes.Repeat([]byte{1}, 80)) {
				t.Errorf("%s: %d other bytes", x.Backup, len(got))
			}
			written++
		}
	}
	if written != len(want) {
		t.Errorf("%d files written, want %d", written, len(want))
	}
	for name, content := range want {
		if got := read(t, dir, name); !bytes.Equal(got, content) {
			t.Errorf("%s: %d bytes, want %d", name, len(got), len(content))
		}
	}
	info, err := os.Stat(filepath.Join(dir, "00000000000000000010.index"))
	if err != nil || info.Mode().Perm() != 0o604 {
		t.Errorf("%v %v", info, err)
	}
	if !bytes.Equal(log, read(t, dir, "00000000000000000010.log")) {
		t.Error("the log was changed")
	}
	fixture.RequireUnchanged(t, dir)
	for _, plan := range mustRun(t, dir, o) { // once more: all is right, nothing is touched
		for _, x := range plan.Files {
			if !x.Identical || x.Written != "" || x.Backup != "" {
				t.Errorf("%+v", x)
			}
		}
	}
}

func TestDryRunSaysHowItDiffers(t *testing.T) {
	dir := fixture.Copy(t, "kafka-4.4.0/closed/txn-0")
	path := filepath.Join(dir, "00000000000000000010.index")
	o := defaults()
	o.Interval = 100
	o.InPlace = true
	mustRun(t, dir, o)
	index := read(t, path)
	entries := len(index) / 8
	// One entry removed, one changed, one added, and preallocated.
	spoil := append(bytes.Clone(index[:8]), index[16:]...)
	binary.BigEndian.PutUint32(spoil[8:], binary.BigEndian.Uint32(spoil[8:])-1)
	spoil = indexfile.AppendOffsetEntry(spoil, indexfile.OffsetEntry{RelativeOffset: 1000, Position: 1 << 20})
	spoil = append(spoil, make([]byte, 800)...)
	if err := os.WriteFile(path, spoil, 0o600); err != nil {
		t.Fatal(err)
	}
	fixture.RequireUnchanged(t, dir)
	o.InPlace = false
	for _, plan := range mustRun(t, dir, o) {
		for _, x := range plan.Files {
			if x.File != path {
				if !x.Identical {
					t.Errorf("%+v", x)
				}
				continue
			}
			d := x.Diff
			if d.Added != 1 || d.Removed != 1 || d.Changed != 1 || d.FirstSlot != 1 || !bytes.Equal(d.New, index[8:16]) || !bytes.Equal(d.Old, spoil[8:16]) {
				t.Errorf("%+v", d)
			}
			if x.Before.Entries != entries || !x.Before.Preallocated || x.Entries != entries || x.Written != "" {
				t.Errorf("%+v %+v", x, x.Before)
			}
		}
	}
}

func TestOutDir(t *testing.T) {
	dir := spoiled(t)
	fixture.RequireUnchanged(t, dir)
	out := t.TempDir()
	o := defaults()
	o.OutDir, o.Verify = out, true
	mustRun(t, dir, o)
	for name, content := range recovered(t) {
		if !bytes.Equal(read(t, out, "txn-0", name), content) {
			t.Errorf("%s differs", name)
		}
	}
	if got := len(indexes(t, filepath.Join(out, "txn-0"))); got != len(recovered(t)) {
		t.Errorf("%d files", got)
	}
	fixture.RequireUnchanged(t, out)
	if err := errorsOf(run(t, dir, o)); !errors.Is(err, rebuild.ErrExists) {
		t.Errorf("a second time: %v", err)
	}
	o.OutDir = filepath.Dir(dir)
	if err := errorsOf(run(t, dir, o)); err == nil || !strings.Contains(err.Error(), "--in-place") {
		t.Errorf("into the partition itself: %v", err)
	}
}

func TestCleansUpItsOwnLeftoversOnly(t *testing.T) {
	dir := spoiled(t)
	ours := "00000000000000000010.index.kafsck-123.new"
	others := []string{"00000000000000000010.index.bak-20200101T000000.000000000Z", "00000000000000000010.index.new", "x.kafsck-1.new", "notes.txt", "00000000000000000010.log.kafsck-1.new", "00000000000000000010.index.swap"}
	for _, name := range append([]string{ours}, others...) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, dir, defaults())
	if _, err := os.Stat(filepath.Join(dir, ours)); err != nil {
		t.Error("a dry run removed something", err)
	}
	o := defaults()
	o.InPlace = true
	mustRun(t, dir, o)
	if _, err := os.Stat(filepath.Join(dir, ours)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", ours, err)
	}
	for _, name := range others {
		if string(read(t, dir, name)) != "x" {
			t.Errorf("%s was changed", name)
		}
	}
}

func TestKindsAndReleases(t *testing.T) {
	for _, c := range []struct {
		version string
		kinds   []indexfile.Kind
		want    string
	}{
		{"4.4", nil, "offset time txn"},
		{"4.4", []indexfile.Kind{indexfile.Time}, "time"},
		{"4.4", []indexfile.Kind{indexfile.Txn, indexfile.Offset}, "offset txn"},
		{"0.10.2.2", nil, "offset time"},
		{"0.10.0.1", nil, "offset"},
	} {
		dir := fixture.Copy(t, "kafka-4.4.0/closed/txn-0")
		o := defaults()
		var err error
		if o.Version, err = kafkaversion.Parse(c.version); err != nil {
			t.Fatal(err)
		}
		o.Kinds, o.Prefix = c.kinds, true
		plans, err := run(t, dir, o)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range plans[1].Files {
			got = append(got, x.Kind.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %v: %v, want %s", c.version, c.kinds, got, c.want)
		}
	}
}

func TestInterrupted(t *testing.T) {
	dir := spoiled(t)
	fixture.RequireUnchanged(t, dir)
	p, err := logdir.OpenPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o := defaults()
	o.InPlace = true
	for plan, err := range rebuild.New(o).Partition(ctx, p, p.Segments, 0) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%+v %v", plan, err)
		}
	}
}

func TestAppendRuleOption(t *testing.T) {
	dir := fixture.Copy(t, "legacy/1.1.1/closed/none-0")
	o := defaults()
	o.Version, o.Rule, o.Interval = kafkaversion.Version{1, 1, 1}, recovery.Append, 256
	for _, plan := range mustRun(t, dir, o) {
		for _, x := range plan.Files {
			if !x.Identical {
				t.Errorf("%s differs: %+v", x.File, x.Diff)
			}
		}
	}
}

func TestTimesAreNotKept(t *testing.T) {
	dir := spoiled(t)
	o := defaults()
	o.InPlace = true
	start := time.Now().Add(-time.Minute)
	mustRun(t, dir, o)
	info, err := os.Stat(filepath.Join(dir, "00000000000000000010.index"))
	if err != nil || info.ModTime().Before(start) {
		t.Errorf("%v %v", info, err)
	}
}
