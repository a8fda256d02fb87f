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

func defaults() rebuild.Options {
	return rebuild.Options{Version: kafkaversion.Latest, Interval: 4096, MaxIndexSize: 10 << 20, Workers: 2}
}

// run rebuilds a partition directory.
func run(t testing.TB, dir string, o rebuild.Options) ([]*rebuild.Plan, error) {
	t.Helper()
	p, err := logdir.OpenPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	var plans []*rebuild.Plan
	for plan, err := range rebuild.New(o).Partition(context.Background(), p, p.Segments, 0) {
		if err != nil {
			return plans, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// errorsOf joins what was refused.
func errorsOf(plans []*rebuild.Plan, err error) error {
	all := []error{err}
	for _, plan := range plans {
		all = append(all, plan.Err)
	}
	return errors.Join(all...)
}

func mustRun(t testing.TB, dir string, o rebuild.Options) []*rebuild.Plan {
	t.Helper()
	plans, err := run(t, dir, o)
	if err := errorsOf(plans, err); err != nil {
		t.Fatal(err)
	}
	return plans
}

// spoiled is a copy of a captured partition whose indexes are garbage.
func spoiled(t testing.TB) string {
	t.Helper()
	dir := fixture.Copy(t, "kafka-4.4.0/closed/txn-0")
	for _, name := range indexes(t, dir) {
		if err := os.WriteFile(filepath.Join(dir, name), bytes.Repeat([]byte{1}, 80), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func indexes(t testing.TB, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := logdir.ParseName(e.Name()); name.Kind.IsIndex() && name.Suffix == logdir.NoSuffix {
			names = append(names, e.Name())
		}
	}
	return names
}

func read(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The files of Kafka 4.4.0's own recovery, for the partition of spoiled.
func recovered(t testing.TB) map[string][]byte {
	t.Helper()
	for r := range fixture.Recovered(t, "kafka-4.4.0") {
		if r.Partition.Name == "txn-0" && r.Interval == 4096 && r.MaxBytes == 10<<20 {
			files := map[string][]byte{}
			for _, name := range r.Files(t) {
				if logdir.ParseName(name).Kind.IsIndex() {
					files[name] = r.ReadFile(t, name)
				}
			}
			return files
		}
	}
	t.Fatal("no golden files")
	return nil
}

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

func TestDamagedLog(t *testing.T) {
	dir := spoiled(t)
	path := filepath.Join(dir, "00000000000000000010.log")
	log := read(t, path)
	log[3000] ^= 1
	if err := os.WriteFile(path, log, 0o600); err != nil {
		t.Fatal(err)
	}
	o := defaults()
	o.InPlace, o.Interval = true, 100
	plans, err := run(t, dir, o)
	if err := errorsOf(plans, err); !errors.Is(err, rebuild.ErrDamaged) {
		t.Fatal(err)
	}
	for _, name := range indexes(t, dir) {
		refused := strings.HasPrefix(name, "00000000000000000010")
		if is := bytes.Equal(read(t, dir, name), bytes.Repeat([]byte{1}, 80)); is != refused {
			t.Errorf("%s: untouched %v", name, is)
		}
	}
	o.Prefix, o.Verify = true, true
	plans = mustRun(t, dir, o)
	damage := plans[1].Damage
	if damage == nil || damage.Thrown == nil || damage.Position <= 0 || damage.Position > 3000 || damage.Left != int64(len(log))-damage.Position {
		t.Fatalf("%+v", damage)
	}
	// What a broker would keep, recovered by itself, has the same indexes.
	prefix := fixture.Copy(t, "kafka-4.4.0/closed/txn-0")
	if err := os.WriteFile(filepath.Join(prefix, "00000000000000000010.log"), log[:damage.Position], 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, prefix, o)
	for _, name := range indexes(t, dir) {
		if !bytes.Equal(read(t, dir, name), read(t, prefix, name)) {
			t.Errorf("%s differs from that of the part before the damage", name)
		}
	}
}

func TestFullIndex(t *testing.T) {
	dir := spoiled(t)
	fixture.RequireUnchanged(t, dir)
	o := defaults()
	o.InPlace, o.Interval, o.MaxIndexSize = true, 0, 24
	plans, err := run(t, dir, o)
	err = errorsOf(plans, err)
	if !errors.Is(err, rebuild.ErrFull) || !strings.Contains(err.Error(), "Attempt to append to a full time index (size = 1).") {
		t.Errorf("got %v", err)
	}
}

func TestSymbolicLinks(t *testing.T) {
	dir := spoiled(t)
	elsewhere := filepath.Join(t.TempDir(), "x.index")
	name := filepath.Join(dir, "00000000000000000010.index")
	if err := errors.Join(os.Rename(name, elsewhere), os.Symlink(elsewhere, name)); err != nil {
		t.Fatal(err)
	}
	o := defaults()
	o.InPlace = true
	if err := errorsOf(run(t, dir, o)); !errors.Is(err, rebuild.ErrLink) {
		t.Errorf("a link to elsewhere: %v", err)
	}
	if got := read(t, elsewhere); len(got) != 80 {
		t.Errorf("written through the link: %d bytes", len(got))
	}
	inside := filepath.Join(dir, "kept.index")
	if err := errors.Join(os.Remove(name), os.Rename(elsewhere, inside), os.Symlink("kept.index", name)); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, o)
	if link, err := os.Readlink(name); err != nil || link != "kept.index" {
		t.Errorf("the link became %q, %v", link, err)
	}
	if !bytes.Equal(read(t, inside), recovered(t)["00000000000000000010.index"]) {
		t.Error("the file behind the link is not the new one")
	}
}

// touchy calls a function before the first temporary file is made.
type touchy struct {
	rebuild.FS
	do func()
}

func (f *touchy) CreateTemp(dir, pattern string) (rebuild.TempFile, error) {
	if f.do != nil {
		f.do()
		f.do = nil
	}
	return f.FS.CreateTemp(dir, pattern)
}

func TestLogThatChangesMeanwhile(t *testing.T) {
	path := func(dir string) string { return filepath.Join(dir, "00000000000000000000.log") }
	for name, change := range map[string]func(t *testing.T, dir string){
		"grows": func(t *testing.T, dir string) {
			f, err := os.OpenFile(path(dir), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.Write([]byte("more"))
			if err := errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
		},
		"is rewritten with the same size and time": func(t *testing.T, dir string) {
			info, err := os.Stat(path(dir))
			if err != nil {
				t.Fatal(err)
			}
			log := read(t, path(dir))
			log[len(log)-1] ^= 1
			if err := errors.Join(os.WriteFile(path(dir), log, 0o600), os.Chtimes(path(dir), info.ModTime(), info.ModTime())); err != nil {
				t.Fatal(err)
			}
		},
		"is replaced": func(t *testing.T, dir string) {
			log := read(t, path(dir))
			if err := errors.Join(os.Remove(path(dir)), os.WriteFile(path(dir), log, 0o600)); err != nil {
				t.Fatal(err)
			}
		},
		"is deleted": func(t *testing.T, dir string) {
			if err := os.Remove(path(dir)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := spoiled(t)
			o := defaults()
			o.InPlace, o.Workers = true, 1
			o.FS = &touchy{rebuild.OS, func() { change(t, dir) }}
			plans, err := run(t, dir, o)
			if err := errorsOf(plans, err); !errors.Is(err, rebuild.ErrChanged) {
				t.Errorf("got %v", err)
			}
			for _, index := range []string{"00000000000000000000.index", "00000000000000000000.timeindex"} {
				if got := read(t, dir, index); len(got) != 80 {
					t.Errorf("%s was written", index)
				}
			}
		})
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
