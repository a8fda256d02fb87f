//go:build unix

package indexview

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// An index and a log that were not there at the same time don't belong together:
// what a cleaning replaces meanwhile is opened again.
func TestPairThatIsExchanged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t-0")
	index, log := filepath.Join(dir, "00000000000000000000.index"), filepath.Join(dir, "00000000000000000000.log")
	put := func(path, content string) {
		t.Helper()
		if err := errors.Join(os.WriteFile(path+".swap", []byte(content), 0o644), os.Rename(path+".swap", path)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	put(index, "old")
	put(log, "old!")
	between = func() {
		between = func() {}
		put(log, "new one")
		put(index, "new")
	}
	defer func() { between = func() {} }()
	f, err := Open(index)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content := make([]byte, f.Size)
	if _, err := f.index.ReadAt(content, 0); err != nil || string(content) != "new" || f.Log.Size != int64(len("new one")) {
		t.Errorf("%q beside a log of %d bytes, %v", content, f.Log.Size, err)
	}

	// Where both go, the index has gone.
	between = func() {
		between = func() {}
		if err := errors.Join(os.Remove(log), os.Remove(index)); err != nil {
			t.Fatal(err)
		}
	}
	if f, err := Open(index); !errors.Is(err, fs.ErrNotExist) {
		t.Error(f, err)
	}
}
