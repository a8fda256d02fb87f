package indexview

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/readonly"
)

// File is an index file and the .log beside it.
type File struct {
	Path string
	Kind indexfile.Kind
	Size int64
	// BaseOffset is the number in the name; HasBase is false where there is
	// none, and offsets are then as good as relative.
	BaseOffset int64
	HasBase    bool
	// Log is nil where there is no .log beside it. LogErr says so where there
	// is one that can't be read.
	Log    *Log
	LogErr error

	index, log *readonly.File
	r          io.ReaderAt // of the index
}

// Wrap puts something between the files and those who read them, such as a
// limit of the rate. nil does nothing.
func (f *File) Wrap(reading func(io.ReaderAt) io.ReaderAt) {
	if reading == nil {
		return
	}
	f.r = reading(f.r)
	if f.Log != nil {
		f.Log.R = reading(f.Log.R)
	}
}

// KindOf is the kind of an index by its name, whatever suffix it carries.
func KindOf(kind logdir.Kind) (indexfile.Kind, bool) {
	switch kind {
	case logdir.KindOffsetIndex:
		return indexfile.Offset, true
	case logdir.KindTimeIndex:
		return indexfile.Time, true
	case logdir.KindTxnIndex:
		return indexfile.Txn, true
	}
	return 0, false
}

// A broker that exchanges a segment takes a moment for it.
const pause = 10 * time.Millisecond

// Open opens an index and its log for reading. A broker that replaces a segment
// renames the old log and its indexes before the new ones get their names
// (LocalLog.replaceSegments): the two belong together if the index has kept its
// name until the log was open.
func Open(path string) (*File, error) {
	for try := 1; ; try++ {
		f, err := open(path)
		if err != nil || try == logdir.MostTries || f.belongTogether() {
			return f, err
		}
		_ = f.Close()
		time.Sleep(pause)
	}
}

// between is called between the opening of an index and that of its log, for
// tests.
var between = func() {}

func (f *File) belongTogether() bool {
	if f.Log == nil && f.LogErr == nil && logdir.HeldAround(filepath.Dir(f.Path)) {
		return false
	}
	opened, err := f.index.Stat()
	now, gone := os.Stat(f.Path)
	return err == nil && gone == nil && os.SameFile(opened, now)
}

func open(path string) (*File, error) {
	name := logdir.ParseName(filepath.Base(path))
	kind, ok := KindOf(name.Kind)
	if !ok {
		return nil, fmt.Errorf("%s: not an .index, .timeindex or .txnindex", path)
	}
	f := &File{Path: path, Kind: kind, BaseOffset: name.BaseOffset, HasBase: name.HasOffset}
	var err error
	if f.index, f.Size, err = logdir.OpenFile(path); err != nil {
		return nil, err
	}
	f.r = f.index
	between()
	if sibling := logdir.SiblingPath(path, logdir.KindLog); sibling != "" {
		f.openLog(sibling)
	}
	return f, nil
}

func (f *File) openLog(path string) {
	log, size, err := logdir.OpenFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		f.LogErr = err
		return
	}
	f.log = log
	f.Log = &Log{File: path, R: log, Size: size, BaseOffset: f.BaseOffset, Grown: func() (int64, error) {
		info, err := log.Stat()
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}}
}

// Close closes both files.
func (f *File) Close() error {
	err := f.index.Close()
	if f.log != nil {
		err = errors.Join(err, f.log.Close())
	}
	return err
}

// Offsets reads the file as an .index.
func (f *File) Offsets() *indexfile.OffsetReader {
	r := indexfile.NewOffsetReader(f.r, f.Size, f.BaseOffset)
	r.File = f.Path
	return r
}

// Times reads the file as a .timeindex.
func (f *File) Times() *indexfile.TimeReader {
	r := indexfile.NewTimeReader(f.r, f.Size, f.BaseOffset)
	r.File = f.Path
	return r
}

// Txns reads the file as a .txnindex.
func (f *File) Txns() *indexfile.TxnReader {
	r := indexfile.NewTxnReader(f.r, f.Size, f.BaseOffset)
	r.File = f.Path
	return r
}
