package place

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kafsck/kafsck/internal/logdir"
)

// FileOptions say what is around a single file.
type FileOptions struct {
	// Sources are the paths that are read.
	Sources []string
	// Replace allows a plain file of that name to be replaced, at once, when
	// the new one is complete. A file of Kafka's never is.
	Replace bool
}

// Single is one new file in a directory that may hold others. It has its name
// when Commit returns nil.
type Single struct {
	*File
	replace bool
}

// NewFile begins a file in a directory that exists. It is refused in a
// directory where it would do harm, as Open does. Until Commit nothing that was
// there before is changed.
func NewFile(path string, o FileOptions) (*Single, error) {
	name := filepath.Base(path)
	if err := checkName(name); err != nil {
		return nil, err
	}
	resolved, err := resolve(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	if err := checkBeside(path, resolved, o.Sources); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(resolved)
	if err != nil {
		return nil, err
	}
	d := &Dir{path: filepath.Dir(path), fs: rooted{root}}
	f, err := newSingle(d, path, name, o.Replace)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return f, nil
}

func newSingle(d *Dir, path, name string, replace bool) (*Single, error) {
	switch info, err := d.fs.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case !replace:
		return nil, refuse(path, "is there already; --force replaces it")
	case !info.Mode().IsRegular() || logdir.ParseName(name).Kind != logdir.KindUnknown:
		return nil, refuse(path, "can't be replaced: it is no plain file, or one of Kafka's")
	}
	if replace {
		// What an earlier run left when it was killed.
		if info, err := d.fs.Lstat(name + unfinished); err == nil && info.Mode().IsRegular() {
			if err := d.fs.Remove(name + unfinished); err != nil {
				return nil, err
			}
		}
	}
	f, err := d.create(".", name)
	if err != nil {
		return nil, err
	}
	return &Single{File: f, replace: replace}, nil
}

// Commit makes the content durable and gives the file its name.
func (s *Single) Commit() error {
	if s.done {
		return fs.ErrClosed
	}
	if s.replace {
		s.dir.fs = replacing{s.dir.fs}
	}
	return errors.Join(s.File.Commit(), s.dir.Close())
}

// Discard removes the file, unless it is committed.
func (s *Single) Discard() error {
	if s.done {
		return nil
	}
	return errors.Join(s.File.Discard(), s.dir.Close())
}

// replacing is a system in which nothing stands in the way of a new name.
type replacing struct{ system }

func (replacing) Lstat(string) (fs.FileInfo, error) { return nil, fs.ErrNotExist }
