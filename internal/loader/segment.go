package loader

import (
	"errors"
	"fmt"
	"math"

	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/recordbatch"
)

// segment is a segment that was opened (LogSegment).
type segment struct {
	l      *load
	base   int64
	suffix string // of all its files, such as ".swap"
	log    *file
	// disordered says that its recovery met offsets that don't rise.
	disordered bool
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

// walk yields the batches of a part of the .log to visit, until that says
// stop.
func (s *segment) walk(from, to int64, visit visitor) error {
	return s.walkOrSearch(false, from, to, visit)
}

type visitor = func(h *recovery.Headers, b *recordbatch.Batch) (more bool, err error)

func (s *segment) walkOrSearch(search bool, from, to int64, visit visitor) error {
	r, closeFile, err := s.l.open(s.log)
	if err != nil {
		return err
	}
	defer closeFile()
	h := recovery.NewHeaders(r, s.log.size, from, to, s.l.dir.abs(s.log.name), s.l.options.Version)
	if search {
		h.Search()
	}
	for n := 0; ; n++ {
		if n%4096 == 0 && s.l.ctx.Err() != nil {
			return s.l.ctx.Err()
		}
		b, thrown, err := h.Next()
		switch {
		case err != nil:
			return err
		case thrown != nil:
			s.l.threw(s, h.Position(), thrown)
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
	from = max(from, 0) // no search begins before the file, whatever an entry says
	byBase := !s.l.options.Version.Before(4, 1)
	previous, previousLast := int64(-1), int64(0)
	err = s.walkOrSearch(true, from, s.log.size, func(h *recovery.Headers, b *recordbatch.Batch) (bool, error) {
		if !byBase {
			position, found = b.Position, b.LastOffset() >= target
			return !found, nil
		}
		base, err := s.baseOffset(h, b)
		switch {
		case err != nil:
			return false, err
		case base == target:
			position, found = b.Position, true
		case base > target:
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

// baseOffset is the offset of the first record. A broker has to decompress a
// wrapper for it, all of it where inner offsets are relative
// (AbstractLegacyRecordBatch.baseOffset).
func (s *segment) baseOffset(h *recovery.Headers, b *recordbatch.Batch) (int64, error) {
	if !b.IsLegacy() || b.Magic < 0 {
		return b.BaseOffset(), nil
	}
	if err := h.Load(); err != nil {
		return 0, err
	}
	if b.Codec() == recordbatch.CodecNone {
		return b.BaseOffset(), nil
	}
	d := &s.l.decoder
	d.Reset(b)
	if d.Next() {
		return d.Record().Offset, nil
	}
	switch err := d.Err(); {
	case !b.Codec().Valid():
		return 0, throw(classIllegalArg, "Unknown compression type id: %d", b.Codec())
	case errors.Is(err, recordbatch.ErrDecompressLimit):
		return 0, err
	case errors.Is(err, recordbatch.ErrDecompress):
		return 0, throw(classKafka, "%v", err)
	case err != nil:
		return 0, throw(classCorruptRecord, "%v", err)
	}
	return 0, throw(classInvalidRecord, "Found invalid compressed record set with no inner records")
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
	return err == nil && next > s.base && !fits(s.base, next-1), err
}

// fits says whether an index of a segment with a base offset can name an offset.
func fits(base, offset int64) bool {
	relative := offset - base
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
