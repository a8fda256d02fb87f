package rebuild

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/readonly"
)

// source is a .log that is being read, and what it was like before.
type source struct {
	ctx  context.Context
	path string
	file *readonly.File
	r    io.ReaderAt // file, with what Options.Reading puts before it
	size int64
	info os.FileInfo
	tail [sha256.Size]byte
}

// tailBytes is how much of the end of a log is hashed to see that it is still
// the same: appends change its size, rewrites of the newest batches its tail.
const tailBytes = 64 << 10

// openSource opens a log read-only.
func openSource(ctx context.Context, path string, reading func(io.ReaderAt) io.ReaderAt) (*source, error) {
	f, size, err := logdir.OpenFile(path)
	if err != nil {
		return nil, err
	}
	s := &source{ctx: ctx, path: path, file: f, r: f, size: size}
	if reading != nil {
		s.r = reading(f)
	}
	if s.info, err = f.Stat(); err == nil {
		s.size = s.info.Size()
		s.tail, err = s.hashTail()
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return s, nil
}

func (s *source) hashTail() (sum [sha256.Size]byte, err error) {
	tail := make([]byte, min(tailBytes, s.size))
	if n, err := s.file.ReadAt(tail, s.size-int64(len(tail))); n < len(tail) {
		return sum, err
	}
	return sha256.Sum256(tail), nil
}

// ReadAt reads the log, unless the run was interrupted.
func (s *source) ReadAt(p []byte, position int64) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.ReadAt(p, position)
}

// NextData skips holes, as readonly.File does.
func (s *source) NextData(position int64) (int64, error) {
	if err := s.ctx.Err(); err != nil {
		return position, err
	}
	return readonly.NextData(s.r, position)
}

// unchanged gives an error where the log is not what it was when it was
// opened: under the same name another file, or another size, time or tail.
func (s *source) unchanged() error {
	now, err := os.Stat(s.path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	if !os.SameFile(now, s.info) || now.Size() != s.size || !now.ModTime().Equal(s.info.ModTime()) {
		return fmt.Errorf("%s: %w", s.path, ErrChanged)
	}
	if tail, err := s.hashTail(); err != nil || tail != s.tail {
		return fmt.Errorf("%s: %w", s.path, ErrChanged)
	}
	return nil
}

func (s *source) Close() error { return s.file.Close() }

var _ io.ReaderAt = (*source)(nil)
