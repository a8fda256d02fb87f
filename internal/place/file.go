package place

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// File is a new file under way. What was written can be read back. It has its
// name when Commit returns nil.
type File struct {
	dir    *Dir
	parent string // relative to the directory
	name   string
	file   file
	size   int64
	done   bool
}

func (d *Dir) create(parent, name string) (*File, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	f := &File{dir: d, parent: parent, name: name}
	var err error
	if f.file, err = d.fs.Create(f.temporary()); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) temporary() string { return filepath.Join(f.parent, f.name+unfinished) }

// Write appends.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	f.size += int64(n)
	return n, err
}

// ReadAt reads what was written.
func (f *File) ReadAt(p []byte, position int64) (int, error) { return f.file.ReadAt(p, position) }

// Size is the number of bytes written.
func (f *File) Size() int64 { return f.size }

// Commit makes the content durable, closes the file and gives it its name. Of
// a file that belongs to a set, the name becomes durable with the set.
func (f *File) Commit() error {
	if f.done {
		return fs.ErrClosed
	}
	f.done = true
	if err := errors.Join(f.file.Sync(), f.file.Close()); err != nil {
		return errors.Join(err, f.dir.fs.Remove(f.temporary()))
	}
	if err := f.dir.rename(f.temporary(), filepath.Join(f.parent, f.name)); err != nil {
		return errors.Join(err, f.dir.fs.Remove(f.temporary()))
	}
	if f.parent != "." {
		return nil
	}
	return f.dir.fs.SyncDir(".")
}

// Discard closes and removes the file, unless it is committed.
func (f *File) Discard() error {
	if f.done {
		return nil
	}
	f.done = true
	return errors.Join(f.file.Close(), f.dir.fs.Remove(f.temporary()))
}
