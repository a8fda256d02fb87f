package compare

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/kafsck/kafsck/internal/leaderepoch"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// Source is a replica: its logs by offset.
type Source struct {
	Path string
	Logs []logdir.Entry
	// Epochs is its leader-epoch-checkpoint, nil where there is none.
	Epochs *logdir.Entry

	picture *logdir.Picture // opens the logs; nil: from the disk
}

// Of is the replica in a partition directory, as it is now, also where a broker
// goes on with it. The caller closes it.
func Of(p *logdir.Partition) (*Source, error) {
	picture, err := p.Hold((*logdir.Partition).Logs)
	if err != nil {
		return nil, err
	}
	s := &Source{Path: p.Path, Logs: picture.Logs(), Epochs: picture.LeaderEpochs, picture: picture}
	// What isn't read would look like what isn't there.
	if err := picture.Unread(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close closes what is held.
func (s *Source) Close() {
	if s != nil {
		s.picture.Close()
	}
}

// side is a replica being read: the batch that is next, and what was before.
type side struct {
	source  *Source
	replica Replica
	epochs  leaderepoch.Builder

	pull func() (*recordbatch.Batch, error, bool)
	stop func()

	head        *recordbatch.Batch // nil at the end
	first, last int64              // offsets of head
	records     int64              // in head
	file        string             // in which head lies
	end         int64              // behind the last batch that was passed
	afterDamage bool               // something damaged stands before head
	damage      bool

	beside  sanity.Beside
	decoder recordbatch.Decoder // for records
	span    recordbatch.Decoder // for offsets
}

func newSide(ctx context.Context, source *Source, reading func(io.ReaderAt) io.ReaderAt) *side {
	s := &side{source: source, replica: Replica{Path: source.Path, LogStartOffset: -1, LeaderEpoch: -1}}
	s.pull, s.stop = iter.Pull2(s.read(ctx, reading))
	return s
}

// read yields the batches of all logs; damage comes as an error.
func (s *side) read(ctx context.Context, reading func(io.ReaderAt) io.ReaderAt) iter.Seq2[*recordbatch.Batch, error] {
	return func(yield func(*recordbatch.Batch, error) bool) {
		for i := range s.source.Logs {
			if !s.readLog(ctx, &s.source.Logs[i], reading, yield) {
				return
			}
		}
	}
}

func (s *side) readLog(ctx context.Context, e *logdir.Entry, reading func(io.ReaderAt) io.ReaderAt, yield func(*recordbatch.Batch, error) bool) bool {
	f, size, err := s.source.picture.Open(e.Path)
	if err != nil {
		return yield(nil, err)
	}
	defer func() { _ = f.Close() }()
	var r io.ReaderAt = f
	if reading != nil {
		r = reading(f)
	}
	s.file = e.Path
	options := recordbatch.Options{File: e.Path}
	if e.File.HasOffset {
		options.Base = e.File.BaseOffset
		s.end = max(s.end, e.File.BaseOffset)
	}
	for b, err := range recordbatch.NewScanner(r, size, options).Batches() {
		if ctx.Err() != nil {
			return yield(nil, ctx.Err())
		}
		if !yield(b, err) {
			return false
		}
	}
	return true
}

// advance goes on to the next intact batch that is in order.
func (s *side) advance() error {
	if s.head != nil {
		s.end = max(s.end, s.last+1)
	}
	s.head, s.afterDamage = nil, s.damage
	for {
		b, err, ok := s.pull()
		if !ok {
			s.afterDamage = s.damage
			return nil
		}
		var damage *recordbatch.CorruptError
		if errors.As(err, &damage) {
			found := sanity.FromCorrupt(damage)
			if s.beside.Judge(&found); found.Severity == sanity.Info {
				continue // the broker is writing there
			}
			s.replica.Damaged++
			s.damage = true
			continue
		}
		if err != nil {
			return err
		}
		s.first, s.last, s.records = s.span.Span(b)
		if s.first < s.end && s.replica.Batches > 0 || s.last < s.first {
			// Out of order: nothing to compare with anything.
			s.replica.Damaged++
			s.damage = true
			continue
		}
		s.head, s.afterDamage, s.damage = b, s.damage, false
		if s.replica.Batches == 0 {
			s.replica.LogStartOffset = Offset(s.first)
		}
		s.replica.Batches++
		s.replica.Records += s.records
		s.epochs.Add(b)
		return nil
	}
}

// part is head as a part of a range.
func (s *side) part() *Part {
	return &Part{File: s.file, Position: s.head.Position, Batches: 1, Records: s.records, Bytes: s.head.Size, Epoch: s.head.PartitionLeaderEpoch}
}

// why says why this replica has nothing below head, at an offset that the
// other one has.
func (s *side) why(offset int64) string {
	switch {
	case s.afterDamage:
		return Damaged
	case s.replica.LogStartOffset < 0:
		return s.whyEmpty(offset)
	case offset < int64(s.replica.LogStartOffset):
		return BelowLogStart
	case s.head == nil:
		return BehindLogEnd
	}
	return Missing
}

// whyEmpty is why of a replica without records, which begins and ends where its
// newest log does, if it has one.
func (s *side) whyEmpty(offset int64) string {
	n := len(s.source.Logs)
	switch {
	case n == 0:
		return Missing
	case offset < s.source.Logs[n-1].File.BaseOffset:
		return BelowLogStart
	}
	return BehindLogEnd
}
