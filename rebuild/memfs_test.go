package rebuild

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// memFS is a file system in memory that knows what is durable: contents only
// after a sync of the file, names only after a sync of the directory. It can
// fail at its k-th operation, or crash there.
type memFS struct {
	names   map[string]*inode // as the process sees them
	durable map[string]*inode
	pending []change // names changed since the last sync, in order
	temps   int
	clock   time.Time

	ops     int
	failAt  int  // −1 never
	crashAt int  // −1 never
	sticky  bool // everything after the failure fails as well
	noLinks bool
}

type inode struct {
	data, synced []byte
	mode         fs.FileMode
	time         time.Time
}

// change is an operation on names, for replaying a part of them after a crash.
type change func(names map[string]*inode)

var (
	errInjected = errors.New("injected fault")
	errCrash    = errors.New("crash")
)

func newMemFS(files map[string]string) *memFS {
	m := &memFS{names: map[string]*inode{}, failAt: -1, crashAt: -1, clock: time.Unix(1e9, 0)}
	for path, content := range files {
		m.names[path] = &inode{data: []byte(content), synced: []byte(content), mode: 0o640, time: m.clock}
	}
	m.durable = maps.Clone(m.names)
	return m
}

// op counts an operation and says whether it fails.
func (m *memFS) op() error {
	n := m.ops
	m.ops++
	if n == m.crashAt {
		panic(errCrash)
	}
	if n == m.failAt || m.sticky && m.failAt >= 0 && n > m.failAt {
		return errInjected
	}
	return nil
}

func (m *memFS) change(c change) {
	c(m.names)
	m.pending = append(m.pending, c)
}

// afterCrash are the states in which the names may be found after a crash:
// the durable ones with each subset of the changes since, in their order.
func (m *memFS) afterCrash() []map[string]*inode {
	var states []map[string]*inode
	for subset := range 1 << len(m.pending) {
		names := maps.Clone(m.durable)
		for i, c := range m.pending {
			if subset>>i&1 == 1 {
				c(names)
			}
		}
		states = append(states, names)
	}
	return states
}

func (m *memFS) Open(path string) (File, error) {
	if err := m.op(); err != nil {
		return nil, err
	}
	node := m.names[path]
	if node == nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return &memFile{m: m, node: node, name: path, reading: true}, nil
}

func (m *memFS) CreateTemp(dir, pattern string) (TempFile, error) {
	if err := m.op(); err != nil {
		return nil, err
	}
	m.temps++
	path := filepath.Join(dir, strings.Replace(pattern, "*", fmt.Sprint(m.temps), 1))
	node := &inode{mode: 0o600, time: m.clock}
	m.change(func(names map[string]*inode) { names[path] = node })
	return &memFile{m: m, node: node, name: path}, nil
}

func (m *memFS) Lstat(path string) (fs.FileInfo, error) {
	if err := m.op(); err != nil {
		return nil, err
	}
	node := m.names[path]
	if node == nil {
		return nil, &fs.PathError{Op: "lstat", Path: path, Err: fs.ErrNotExist}
	}
	return infoOf(path, node), nil
}

func (m *memFS) Names(dir string) ([]string, error) {
	if err := m.op(); err != nil {
		return nil, err
	}
	var names []string
	for path := range m.names {
		if filepath.Dir(path) == dir {
			names = append(names, filepath.Base(path))
		}
	}
	slices.Sort(names)
	return names, nil
}

func (m *memFS) Link(from, to string) error {
	if err := m.op(); err != nil {
		return err
	}
	node := m.names[from]
	switch {
	case m.noLinks:
		return errors.ErrUnsupported
	case node == nil:
		return fs.ErrNotExist
	case m.names[to] != nil:
		return fs.ErrExist
	}
	m.change(func(names map[string]*inode) { names[to] = node })
	return nil
}

func (m *memFS) Rename(from, to string) error {
	if err := m.op(); err != nil {
		return err
	}
	node := m.names[from]
	if node == nil {
		return fs.ErrNotExist
	}
	m.change(func(names map[string]*inode) {
		delete(names, from)
		names[to] = node
	})
	return nil
}

func (m *memFS) Remove(path string) error {
	if err := m.op(); err != nil {
		return err
	}
	if m.names[path] == nil {
		return fs.ErrNotExist
	}
	m.change(func(names map[string]*inode) { delete(names, path) })
	return nil
}

func (m *memFS) MkdirAll(string) error { return m.op() }

func (m *memFS) SameFile(a, b fs.FileInfo) bool {
	return a.(memInfo).node == b.(memInfo).node
}

func (m *memFS) SyncDir(string) error {
	if err := m.op(); err != nil {
		return err
	}
	m.durable, m.pending = maps.Clone(m.names), nil
	return nil
}

type memFile struct {
	m    *memFS
	node *inode
	name string
	// reading: closing such a file can't lose anything, so it isn't counted.
	reading bool
}

func (f *memFile) Name() string { return f.name }

func (f *memFile) Write(p []byte) (int, error) {
	if err := f.m.op(); err != nil {
		f.node.data = append(f.node.data, p[:len(p)/2]...) // a full disk takes a part
		return len(p) / 2, err
	}
	f.node.data = append(f.node.data, p...)
	return len(p), nil
}

func (f *memFile) ReadAt(p []byte, at int64) (int, error) {
	if err := f.m.op(); err != nil {
		return 0, err
	}
	n := copy(p, f.node.data[min(at, int64(len(f.node.data))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) SetLike(like fs.FileInfo) error {
	if err := f.m.op(); err != nil {
		return err
	}
	f.node.mode = like.Mode().Perm()
	return nil
}

func (f *memFile) Sync() error {
	if err := f.m.op(); err != nil {
		return err
	}
	f.node.synced = bytes.Clone(f.node.data)
	return nil
}

func (f *memFile) Close() error {
	if f.reading {
		return nil
	}
	return f.m.op()
}

func (f *memFile) Stat() (fs.FileInfo, error) {
	if err := f.m.op(); err != nil {
		return nil, err
	}
	return infoOf(f.name, f.node), nil
}

// memInfo is what was true when it was asked for.
type memInfo struct {
	name string
	node *inode
	size int64
	mode fs.FileMode
	time time.Time
}

func infoOf(path string, node *inode) memInfo {
	return memInfo{filepath.Base(path), node, int64(len(node.data)), node.mode, node.time}
}

func (i memInfo) Name() string       { return i.name }
func (i memInfo) Size() int64        { return i.size }
func (i memInfo) Mode() fs.FileMode  { return i.mode }
func (i memInfo) ModTime() time.Time { return i.time }
func (i memInfo) IsDir() bool        { return false }
func (i memInfo) Sys() any           { return nil }
