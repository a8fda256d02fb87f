package loader

import (
	"bytes"
	"fmt"
	"math"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/recordbatch"
)

// segment is a segment that was opened (LogSegment).
type segment struct {
	l      *load
	base   int64
	suffix string // of all its files, such as ".swap"
	log    *file
}

// offsets is an offset index that a recovery or a split wrote. Of a long one only the last entry is
// kept, if that can't change the answer of any lookup: where the offsets in
// the log rise from batch to batch, a scan that begins earlier ends at the
// same batch.
type offsets struct {
	bytes   []byte // all entries, or nil
	entries int
	last    indexfile.OffsetEntry
}

// keepIndex is the size up to which a rebuilt index is kept whole.
const keepIndex = 64 << 10

func newOffsets(b *indexfile.OffsetBuilder, base int64, rising bool) *offsets {
	o := &offsets{entries: b.Entries(), last: indexfile.OffsetEntry{Offset: base}}
	data := b.Bytes()
	if o.entries > 0 {
		o.last, _ = indexfile.ParseOffsetEntry(data[len(data)-indexfile.OffsetEntrySize:], base)
	}
	if !rising || len(data) <= keepIndex {
		o.bytes = bytes.Clone(data)
	}
	return o
}

func (s *segment) name(ext string) string { return fileName(s.base, ext) + s.suffix }

// openSegment opens the .log of a segment (LogSegment.open), and makes it where
// there is none. Indexes are opened when they are used first.
func (l *load) openSegment(base int64, suffix string) (*segment, error) {
	s := &segment{l: l, base: base, suffix: suffix}
	s.log = l.dir.create(s.name(extLog), 0)
	if s.log.size > maxSegment {
		return nil, throw(classKafka, "The size of segment %s (%d) is larger than the maximum allowed segment size of %d",
			l.dir.abs(s.log.name), s.log.size, maxSegment)
	}
	return s, nil
}

// indexSize is what a new index file is given.
func (l *load) indexSize(kind indexfile.Kind) (int64, error) {
	size := l.options.MaxIndexSize
	if size < kind.EntrySize() {
		return 0, throw(classIllegalArg, "Invalid max index size: %d", size)
	}
	return int64(size - size%kind.EntrySize()), nil
}

// index is the file of the offset or time index, made where it is missing.
func (s *segment) index(kind indexfile.Kind) (*file, error) {
	name := s.name(kind.Suffix())
	if f := s.l.dir.files[name]; f != nil {
		return f, nil
	}
	size, err := s.l.indexSize(kind)
	if err != nil {
		return nil, err
	}
	return s.l.dir.create(name, size), nil
}

// read calls use with a reader of an offset index on disk and the number of its
// entries: every slot of the file.
func (s *segment) read(f *file, use func(r *indexfile.OffsetReader, entries int) error) error {
	if f.size > math.MaxInt32 {
		return throw(classIllegalArg, "Size exceeds Integer.MAX_VALUE")
	}
	r, closeFile, err := f.open()
	if err != nil {
		return err
	}
	defer closeFile()
	reader := indexfile.NewOffsetReader(r, f.size, s.base)
	reader.File = f.source
	return use(reader, reader.Slots())
}

// lastIndexed is the offset of the last entry, or the base offset
// (OffsetIndex.lastOffset).
func (s *segment) lastIndexed() (offset int64, err error) {
	f, err := s.index(indexfile.Offset)
	if err != nil {
		return 0, err
	}
	if f.index != nil {
		return f.index.last.Offset, nil
	}
	offset = s.base
	err = s.read(f, func(r *indexfile.OffsetReader, entries int) error {
		if entries == 0 {
			return nil
		}
		e, err := r.Entry(entries - 1)
		offset = e.Offset
		return err
	})
	return offset, err
}

// lookup is the position from which an offset is searched.
func (s *segment) lookup(target int64) (position int64, err error) {
	f, err := s.index(indexfile.Offset)
	if err != nil {
		return 0, err
	}
	if f.index != nil {
		return f.index.lookup(target, s.base)
	}
	err = s.read(f, func(r *indexfile.OffsetReader, entries int) error {
		found, err := r.Lookup(target, entries, nil)
		position = int64(found.Entry.Position)
		return err
	})
	return position, err
}

func (o *offsets) lookup(target, base int64) (position int64, err error) {
	if o.bytes == nil {
		if o.entries > 0 && o.last.Offset <= target {
			return int64(o.last.Position), nil
		}
		return 0, nil
	}
	r := indexfile.NewOffsetReader(bytes.NewReader(o.bytes), int64(len(o.bytes)), base)
	found, err := r.Lookup(target, r.Slots(), nil)
	return int64(found.Entry.Position), err
}

// truncateTo drops the entries from an offset on. Of an index of which only
// the last entry is kept, all of them go: lookups then scan from 0.
func (o *offsets) truncateTo(offset, base int64) *offsets {
	left := &offsets{last: indexfile.OffsetEntry{Offset: base}}
	for data := o.bytes; len(data) >= indexfile.OffsetEntrySize; data = data[indexfile.OffsetEntrySize:] {
		e, _ := indexfile.ParseOffsetEntry(data, base)
		if e.Offset >= offset {
			break
		}
		left.bytes = indexfile.AppendOffsetEntry(left.bytes, e)
		left.last, left.entries = e, left.entries+1
	}
	return left
}

// walk yields the batches of a part of the .log to visit, until that says
// stop.
func (s *segment) walk(from, to int64, visit func(h *recovery.Headers, b *recordbatch.Batch) (more bool, err error)) error {
	r, closeFile, err := s.log.open()
	if err != nil {
		return err
	}
	defer closeFile()
	h := recovery.NewHeaders(r, s.log.size, from, to, s.l.dir.abs(s.log.name), s.l.options.Version)
	for n := 0; ; n++ {
		if n%4096 == 0 && s.l.ctx.Err() != nil {
			return s.l.ctx.Err()
		}
		b, thrown, err := h.Next()
		switch {
		case err != nil:
			return err
		case thrown != nil:
			return thrown
		case b == nil:
			return nil
		}
		if more, err := visit(h, b); err != nil || !more {
			return err
		}
	}
}

// translate finds the position of the batch with an offset or behind it
// (LogSegment.translateOffset). Since 4.1 the search believes base offsets and
// looks at a last offset only where it must, which matters where offsets don't
// rise.
func (s *segment) translate(target int64) (position int64, found bool, err error) {
	from, err := s.lookup(target)
	if err != nil {
		return 0, false, err
	}
	byBase := !s.l.options.Version.Before(4, 1)
	previous, previousLast := int64(-1), int64(0)
	err = s.walk(from, s.log.size, func(_ *recovery.Headers, b *recordbatch.Batch) (bool, error) {
		switch {
		case !byBase:
			position, found = b.Position, b.LastOffset() >= target
		case b.BaseOffset() == target:
			position, found = b.Position, true
		case b.BaseOffset() > target:
			position, found = b.Position, true
			if previous >= 0 && previousLast >= target {
				position = previous
			}
		}
		previous, previousLast = b.Position, b.LastOffset()
		return !found, nil
	})
	if err != nil || found || !byBase {
		return position, found, err
	}
	return previous, previous >= 0 && previousLast >= target, nil
}

// nextOffset is the offset behind the last batch, as a broker finds it with
// the help of the index (LogSegment.readNextOffset).
func (s *segment) nextOffset() (int64, error) {
	last, err := s.lastIndexed()
	if err != nil {
		return 0, err
	}
	from, found, err := s.translate(last)
	if err != nil || !found {
		return s.base, err
	}
	next := s.base
	err = s.walk(from, s.log.size, func(_ *recovery.Headers, b *recordbatch.Batch) (bool, error) {
		next = b.LastOffset() + 1
		return true, nil
	})
	return next, err
}

// overflows says whether the last batch is out of the range of the indexes
// (LogSegment.hasOverflow).
func (s *segment) overflows() (bool, error) {
	next, err := s.nextOffset()
	return err == nil && next > s.base && !s.fits(next-1), err
}

func (s *segment) fits(offset int64) bool {
	relative := offset - s.base
	return relative >= 0 && relative <= math.MaxInt32
}

// truncateTo cuts the segment before an offset (LogSegment.truncateTo) and says
// how many bytes that took.
func (s *segment) truncateTo(offset int64) (int64, error) {
	position, found, err := s.translate(offset)
	if err != nil {
		return 0, err
	}
	if f := s.l.dir.files[s.name(extIndex)]; f != nil && f.index != nil {
		f.index = f.index.truncateTo(offset, s.base)
	}
	if !found {
		return 0, nil
	}
	cut := s.log.size - position
	s.log.size = position
	return cut, nil
}

// String names the segment in messages.
func (s *segment) String() string {
	return fmt.Sprintf("LogSegment(baseOffset=%d, size=%d)", s.base, s.log.size)
}
