package sanity

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/internal/logdir"
)

// memory is a partition directory whose files are in memory, so that it can
// be checked many thousand times.
type memory struct {
	listing *logdir.Partition
	files   map[string][]byte // by path
}

type memoryFile struct{ *bytes.Reader }

func (memoryFile) Close() error { return nil }

// newMemory lists the files once; later only their contents may change.
func newMemory(t testing.TB, name string, files map[string][]byte) *memory {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	m := &memory{files: map[string][]byte{}}
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		m.files[path] = data
	}
	var err error
	if m.listing, err = logdir.OpenPartition(dir); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *memory) path(name string) string { return filepath.Join(m.listing.Path, name) }

// check checks the partition with the content of some files replaced.
func (m *memory) check(o Options, changed map[string][]byte) ([]*Finding, Summary) {
	return m.checkIn(environment{}, o, changed)
}

func (m *memory) checkIn(env environment, o Options, changed map[string][]byte) ([]*Finding, Summary) {
	files := m.files
	if len(changed) > 0 {
		files = maps.Clone(files)
		for name, data := range changed {
			files[m.path(name)] = data
		}
	}
	c := newChecker(context.Background(), o)
	c.parallelFrom = 0
	c.source = func(path string) (opened, int64, error) {
		data, ok := files[path]
		if !ok {
			return nil, 0, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return memoryFile{bytes.NewReader(data)}, int64(len(data)), nil
	}
	r := c.partition(context.Background(), m.listing, env, nil)
	c.reads.judge(r)
	return r.report.sorted(), r.report.summary
}
