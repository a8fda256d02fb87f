package bundle

import (
	"errors"
	"fmt"
	"io"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
)

// errStrange is a file that isn't copied, because of what may be in it.
var errStrange = errors.New("has bytes that no such file has, which may be of another file: a file system repair does that")

// binary adds a copy of an index or a producer snapshot, without the zeros of
// preallocation and without the rest of an entry at the end.
func (b *builder) binary(it *item) error {
	f, size, err := logdir.OpenFile(it.entry.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := b.reading(f)
	used, err := b.entries(it, r, size)
	if err != nil {
		return err
	}
	w := b.spool.begin("files/"+it.shown, "a copy of "+it.shown)
	w.member.modTime = it.entry.ModTime.Unix()
	if used < size {
		w.member.Note = fmt.Sprintf("%d of %d bytes: the rest are zeros, or a part of an entry", used, size)
	}
	if n, err := io.Copy(w, io.NewSectionReader(r, 0, used)); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", it.entry.Path, err), w.end())
	} else if n < used {
		w.member.Note = fmt.Sprintf("%d bytes: the file became shorter while it was read", n)
	}
	return w.end()
}

// entries says how many bytes of the file are entries.
func (b *builder) entries(it *item, r io.ReaderAt, size int64) (used int64, err error) {
	base := max(it.entry.File.BaseOffset, 0)
	switch it.entry.File.Kind {
	case logdir.KindOffsetIndex:
		limit := max(b.logSizes[logdir.SiblingPath(it.entry.Path, logdir.KindLog)], 1<<29)
		x := indexfile.NewOffsetReader(r, size, base)
		return likely(&x.Reader, func(e *indexfile.OffsetEntry) bool {
			relative := e.Offset - base
			return e.Position >= 0 && int64(e.Position) <= limit && relative >= 0 && (relative < 1<<29 || e.Position < 1<<29)
		})
	case logdir.KindTimeIndex:
		x := indexfile.NewTimeReader(r, size, base)
		return likely(&x.Reader, func(e *indexfile.TimeEntry) bool { return e.Offset >= base && small(e.Timestamp) })
	case logdir.KindTxnIndex:
		x := indexfile.NewTxnReader(r, size, base)
		return likely(&x.Reader, func(e *indexfile.TxnEntry) bool {
			return e.Version == 0 && small(e.ProducerID) && small(e.FirstOffset) && small(e.LastOffset) && small(e.LastStableOffset)
		})
	}
	info, err := statefile.ScanProducerSnapshot(r, size, func(statefile.ProducerEntry) error { return nil })
	if err == nil && info.TrailingBytes > 0 {
		err = errStrange
	}
	return size, err
}

// small says whether n is one of the numbers that clocks and counters reach.
func small(n int64) bool { return n >= -1 && n < 1<<48 }

// likely says how many bytes hold entries, if all of them look like such.
func likely[E any](r *indexfile.Reader[E], ok func(*E) bool) (int64, error) {
	layout, err := r.Layout()
	if err != nil {
		return 0, err
	}
	for e, err := range r.EntriesBetween(0, layout.Entries) {
		if err != nil {
			return 0, err
		}
		if !ok(&e) {
			return 0, errStrange
		}
	}
	return layout.UsedBytes(), nil
}
