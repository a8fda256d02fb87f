package rebuild

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FS is the file system as far as writing needs it. Its methods are those of
// package os.
type FS interface {
	// Open opens a file for reading.
	Open(path string) (File, error)
	// CreateTemp creates a new file with a random name (os.CreateTemp).
	CreateTemp(dir, pattern string) (TempFile, error)
	Lstat(path string) (fs.FileInfo, error)
	// Names lists a directory.
	Names(dir string) ([]string, error)
	// Link gives a file a second name, which must not exist.
	Link(from, to string) error
	Rename(from, to string) error
	Remove(path string) error
	MkdirAll(dir string) error
	// SameFile says whether two answers of Lstat or Stat are about one file.
	SameFile(a, b fs.FileInfo) bool
	// SyncDir makes links, renames and removals in a directory durable.
	SyncDir(dir string) error
}

// File is a file open for reading.
type File interface {
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
}

// TempFile is a new file being written.
type TempFile interface {
	File
	io.Writer
	Name() string
	// SetLike gives the file the permissions and the owner of another.
	SetLike(like fs.FileInfo) error
	// Sync makes the contents durable.
	Sync() error
}

// OS is the real file system.
var OS FS = osFS{}

type osFS struct{}

func (osFS) Open(path string) (File, error) { return os.Open(path) }

func (osFS) CreateTemp(dir, pattern string) (TempFile, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	return osTemp{f}, nil
}

func (osFS) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }
func (osFS) Link(from, to string) error             { return os.Link(from, to) }
func (osFS) Rename(from, to string) error           { return os.Rename(from, to) }
func (osFS) Remove(path string) error               { return os.Remove(path) }
func (osFS) MkdirAll(dir string) error              { return os.MkdirAll(dir, 0o755) }

func (osFS) Names(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

func (osFS) SameFile(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

func (osFS) SyncDir(dir string) error { return syncDir(dir) }

type osTemp struct{ *os.File }

func (t osTemp) SetLike(like fs.FileInfo) error {
	if err := setOwner(t.File, like); err != nil {
		return err
	}
	return t.Chmod(like.Mode().Perm())
}

// inDir joins a directory and a name of a file in it.
func inDir(dir, name string) string { return filepath.Join(dir, name) }
