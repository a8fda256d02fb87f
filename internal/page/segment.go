package page

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/kafsck/kafsck/internal/simulate"
	"github.com/kafsck/kafsck/recordbatch"
)

// Segment is what a page shows of a segment.
type Segment struct {
	File       string // as reached from the argument
	BaseOffset int64
	Size       int64 // bytes of the log

	Batches int64
	// Stops are the intervals of the slider, with what simulate says of them.
	Stops []simulate.Simulation
	// Damage is what could not be read as batches.
	Damage []*recordbatch.CorruptError
	// DamageMore is how many further places were damaged.
	DamageMore int

	thinned thinned
	last    int64 // the greatest offset, relative
	index   *index
}

// maxDamage is how many places of damage are kept.
const maxDamage = 64

// ReadSegment reads the headers of a log, once. The error is one of reading, or
// the context's.
func ReadSegment(ctx context.Context, r io.ReaderAt, size int64, file string, baseOffset int64) (*Segment, error) {
	s := &Segment{File: file, BaseOffset: baseOffset, Size: size, last: -1}
	var rules []*simulate.Simulator
	for _, interval := range stops(size) {
		rules = append(rules, simulate.New(simulate.Rule{Interval: interval}))
	}
	last := int64(-1)
	for b, err := range recordbatch.NewScanner(r, size, recordbatch.Options{File: file, Base: baseOffset}).Headers() {
		if e, ok := errors.AsType[*recordbatch.CorruptError](err); ok {
			if len(s.Damage) < maxDamage {
				s.Damage = append(s.Damage, e)
			} else {
				s.DamageMore++
			}
		} else if err != nil {
			return nil, err
		}
		if s.Batches%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if b == nil {
			continue
		}
		batch := simulate.BatchOf(b, last)
		last = b.LastOffset()
		s.Batches++
		for _, rule := range rules {
			rule.Append(batch)
		}
		s.thinned.add(b.Position, batch, baseOffset)
		s.last = max(s.last, batch.LastOffset-baseOffset)
	}
	for _, rule := range rules {
		s.Stops = append(s.Stops, rule.Result())
	}
	return s, nil
}

// stops are the intervals that the slider can be set to: an entry for every
// batch, then powers of two, to the first that leaves no entry in a log of this
// size.
func stops(size int64) []int64 {
	list := []int64{0}
	for interval := int64(512); interval <= math.MaxInt32; interval *= 2 {
		list = append(list, interval)
		if interval >= size {
			break
		}
	}
	return list
}
