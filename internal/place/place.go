package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// partial is the end of the name of a set of files that isn't complete.
const partial = ".partial"

// unfinished is the end of the name of a file that isn't complete.
const unfinished = ".kafsck-unfinished"

// Options say what is around the directory.
type Options struct {
	// Sources are the paths that are read: the directory must have nothing to
	// do with them.
	Sources []string
	// Resume allows the directory to hold what an earlier run left: complete
	// sets, which stay, and incomplete ones, which are thrown away.
	Resume bool
	// Own says whether a name in the directory is one that such a run gives.
	Own func(name string) bool
}

// Dir is a directory to which files are added. It is for one goroutine.
type Dir struct {
	path    string
	fs      system
	resumed bool
}

// Open checks a directory, makes it where it doesn't exist, and opens it. An
// error for which errors.Is(err, ErrRefused) holds has changed nothing.
func Open(path string, o Options) (*Dir, error) {
	resolved, err := check(path, o.Sources)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(resolved)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(resolved, 0o755); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	default:
		if err := checkEntries(path, entries, o); err != nil {
			return nil, err
		}
	}
	root, err := os.OpenRoot(resolved)
	if err != nil {
		return nil, err
	}
	d := &Dir{path: path, fs: rooted{root}, resumed: o.Resume}
	if o.Resume {
		if err := d.sweep(); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	return d, nil
}

// checkEntries accepts an empty directory, and one to resume.
func checkEntries(path string, entries []fs.DirEntry, o Options) error {
	if len(entries) == 0 {
		return nil
	}
	own := o.Own
	if own == nil {
		own = func(string) bool { return false }
	}
	foreign := slices.IndexFunc(entries, func(e fs.DirEntry) bool {
		return !own(strings.TrimSuffix(strings.TrimSuffix(e.Name(), unfinished), partial))
	})
	switch {
	case foreign >= 0:
		return refuse(path, "is not empty: it holds %q", entries[foreign].Name())
	case !o.Resume:
		return refuse(path, "is not empty: it holds %q of an earlier run; --resume goes on where that one stopped, or name a new directory", entries[0].Name())
	}
	return nil
}

// sweep throws incomplete sets and files away.
func (d *Dir) sweep() error {
	entries, err := d.fs.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch {
		case strings.HasSuffix(e.Name(), partial) && e.IsDir():
			err = d.removeSet(e.Name())
		case strings.HasSuffix(e.Name(), unfinished) && e.Type().IsRegular():
			err = d.fs.Remove(e.Name())
		}
		if err != nil {
			return fmt.Errorf("%s: throw the unfinished %s away: %w", d.path, e.Name(), err)
		}
	}
	return d.fs.SyncDir(".")
}

// removeSet removes a directory with plain files in it; anything else in it
// is not of this package, and stays.
func (d *Dir) removeSet(name string) error {
	entries, err := d.fs.ReadDir(name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			return fmt.Errorf("%s in it is no file", e.Name())
		}
	}
	for _, e := range entries {
		if err := d.fs.Remove(filepath.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return d.fs.Remove(name)
}

// Close gives the directory back. It commits nothing.
func (d *Dir) Close() error { return d.fs.Close() }

// Has says whether a complete file or set of this name is there.
func (d *Dir) Has(name string) (bool, error) {
	_, err := d.fs.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Drop removes a file that an earlier run completed, in a directory that is
// resumed.
func (d *Dir) Drop(name string) error {
	info, err := d.fs.Lstat(name)
	switch {
	case err != nil:
		return err
	case !d.resumed || checkName(name) != nil || !info.Mode().IsRegular():
		return refuse(filepath.Join(d.path, name), "is no file of an earlier run")
	}
	return d.fs.Remove(name)
}

// Create begins a file directly in the directory.
func (d *Dir) Create(name string) (*File, error) { return d.create(".", name) }

// Begin begins a set of files: a directory that gets its name when it is
// complete.
func (d *Dir) Begin(name string) (*Set, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	there, err := d.Has(name)
	if err != nil {
		return nil, err
	}
	if there {
		return nil, fmt.Errorf("%s: %w", filepath.Join(d.path, name), fs.ErrExist)
	}
	if err := d.fs.Mkdir(name + partial); err != nil {
		return nil, err
	}
	return &Set{dir: d, name: name}, nil
}

// Set is a directory under way.
type Set struct {
	dir  *Dir
	name string
	done bool
}

// Create begins a file of the set.
func (s *Set) Create(name string) (*File, error) { return s.dir.create(s.name+partial, name) }

// Path is where a file of the set will be, as the user reaches it.
func (s *Set) Path(name string) string { return filepath.Join(s.dir.path, s.name, name) }

// Commit makes the set durable and gives it its name.
func (s *Set) Commit() error {
	if s.done {
		return fs.ErrClosed
	}
	if err := s.dir.fs.SyncDir(s.name + partial); err != nil {
		return err
	}
	if err := s.dir.rename(s.name+partial, s.name); err != nil {
		return err
	}
	s.done = true
	return s.dir.fs.SyncDir(".")
}

// Discard throws the set away, unless it is committed.
func (s *Set) Discard() error {
	if s.done {
		return nil
	}
	s.done = true
	return s.dir.removeSet(s.name + partial)
}

// rename never replaces anything.
func (d *Dir) rename(from, to string) error {
	if _, err := d.fs.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fs.ErrExist
		}
		return fmt.Errorf("%s: %w", filepath.Join(d.path, to), err)
	}
	return d.fs.Rename(from, to)
}

// checkName accepts the name of one entry.
func checkName(name string) error {
	if !filepath.IsLocal(name) || filepath.Base(name) != name || name == "." {
		return fmt.Errorf("%q can't be the name of a file", name)
	}
	return nil
}
