package rebuild_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/rebuild"
)

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
