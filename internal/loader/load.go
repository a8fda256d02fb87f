package loader

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/leaderepoch"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/recordbatch"
)

// load is one load of a partition under way (LogLoader, UnifiedLog.create).
type load struct {
	ctx       context.Context
	options   Options
	picture   *logdir.Picture // opens the files
	partition string          // as in messages
	deleting  bool            // the directory is marked for deletion

	dir      *directory
	segments []*segment // by base offset
	epochs   *leaderepoch.Cache
	main     *producers
	splits   int
	decoder  recordbatch.Decoder

	plan *Plan
	logs map[string]*logPlan // what becomes of each .log, by its first name
}

// errEndless is a directory of which the model can't say what becomes.
var errEndless = errors.New("the offsets are such that a broker splits segments without an end: what it does can't be said")

// errOverflow is LogSegmentOffsetOverflowException, which makes the loader
// split the segment and begin anew.
type errOverflow struct {
	*indexfile.KafkaError
	segment *segment
}

func (e errOverflow) Unwrap() error { return e.KafkaError }

// run does everything in a broker's order. Its error is what a broker throws,
// an *indexfile.KafkaError, or what keeps this program from saying.
func (l *load) run() error {
	if err := l.readEpochs(); err != nil {
		return err
	}
	var err error
	if l.main, err = l.newProducers(); err == nil {
		err = l.main.listOnce()
	}
	if err != nil {
		return err
	}
	if l.options.Version.Before(3) {
		err = l.beginOld()
	} else {
		err = l.begin()
	}
	if err != nil {
		return err
	}
	end, recoveryPoint := int64(0), int64(0)
	if l.deleting {
		if len(l.segments) == 0 {
			s, err := l.openSegment(0, "")
			if err != nil {
				return err
			}
			l.add(s)
		}
	} else {
		if err := l.retry(func() (err error) { end, recoveryPoint, err = l.recoverLog(); return err }); err != nil {
			return err
		}
		if err := l.growIndexes(l.last()); err != nil {
			return err
		}
		if l.options.Version.Before(0, 9) {
			if err := l.checkIndexes08(); err != nil {
				return err
			}
		}
	}
	return l.finish(end, recoveryPoint)
}

// begin is what the loader does with left-over files and with segments before
// the recovery, since 3.0.
func (l *load) begin() error {
	swaps, err := l.removeTemporary()
	if err != nil {
		return err
	}
	if err := l.completeSwaps(swaps); err != nil {
		return err
	}
	return l.retry(l.loadSegments)
}

// finish sets the offsets, and rebuilds the state of the producers.
func (l *load) finish(end, recoveryPoint int64) error {
	first := l.segments[0].base
	start := max(l.options.LogStart, first)
	if l.epochs != nil {
		l.epochs.TruncateFromEnd(end)
		l.epochs.TruncateFromStart(l.options.LogStart)
	}
	if l.options.Version.Before(0, 11) {
		return l.done(start, end, recoveryPoint)
	}
	if err := l.main.removeStray(l.segments); err != nil {
		return err
	}
	if err := l.main.rebuild(l.segments, start, end, l.options.Clean); err != nil {
		return err
	}
	return l.done(start, end, recoveryPoint)
}

// done is the rest of UnifiedLog: the first unstable offset, the topic id.
func (l *load) done(start, end, recoveryPoint int64) error {
	l.plan.LogStart, l.plan.LogEnd = start, end
	l.plan.RecoveryPoint = max(recoveryPoint, start)
	if first, open := l.main.state.FirstUndecidedOffset(); open {
		if err := l.find(max(first, start), end); err != nil {
			return err
		}
	}
	return l.readTopicID()
}

// readTopicID reads partition.metadata (UnifiedLog.initializeTopicId). Up to 3.6
// there is one version of it.
func (l *load) readTopicID() error {
	f := l.dir.files[metadataName]
	if f == nil || l.options.Version.Before(2, 8) {
		return nil
	}
	m, err := statefile.ReadFile(f.source, statefile.ReadPartitionMetadata)
	path := l.dir.abs(f.name)
	if err == nil && m.Version > 0 && l.options.Version.Before(3, 7) {
		return l.asStorage(&indexfile.KafkaError{Class: classIO, Message: fmt.Sprintf("Unrecognized version of partition metadata file (%s): %d", path, m.Version)}, path)
	}
	return l.asStorage(thrownBy(err, path), path)
}

// find is the read by which a broker finds the position of the first unstable
// offset (LocalLog.convertToOffsetMetadataOrThrow).
func (l *load) find(offset, end int64) error {
	s := floor(l.segments, offset)
	if l.options.Version.Before(2, 4) { // Log.updateFirstUnstableOffset looks into that segment alone
		if s != nil {
			if _, found, err := s.translate(offset); err != nil || found {
				return err
			}
		}
		return throw(classNullPointer, "")
	}
	if offset > end || s == nil {
		return throw(classOutOfRange, "Received request for offset %d for partition %s, but we only have log segments upto %d.", offset, l.partition, end)
	}
	if offset == end {
		return nil
	}
	for _, s := range l.segments[slices.Index(l.segments, s):] {
		if _, found, err := s.translate(offset); err != nil || found {
			return err
		}
	}
	return nil
}

// add puts a segment into its place; another of the same base offset goes.
func (l *load) add(s *segment) {
	at, found := search(l.segments, s.base)
	if found {
		l.segments[at] = s
		return
	}
	l.segments = slices.Insert(l.segments, at, s)
}

func (l *load) last() *segment { return l.segments[len(l.segments)-1] }

// retry does a step again whenever a segment had to be split.
func (l *load) retry(step func() error) error {
	for {
		err := step()
		var overflow errOverflow
		if !errors.As(err, &overflow) {
			return err
		}
		if l.splits++; l.splits > 1000 {
			return errEndless
		}
		if err := l.split(overflow.segment); err != nil {
			return err
		}
	}
}

// partitionOf is the name that a broker gives a log of this directory.
func partitionOf(p *logdir.Partition) string {
	if p.HasName {
		return p.Dir.String()
	}
	return filepath.Base(p.Path)
}
