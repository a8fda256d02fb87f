package loader

import (
	"errors"
	"math"

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
	var pieces []piece
	for at := int64(0); at < s.log.size; {
		p, err := l.nextPiece(s, at)
		if err != nil {
			return err
		}
		if p.to == at {
			return throw(classIllegalState, "Failed to append records from position %d in %s", at, s)
		}
		pieces = append(pieces, p)
		at = p.to
	}
	l.replaceBySplit(s, pieces)
	return nil
}

// nextPiece is the segment that begins with the batch at a position and goes
// on as long as offsets fit.
func (l *load) nextPiece(s *segment, at int64) (p piece, err error) {
	p = piece{from: at, to: at}
	made := false
	var since, chunk, chunkFrom, chunkLast int64
	interval := l.options.Interval
	appendEntry := func(offset, position, size int64) error {
		if since > interval {
			if err := p.index.Append(offset, int32(position-p.from)); err != nil {
				return err
			}
			since = 0
		}
		since += size
		return nil
	}
	flush := func() error {
		if chunk == 0 || !l.options.Version.Before(4, 1) {
			return nil
		}
		err := appendEntry(chunkLast, chunkFrom, chunk)
		chunk = 0
		return err
	}
	err = s.walk(at, s.log.size, func(h *recovery.Headers, b *recordbatch.Batch) (bool, error) {
		if !made {
			made = true
			var err error
			if p.base, err = s.baseOffset(h, b); err != nil {
				return false, err
			}
			if p.index, err = indexfile.NewOffsetBuilder(p.base, l.options.MaxIndexSize); err != nil {
				return false, err
			}
		}
		if relative := b.LastOffset() - p.base; relative < 0 || relative > math.MaxInt32 {
			return false, nil
		}
		if chunk > 0 && chunk+b.Size >= splitBuffer {
			if err := flush(); err != nil {
				return false, err
			}
		}
		if chunk == 0 {
			chunkFrom = b.Position
		}
		chunk += b.Size
		chunkLast = b.LastOffset()
		p.to = b.EndPosition()
		if l.options.Version.Before(4, 1) {
			return true, nil
		}
		return true, appendEntry(b.LastOffset(), b.Position, b.Size)
	})
	if err == nil {
		err = flush()
	}
	if err == nil && !made {
		err = throw(classNoSuchElement, "")
	}
	return p, l.refused(err, p.base)
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
		for _, ext := range []string{extLog, extIndex, extTime, extTxn} {
			l.dir.rename(s.name(ext), s.name(ext)+sufDeleted)
		}
		if pieces[0].base != s.base {
			l.drop(s.base)
			l.markSnapshot(s.base)
		}
	}
	for _, p := range pieces {
		l.dir.files[fileName(p.base, extLog)] = &file{
			name: fileName(p.base, extLog), size: p.to - p.from, source: old.source, from: old.from + p.from, origin: old.origin,
		}
		bytes := p.index.Bytes()
		l.dir.files[fileName(p.base, extIndex)] = &file{
			name: fileName(p.base, extIndex), size: int64(len(bytes)), index: newOffsets(p.index, p.base, false),
		}
		l.dir.files[fileName(p.base, extTime)] = &file{name: fileName(p.base, extTime), size: indexfile.TimeEntrySize}
		l.add(&segment{l: l, base: p.base, log: l.dir.files[fileName(p.base, extLog)]})
	}
}

func (l *load) drop(base int64) {
	for i, s := range l.segments {
		if s.base == base {
			l.segments = append(l.segments[:i:i], l.segments[i+1:]...)
			return
		}
	}
}
