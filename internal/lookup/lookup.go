package lookup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/kafsck/kafsck/internal/ratelimit"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// Options change how a lookup goes.
type Options struct {
	// NoIndex scans every segment from position 0.
	NoIndex bool
	// Verify scans from 0 as well, judges all entries of the indexes that
	// were used, and says whether they tell the truth.
	Verify bool
}

// Lookup looks target up. The error is of reading a log, or the context's; all
// other troubles are in the result.
func (p *Partition) Lookup(ctx context.Context, target Target, o Options) (*Result, error) {
	l := &lookup{ctx: ctx, partition: p, options: o, result: Result{Target: target, LogEnd: -1, LargestTimestamp: -1}}
	defer l.close()
	err := l.run()
	if err == nil && o.Verify {
		err = l.verify()
	}
	return &l.result, l.inLog(err)
}

// inLog adds to an error of reading in which log it was met, and what it means
// where the log was cut meanwhile: what was found until then proves nothing.
func (l *lookup) inLog(err error) error {
	switch {
	case err == nil || l.ctx.Err() != nil || l.open == nil:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: it became shorter while it was read: look up again: %w", l.open.segment.Log.Path, err)
	}
	return fmt.Errorf("%s: %w", l.open.segment.Log.Path, err)
}

// lookup is one lookup on its way.
type lookup struct {
	ctx       context.Context
	partition *Partition
	options   Options
	result    Result
	reported  map[place]struct{} // of the result's findings; nil before it was asked for

	open    *segmentFiles // of the segment walked at present
	decoder recordbatch.Decoder
}

func (l *lookup) run() error {
	if l.result.Target.ByTime {
		return l.byTime()
	}
	return l.byOffset()
}

// report keeps a finding; the same damage met twice is reported once.
func (l *lookup) report(f sanity.Finding) {
	if l.reported == nil {
		l.reported = map[place]struct{}{}
		for i := range l.result.Findings {
			l.reported[placeOf(&l.result.Findings[i])] = struct{}{}
		}
	}
	if _, known := l.reported[placeOf(&f)]; known {
		return
	}
	l.reported[placeOf(&f)] = struct{}{}
	l.result.Findings = append(l.result.Findings, f)
}

// place is what two findings of the same have in common.
type place struct {
	code           sanity.Code
	file           string
	position, slot int64
}

func placeOf(f *sanity.Finding) place { return place{f.Code, f.File, f.Position, f.Slot} }

// damaged reports damage of the log.
func (l *lookup) damaged(e *recordbatch.CorruptError) {
	f := sanity.FromCorrupt(e)
	f.Broker = "a fetch that gets here fails, and so does a search by timestamp"
	l.report(f)
}

// logDamaged says whether damage of the log was met that is at hand.
func (l *lookup) logDamaged() bool {
	return slices.ContainsFunc(l.result.Findings, func(f sanity.Finding) bool {
		return f.File == l.open.segment.Log.Path && f.Severity == sanity.Error
	})
}

// segmentFiles are the open files of one segment.
type segmentFiles struct {
	segment *Segment
	log     Source
	index   *offsetIndex
	times   *timeIndex
}

// use opens the log of a segment. Indexes are opened when they are asked.
func (l *lookup) use(s *Segment) (*segmentFiles, error) {
	if l.open != nil && l.open.segment == s {
		return l.open, nil
	}
	l.close()
	log, err := s.Log.Open()
	if err != nil {
		return nil, err
	}
	log.R = ratelimit.Until(l.ctx, log.R)
	l.open = &segmentFiles{segment: s, log: log}
	return l.open, nil
}

func (l *lookup) close() {
	if l.open == nil {
		return
	}
	sources := []Source{l.open.log}
	if l.open.index != nil {
		sources = append(sources, l.open.index.source)
	}
	if l.open.times != nil {
		sources = append(sources, l.open.times.source)
	}
	for _, s := range sources {
		if s.Close != nil {
			_ = s.Close()
		}
	}
	l.open = nil
}

// headers walks the headers of the open log from position on, behind damage
// too, until visit returns false.
func (l *lookup) headers(from int64, visit func(b *recordbatch.Batch) (bool, error)) error {
	f := l.open
	scanner := recordbatch.NewScanner(f.log.R, f.log.Size, recordbatch.Options{
		File: f.segment.Log.Path, From: from, Base: f.segment.BaseOffset})
	n := 0
	for b, err := range scanner.Headers() {
		if n++; n%1024 == 0 && l.ctx.Err() != nil {
			return l.ctx.Err()
		}
		if e, ok := errors.AsType[*recordbatch.CorruptError](err); ok {
			l.damaged(e)
		} else if err != nil {
			return err
		}
		if b == nil {
			continue
		}
		more, err := visit(b)
		if err != nil || !more {
			return err
		}
	}
	return nil
}
