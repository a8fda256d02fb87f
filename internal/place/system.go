package place

import (
	"io"
	"io/fs"
	"os"
)

// system is what this package asks of a file system; names are relative to
// the directory. Tests fail or stop it at every step.
type system interface {
	Mkdir(name string) error
	// Create makes a file that must not exist.
	Create(name string) (file, error)
	Rename(from, to string) error
	Remove(name string) error
	Lstat(name string) (fs.FileInfo, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	// SyncDir makes names in a directory durable.
	SyncDir(name string) error
	Close() error
}

type file interface {
	io.Writer
	io.ReaderAt
	Sync() error
	Close() error
}

// rooted is the real one.
type rooted struct{ root *os.Root }

func (r rooted) Mkdir(name string) error { return r.root.Mkdir(name, 0o755) }

func (r rooted) Create(name string) (file, error) {
	f, err := r.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (r rooted) Rename(from, to string) error           { return r.root.Rename(from, to) }
func (r rooted) Remove(name string) error               { return r.root.Remove(name) }
func (r rooted) Lstat(name string) (fs.FileInfo, error) { return r.root.Lstat(name) }
func (r rooted) Close() error                           { return r.root.Close() }

func (r rooted) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := r.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return f.ReadDir(-1)
}
