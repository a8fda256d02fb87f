package salvage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// waitingLeft is a range that is told of when the batches before it are.
type waitingLeft struct {
	number int
	left   *Left
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
	f, size, err := s.picture.Open(log.path)
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
	finding := sanity.FromCorrupt(item.Err)
	severity := finding.Severity
	s.beside.Judge(&finding)
	l := &Left{
		File: log.path, Position: finding.Position, EndPosition: finding.EndPosition,
		FirstOffset: Offset(finding.Offset), LastOffset: Offset(finding.LastOffset),
		Reason: string(finding.Code), Message: finding.Message,
	}
	if item.IsBatch() {
		l.EndPosition = max(l.EndPosition, item.Batch.EndPosition())
		l.Batches = 1
	}
	if finding.Severity < severity {
		l.Reason, l.Message = BeingWritten, finding.Broker
	} else {
		s.lost = true
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
