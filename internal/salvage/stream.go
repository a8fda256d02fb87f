package salvage

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/kafsck/kafsck/internal/leaderepoch"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// windowBytes bounds the batches that are held while their order is decided.
const windowBytes = 8 << 20

// stream yields the intact batches of one replica by rising offsets, and tells
// of what it passes over.
type stream struct {
	name     string // of the replica: its path
	number   int    // among the replicas
	logs     []*logFile
	picture  *logdir.Picture // opens the logs
	beside   sanity.Beside
	history  leaderepoch.History
	left     func(*stream, *Left)
	reading  func(io.ReaderAt) io.ReaderAt // nil: as it is
	pull     func() (*candidate, error, bool)
	stop     func()
	window   []*candidate
	spans    []span
	bytes    int64
	breaks   int
	due      int64
	ended    bool
	lost     bool // damage since the last batch
	astray   bool // a batch out of place since the last one that was not
	waiting  []waitingLeft
	decoder  recordbatch.Decoder
	ioErrors int64 // bytes
	failure  error // the first I/O error
	kept     recent
}

func (s *stream) start(ctx context.Context) {
	s.pull, s.stop = iter.Pull2(s.read(ctx))
}

// next is the next batch, or nil at the end.
func (s *stream) next() (*candidate, error) {
	for {
		if err := s.fill(); err != nil || len(s.window) == 0 {
			s.tell(math.MaxInt, math.MaxInt64)
			return nil, err
		}
		i, verdict := choose(s.spans, s.due, s.breaks)
		c := s.window[i]
		if verdict == inOrder && c.last-c.log.base > math.MaxInt32 && !s.supported(c) {
			verdict = astray
		}
		s.remove(i)
		if i == 0 {
			s.tell(c.log.number, c.batch.Position)
		}
		switch verdict {
		case inOrder, moved:
			c.moved = verdict == moved
			c.afterLoss = c.afterLoss || s.astray
			s.astray = false
			s.due = c.last + 1
			s.kept.add(&c.batch)
			return c, nil
		case astray:
			s.astray = true
			s.leave(c, OutOfPlace, "later batches contradict its base offset")
		case behind:
			switch {
			case s.kept.has(&c.batch):
				s.leave(c, Duplicate, "the same batch stands before it")
			case c.last >= s.due:
				s.leave(c, Overlap, fmt.Sprintf("offsets up to %d stand before it", s.due-1))
			default:
				s.astray = true
				s.leave(c, OutOfPlace, fmt.Sprintf("offsets up to %d stand before it", s.due-1))
			}
		}
	}
}

// supported says whether the batch behind c in the file also has an offset
// that is too large for the segment, as in one that grew that way; alone, it
// is damage.
func (s *stream) supported(c *candidate) bool {
	return len(s.window) > 1 && s.window[1].log == c.log && s.window[1].first > c.last
}

// leave reports a candidate that isn't kept.
func (s *stream) leave(c *candidate, reason, message string) {
	s.left(s, &Left{
		File: c.log.path, Position: c.batch.Position, EndPosition: c.batch.EndPosition(),
		FirstOffset: Offset(c.first), LastOffset: Offset(c.last), Batches: 1, Records: c.records,
		Reason: reason, Message: message,
	})
	c.release()
}

// tell reports the ranges that wait, up to a place.
func (s *stream) tell(number int, position int64) {
	n := 0
	for n < len(s.waiting) {
		w := &s.waiting[n]
		if w.number > number || w.number == number && w.left.Position >= position {
			break
		}
		s.left(s, w.left)
		n++
	}
	s.waiting = append(s.waiting[:0], s.waiting[n:]...)
}

func (s *stream) fill() error {
	for !s.ended && len(s.window) < windowBatches && (s.bytes < windowBytes || len(s.window) < 2) {
		c, err, ok := s.pull()
		switch {
		case !ok:
			s.ended = true
			return nil
		case err != nil:
			return err
		}
		if n := len(s.spans); n > 0 && broken(s.spans[n-1], c.span) {
			s.breaks++
		}
		s.window, s.spans = append(s.window, c), append(s.spans, c.span)
		s.bytes += c.batch.Size
	}
	return nil
}

func (s *stream) remove(i int) {
	s.bytes -= s.window[i].batch.Size
	s.window = append(s.window[:i], s.window[i+1:]...)
	s.spans = append(s.spans[:i], s.spans[i+1:]...)
	if s.breaks > 0 {
		s.breaks = 0
		for j := 1; j < len(s.spans); j++ {
			if broken(s.spans[j-1], s.spans[j]) {
				s.breaks++
			}
		}
	}
}
