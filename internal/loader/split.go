package loader

import (
	"errors"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/recordbatch"
)

// splitBuffer is how much a split copies at once; index entries name the last
// offset of a piece up to 4.0.
const splitBuffer = 1 << 20

// piece is a segment that a split makes.
type piece struct {
	base, from, to int64
	index          *indexfile.OffsetBuilder
}

// split divides a segment whose offsets don't fit (LocalLog.
// splitOverflowedSegment). It is refused where the last batch of the segment
// fits: the offset that does not is then damage, and the load fails.
func (l *load) split(s *segment) error {
	path := l.dir.abs(s.log.name)
	required := ""
	if l.options.Version.Before(4) {
		required = "requirement failed: "
	}
	if s.suffix != "" {
		return throw(classIllegalArg, "%sCannot split file %s", required, path)
	}
	overflows, err := s.overflows()
	if err != nil {
		return err
	}
	if !overflows {
		if l.options.Version.Before(4) {
			return throw(classIllegalArg, "requirement failed: Split operation is only permitted for segments with overflow")
		}
		return throw(classIllegalArg, "Split operation is only permitted for segments with overflow, and the problem path is %s", path)
	}
	pieces, err := l.pieces(s)
	if err != nil {
		return err
	}
	l.replaceBySplit(s, pieces)
	return nil
}

// pieces are the segments that a split makes: each begins with a batch and goes
// on as long as offsets fit. A batch is read once, however many pieces there are.
func (l *load) pieces(s *segment) (all []piece, err error) {
	p := pieceBuilder{options: &l.options}
	end := int64(0)
	err = s.walk(0, s.log.size, func(h *recovery.Headers, b *recordbatch.Batch) (bool, error) {
		if p.index != nil && !fits(p.base, b.LastOffset()) {
			if err := p.flush(); err != nil {
				return false, err
			}
			all = append(all, p.piece)
			p = pieceBuilder{options: &l.options}
		}
		if p.index == nil {
			base, err := s.baseOffset(h, b)
			if err != nil {
				return false, err
			}
			if err := p.begin(base, b.Position); err != nil {
				return false, err
			}
			if !fits(p.base, b.LastOffset()) {
				return false, throw(classIllegalState, "Failed to append records from position %d in %s", b.Position, s)
			}
		}
		end = b.EndPosition()
		return true, p.append(b)
	})
	if err == nil {
		err = p.flush()
	}
	if err == nil && end < s.log.size {
		err = throw(classNoSuchElement, "") // the next piece has no batch
	}
	if err != nil {
		return nil, l.refused(err, p.base)
	}
	return append(all, p.piece), nil
}

// pieceBuilder follows what is appended to a piece. Since 4.1 that is batch by
// batch, before it was a buffer of them at a time.
type pieceBuilder struct {
	piece
	options *Options
	since   int64 // bytes since the last index entry
	// The buffer, up to 4.0.
	buffered, bufferedFrom, bufferedLast int64
}

func (p *pieceBuilder) begin(base, position int64) (err error) {
	p.base, p.from, p.to = base, position, position
	p.index, err = indexfile.NewOffsetBuilder(base, p.options.MaxIndexSize)
	return err
}

func (p *pieceBuilder) append(b *recordbatch.Batch) error {
	p.to = b.EndPosition()
	if !p.options.Version.Before(4, 1) {
		return p.entry(b.LastOffset(), b.Position, b.Size)
	}
	if p.buffered > 0 && p.buffered+b.Size >= splitBuffer {
		if err := p.flush(); err != nil {
			return err
		}
	}
	if p.buffered == 0 {
		p.bufferedFrom = b.Position
	}
	p.buffered += b.Size
	p.bufferedLast = b.LastOffset()
	return nil
}

// flush appends what is in the buffer.
func (p *pieceBuilder) flush() error {
	if p.buffered == 0 {
		return nil
	}
	size := p.buffered
	p.buffered = 0
	return p.entry(p.bufferedLast, p.bufferedFrom, size)
}

// entry makes an index entry where one is due.
func (p *pieceBuilder) entry(offset, position, size int64) error {
	if p.since > p.options.Interval {
		if err := p.index.Append(offset, int32(position-p.from)); err != nil {
			return err
		}
		p.since = 0
	}
	p.since += size
	return nil
}

// refused is the exception for an entry that an index refuses.
func (l *load) refused(err error, base int64) error {
	var refused *indexfile.AppendError
	if errors.As(err, &refused) {
		return refused.Kafka(l.dir.abs(fileName(base, extIndex) + sufCleaned))
	}
	var size *indexfile.SizeError
	if errors.As(err, &size) {
		return size.Kafka()
	}
	return err
}

// replaceBySplit puts the new segments in the place of the old one.
func (l *load) replaceBySplit(s *segment, pieces []piece) {
	l.splitLog(s, pieces)
	old := *s.log
	loaded := floor(l.segments, s.base)
	inLog := loaded != nil && loaded.base == s.base
	if inLog {
		for _, ext := range l.exts() {
			l.dir.rename(s.name(ext), s.name(ext)+sufDeleted)
		}
		if pieces[0].base != s.base {
			l.drop(s.base)
			l.markSnapshot(s.base)
		}
	}
	for _, p := range pieces {
		l.dir.put(&file{
			name: fileName(p.base, extLog), size: p.to - p.from, source: old.source, from: old.from + p.from, origin: old.origin,
		})
		size := int64(len(p.index.Bytes()))
		l.dir.put(&file{name: fileName(p.base, extIndex), size: size, index: newOffsets(p.index, p.base, false)})
		l.dir.put(&file{name: fileName(p.base, extTime), size: indexfile.TimeEntrySize})
		l.add(&segment{l: l, base: p.base, log: l.dir.files[fileName(p.base, extLog)]})
	}
}

func (l *load) drop(base int64) {
	if i, found := search(l.segments, base); found {
		l.segments = append(l.segments[:i:i], l.segments[i+1:]...)
	}
}
