package batchtest

import (
	"bytes"
	"io"
	"os"
	"sync/atomic"
)

// ZeroValues returns a template of one sound batch with one record whose value
// is batchSize zeros. Repeated and written by [Repeat.WriteSparse], a log of
// many gigabytes takes one block of disk for each batch.
func ZeroValues(batchSize int) *Segment {
	return NewSegment(0, NewBatch(0, 1600000000000, Record{Value: make([]byte, batchSize)}))
}

// WriteSparse writes the log to a new file, leaving out the zeros at the end
// of each batch, so that the file system need not store them.
func (r *Repeat) WriteSparse(path string) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	if err := f.Truncate(r.Size()); err != nil {
		return err
	}
	l := &r.template.Layout
	buf := make([]byte, l.Size)
	for i, n := int64(0), int64(len(l.Batches)); i < r.Len(); i++ {
		c := &l.Batches[i%n]
		position := i/n*l.Size + c.Position
		batch := buf[:c.Size]
		if _, err := r.ReadAt(batch, position); err != nil {
			return err
		}
		if _, err := f.WriteAt(bytes.TrimRight(batch, "\x00"), position); err != nil {
			return err
		}
	}
	return nil
}

// CountingReaderAt counts what is read through it.
type CountingReaderAt struct {
	R     io.ReaderAt
	Calls atomic.Int64
	Bytes atomic.Int64
}

// ReadAt reads from R.
func (c *CountingReaderAt) ReadAt(p []byte, position int64) (int, error) {
	n, err := c.R.ReadAt(p, position)
	c.Calls.Add(1)
	c.Bytes.Add(int64(n))
	return n, err
}
