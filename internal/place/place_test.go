package place

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// work puts one set and one file into a directory, as a salvage does.
func work(d *Dir) error {
	set, err := d.Begin("t-0")
	if err != nil {
		return err
	}
	err = func() error {
		for _, name := range []string{"a.log", "a.index"} {
			f, err := set.Create(name)
			if err != nil {
				return err
			}
			if _, err := f.Write([]byte("content of " + name)); err != nil {
				return errors.Join(err, f.Discard())
			}
			if err := f.Commit(); err != nil {
				return err
			}
		}
		f, err := d.Create("t-0.manifest")
		if err != nil {
			return err
		}
		if _, err := f.Write([]byte("manifest")); err != nil {
			return errors.Join(err, f.Discard())
		}
		return f.Commit()
	}()
	if err == nil {
		err = set.Commit()
	}
	return errors.Join(err, set.Discard())
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	tree, err := fixture.HashTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for name := range tree {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func TestPlaces(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "out")
	d, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := work(d); err != nil {
		t.Fatal(err)
	}
	if there, err := d.Has("t-0"); !there || err != nil {
		t.Error(there, err)
	}
	if _, err := d.Begin("t-0"); !errors.Is(err, fs.ErrExist) {
		t.Error("a set of the same name:", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "t-0", "a.log")); string(b) != "content of a.log" {
		t.Error(string(b), err)
	}
}

// faulty fails at the operation number at, or from there on stops doing
// anything, as a crash does.
type faulty struct {
	system
	at, n int
	crash bool
}

var errInjected = errors.New("injected")

func (f *faulty) step() error {
	f.n++
	if f.n == f.at || f.crash && f.n > f.at {
		return errInjected
	}
	return nil
}

func (f *faulty) Mkdir(name string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.system.Mkdir(name)
}

func (f *faulty) Create(name string) (file, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	inner, err := f.system.Create(name)
	return &faultyFile{inner, f}, err
}

func (f *faulty) Rename(from, to string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.system.Rename(from, to)
}

func (f *faulty) Remove(name string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.system.Remove(name)
}

func (f *faulty) SyncDir(name string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.system.SyncDir(name)
}

type faultyFile struct {
	file
	f *faulty
}

func (f *faultyFile) Write(p []byte) (int, error) {
	if err := f.f.step(); err != nil {
		n, _ := f.file.Write(p[:len(p)/2]) // a full disk takes a part
		return n, err
	}
	return f.file.Write(p)
}

func (f *faultyFile) Sync() error {
	if err := f.f.step(); err != nil {
		return err
	}
	return f.file.Sync()
}

// Whatever operation fails, or is the last one before a crash: a name stands
// for something complete, the failure is told, what was there stays, and a
// second run that resumes brings it to its end.
func TestEveryFailure(t *testing.T) {
	for _, crash := range []bool{false, true} {
		untouched := false
		for at := 1; !untouched; at++ {
			base := t.TempDir()
			write(t, filepath.Join(base, "beside"), "mine")
			dir := filepath.Join(base, "out")
			options := Options{Resume: true, Own: func(name string) bool { return strings.HasPrefix(name, "t-0") }}
			d, err := Open(dir, options)
			if err != nil {
				t.Fatal(err)
			}
			f := &faulty{system: d.fs, at: at, crash: crash}
			d.fs = f
			err = work(d)
			untouched = f.n < at
			if (err == nil) != untouched {
				t.Errorf("operation %d: %v, of %d operations", at, err, f.n)
			}
			_ = f.system.Close()
			for _, name := range names(t, dir) {
				if strings.Contains(name, partial) || strings.HasSuffix(name, unfinished) {
					continue
				}
				want := "manifest"
				if filepath.Dir(name) == "t-0" {
					want = "content of " + filepath.Base(name)
				}
				if b, err := os.ReadFile(filepath.Join(dir, name)); string(b) != want {
					t.Errorf("operation %d: %s holds %q, %v", at, name, b, err)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "t-0")); err == nil && len(names(t, filepath.Join(dir, "t-0"))) != 2 {
				t.Errorf("operation %d: the set is named before it is complete", at)
			}
			if d, err = Open(dir, options); err != nil {
				t.Fatal(at, err)
			}
			if there, _ := d.Has("t-0"); !there {
				if there, _ := d.Has("t-0.manifest"); there {
					if err := d.Drop("t-0.manifest"); err != nil {
						t.Fatal(err)
					}
				}
				if err := work(d); err != nil {
					t.Errorf("resumed after operation %d: %v", at, err)
				}
			}
			_ = d.Close()
			if got := names(t, base); !slices.Equal(got, []string{"beside", "out/t-0.manifest", "out/t-0/a.index", "out/t-0/a.log"}) {
				t.Errorf("after operation %d: %v", at, got)
			}
		}
	}
}
