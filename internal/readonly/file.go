// Package readonly opens files for reading only, and reads them as a guest on
// a broker's machine should: what a sparse file doesn't hold isn't read, and
// what wasn't in the page cache before is taken out of it again.
package readonly

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// largeRead is from where on a read is worth a question to the file system.
// Scans read much more at once, searches much less.
const largeRead = 64 << 10

// File is a file that is open for reading. Its methods may be called from
// several goroutines at once.
type File struct {
	file   *os.File
	sparse bool // less is allocated than the size says
	guard  *guard
	size   int64       // when it was opened
	trims  func() bool // whether somebody cuts zeros off its end; may be nil
}

// Open opens a file read-only and returns its size at that moment.
func Open(path string) (*File, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return &File{file: f, sparse: isSparse(info), guard: newGuard(f, info.Size()), size: info.Size()}, info.Size(), nil
}

// PadWhile has reads give zeros for what the file has lost of its size since it
// was opened, whenever trims says that the one who uses it cuts zeros off its
// end: the answer is the one that a moment earlier would have been read.
func (f *File) PadWhile(trims func() bool) { f.trims = trims }

// ReadAt implements io.ReaderAt. The zeros of a hole are not read.
func (f *File) ReadAt(p []byte, position int64) (int, error) {
	n, err := f.readAt(p, position)
	if err != nil && f.trims != nil && position+int64(n) < f.size && errors.Is(err, io.EOF) && f.trims() {
		return Pad(p, n, position, f.size)
	}
	return n, err
}

// Pad completes a read of n bytes that met the end of a file with zeros, up to
// the size that the file had before.
func Pad(p []byte, n int, position, size int64) (int, error) {
	if held := max(0, min(int64(len(p)), size-position)); held > int64(n) {
		clear(p[n:held])
		n = int(held)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *File) readAt(p []byte, position int64) (int, error) {
	if len(p) < largeRead {
		return f.file.ReadAt(p, position)
	}
	if f.sparse {
		if next, err := f.NextData(position); err == nil && next-position >= int64(len(p)) {
			clear(p)
			return len(p), nil
		}
	}
	f.guard.before(position, len(p))
	n, err := f.file.ReadAt(p, position)
	f.guard.after(position + int64(n))
	return n, err
}

// NextData is the first position from the given one on that doesn't lie in a
// hole: what is between holds zeros, without being stored. Where only a hole
// follows, it is the size of the file. Where the file system tells nothing, it
// is the position itself.
func (f *File) NextData(position int64) (int64, error) {
	if !f.sparse || position < 0 {
		return position, nil
	}
	next, behind, known := seekData(f.file, position)
	switch {
	case !known:
		return position, nil
	case behind:
		info, err := f.file.Stat()
		if err != nil {
			return position, err
		}
		next = info.Size()
	}
	return max(next, position), nil
}

// Stat describes the file as it is now.
func (f *File) Stat() (fs.FileInfo, error) { return f.file.Stat() }

// Close closes the file.
func (f *File) Close() error {
	f.guard.end()
	return f.file.Close()
}

// NextData is NextData of r where it has that method, and the position itself
// where it hasn't: for readers that stand before others.
func NextData(r io.ReaderAt, position int64) (int64, error) {
	if f, ok := r.(interface {
		NextData(position int64) (int64, error)
	}); ok {
		return f.NextData(position)
	}
	return position, nil
}
