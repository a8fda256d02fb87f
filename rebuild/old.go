package rebuild

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
)

// maxCompared is the largest old index whose entries are compared one by one.
// A broker's own are 10 MiB by default; a larger one is only hashed.
const maxCompared = 64 << 20

// compare fills in what is there of an index and how the new one differs.
func (x *Index) compare() error {
	f, size, err := logdir.OpenFile(x.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(f, 0, size)); err != nil {
		return err
	}
	x.Before = &Before{Bytes: size, SHA256: hex.EncodeToString(hash.Sum(nil))}
	x.Identical = x.Before.SHA256 == x.SHA256
	layout, err := layoutOf(x.Kind, f, size)
	if err != nil {
		return err
	}
	x.Before.Entries, x.Before.Preallocated = layout.Used, layout.Preallocated()
	if layout.UsedBytes() > maxCompared {
		return nil
	}
	used := make([]byte, layout.UsedBytes())
	if n, err := f.ReadAt(used, 0); n < len(used) {
		return err
	}
	x.Diff = diff(x.Kind, used, x.content)
	return nil
}

func layoutOf(kind indexfile.Kind, f io.ReaderAt, size int64) (indexfile.Layout, error) {
	switch kind {
	case indexfile.Offset:
		return indexfile.NewOffsetReader(f, size, 0).Layout()
	case indexfile.Time:
		return indexfile.NewTimeReader(f, size, 0).Layout()
	}
	return indexfile.NewTxnReader(f, size, 0).Layout()
}

// target says where an index really lies, and what is there: nil where nothing
// is. A symbolic link within the directory is followed, so that the file
// behind it is replaced and not the link.
func target(files FS, path string) (dir, name string, old fs.FileInfo, err error) {
	dir, err = filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", "", nil, err
	}
	name = filepath.Base(path)
	old, err = files.Lstat(filepath.Join(dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return dir, name, nil, nil
	case err != nil:
		return "", "", nil, err
	case old.Mode()&os.ModeSymlink == 0:
	default:
		real, err := filepath.EvalSymlinks(filepath.Join(dir, name))
		if err != nil {
			return "", "", nil, err
		}
		if filepath.Dir(real) != dir {
			return "", "", nil, fmt.Errorf("%w: to %s", ErrLink, real)
		}
		name = filepath.Base(real)
		if old, err = files.Lstat(real); err != nil {
			return "", "", nil, err
		}
	}
	if !old.Mode().IsRegular() {
		return "", "", nil, errors.New("not a regular file")
	}
	return dir, name, old, nil
}
