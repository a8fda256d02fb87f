package salvage

import (
	"context"
	"errors"
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

// logFile is a source.
type logFile struct {
	path string
	base int64 // from its name
	// named says that the name is that of a segment; base is 0 otherwise.
	named bool
	// number is its place among the files of its replica.
	number int
}

// candidate is an intact batch, held until it is kept or left.
type candidate struct {
	span
	batch   recordbatch.Batch
	records int64
	log     *logFile
	stream  *stream
	moved   bool
	// afterLoss: what stood before it in the file, or in the file before, is
	// damaged.
	afterLoss bool
	chunk     *heldChunk
}

func (c *candidate) release() { c.chunk.release() }

// heldChunk gives a chunk back when its last batch is done with.
type heldChunk struct {
	chunk *recordbatch.Chunk
	users int
}

func (h *heldChunk) release() {
	if h.users--; h.users == 0 {
		h.chunk.Release()
	}
}

// stream yields the intact batches of one replica by rising offsets, and tells
// of what it passes over.
type stream struct {
	name     string // of the replica: its path
	number   int    // among the replicas
	logs     []*logFile
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

// waitingLeft is a range that is told of when the batches before it are.
type waitingLeft struct {
	number int
	left   *Left
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

// read yields the intact batches of all files in their order.
func (s *stream) read(ctx context.Context) iter.Seq2[*candidate, error] {
	return func(yield func(*candidate, error) bool) {
		for _, log := range s.logs {
			if !s.readLog(ctx, log, yield) {
				return
			}
		}
	}
}

func (s *stream) readLog(ctx context.Context, log *logFile, yield func(*candidate, error) bool) bool {
	f, size, err := logdir.OpenFile(log.path)
	if err != nil {
		// A whole file that can't be read must not hide the others.
		s.fail(err)
		s.wait(log, &Left{File: log.path, FirstOffset: -1, LastOffset: -1, Reason: Unreadable, Message: err.Error()})
		return true
	}
	defer func() { _ = f.Close() }()
	disk := &tolerant{r: f}
	if s.reading != nil {
		disk.r = s.reading(f)
	}
	defer func() { s.fail(disk.first) }()
	scanner := recordbatch.NewScanner(disk, size, recordbatch.Options{File: log.path, Base: log.base})
	for chunk, err := range scanner.Chunks() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			chunk.Release()
			yield(nil, err)
			return false
		}
		if !s.readChunk(log, disk, chunk, yield) {
			return false
		}
	}
	return true
}

func (s *stream) readChunk(log *logFile, disk *tolerant, chunk *recordbatch.Chunk, yield func(*candidate, error) bool) bool {
	held := &heldChunk{chunk: chunk, users: 1}
	defer held.release()
	for i := range chunk.Items {
		item := &chunk.Items[i]
		if item.Err != nil {
			s.damaged(log, disk, item)
			continue
		}
		held.users++
		c := &candidate{batch: item.Batch, log: log, stream: s, chunk: held, afterLoss: s.lost}
		c.first, c.last, c.records = s.decoder.Span(&c.batch)
		s.lost = false
		if c.first < log.base {
			s.wait(log, &Left{
				File: log.path, Position: c.batch.Position, EndPosition: c.batch.EndPosition(),
				FirstOffset: Offset(c.first), LastOffset: Offset(c.last), Batches: 1, Records: c.records,
				Reason: OutOfPlace, Message: fmt.Sprintf("its offset is below %d, the base offset of the segment", log.base),
			})
			s.lost = true
			c.release()
			continue
		}
		if !yield(c, nil) {
			c.release()
			return false
		}
	}
	return true
}

// damaged notes bytes that are no intact batch.
func (s *stream) damaged(log *logFile, disk *tolerant, item *recordbatch.Item) {
	s.lost = true
	finding := sanity.FromCorrupt(item.Err)
	l := &Left{
		File: log.path, Position: finding.Position, EndPosition: finding.EndPosition,
		FirstOffset: Offset(finding.Offset), LastOffset: Offset(finding.LastOffset),
		Reason: string(finding.Code), Message: finding.Message,
	}
	if item.IsBatch() {
		l.EndPosition = max(l.EndPosition, item.Batch.EndPosition())
		l.Batches = 1
	}
	if n := disk.unreadable(l.Position, l.EndPosition); n > 0 {
		s.ioErrors += n
		l.Reason, l.Message = Unreadable, fmt.Sprintf("%d bytes of it can't be read: %v", n, disk.first)
	}
	s.wait(log, l)
}

func (s *stream) wait(log *logFile, l *Left) {
	s.waiting = append(s.waiting, waitingLeft{log.number, l})
}

func (s *stream) fail(err error) {
	if s.failure == nil && err != nil && !errors.Is(err, io.EOF) {
		s.failure = err
	}
}

// recent remembers the last batches that were kept, to tell repeated ones.
type recent struct {
	ring [1024]identity
	at   int
	set  map[identity]int
}

type identity struct {
	span
	size  int64
	crc   uint32
	epoch int32
}

func identify(b *recordbatch.Batch) identity {
	return identity{span{b.BaseOffset(), b.LastOffset()}, b.Size, b.CRC, b.PartitionLeaderEpoch}
}

func (r *recent) add(b *recordbatch.Batch) {
	if r.set == nil {
		r.set = make(map[identity]int, len(r.ring))
	}
	old := r.ring[r.at]
	if r.set[old]--; r.set[old] <= 0 {
		delete(r.set, old)
	}
	id := identify(b)
	r.ring[r.at] = id
	r.set[id]++
	r.at = (r.at + 1) % len(r.ring)
}

func (r *recent) has(b *recordbatch.Batch) bool { return r.set[identify(b)] > 0 }

// undecodable is an intact batch whose records can't be decoded all.
func undecodable(c *candidate, err error) *Left {
	l := &Left{
		File: c.log.path, Position: c.batch.Position, EndPosition: c.batch.EndPosition(),
		FirstOffset: Offset(c.first), LastOffset: Offset(c.last), Batches: 1, Records: c.records,
		Reason: string(sanity.RecordMalformed), Message: err.Error(),
	}
	var fault *recordbatch.CorruptError
	if errors.As(err, &fault) {
		finding := sanity.FromCorrupt(fault)
		l.Reason, l.Message = string(finding.Code), finding.Message
	}
	return l
}
