package loader

import (
	"cmp"
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/internal/statefile"
)

// load is one load of a partition under way (LogLoader, UnifiedLog.create).
type load struct {
	ctx       context.Context
	options   Options
	partition string // as in messages
	deleting  bool   // the directory is marked for deletion

	dir      *directory
	segments []*segment // by base offset
	epochs   *recovery.Epochs
	main     *producers
	splits   int

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
	if l.main, err = l.newProducers(); err != nil {
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
	l.truncateEpochs(end, l.options.LogStart)
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
	if f := l.dir.files[metadataName]; f != nil && !l.options.Version.Before(2, 8) {
		_, err := statefile.ReadFile(f.source, statefile.ReadPartitionMetadata)
		if err := thrownBy(err, l.dir.abs(f.name)); err != nil {
			return err
		}
	}
	return nil
}

// find is the read by which a broker finds the position of the first unstable
// offset (LocalLog.convertToOffsetMetadataOrThrow).
func (l *load) find(offset, end int64) error {
	s := floor(l.segments, offset)
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

// readEpochs reads leader-epoch-checkpoint, which a broker makes if it is
// missing (LeaderEpochFileCache).
func (l *load) readEpochs() error {
	if l.options.Version.Before(0, 11) {
		l.epochs = nil
		return nil
	}
	l.epochs = new(recovery.Epochs)
	f := l.dir.files[epochsName]
	if f == nil {
		l.dir.create(epochsName, 0)
		return nil
	}
	read, err := statefile.ReadFile(f.source, statefile.ReadLeaderEpochs)
	if err := thrownBy(err, l.dir.abs(f.name)); err != nil {
		return err
	}
	l.epochs = recovery.NewEpochs(read.Entries)
	l.plan.EpochsBefore = len(read.Entries)
	return nil
}

// truncateEpochs drops what lies outside of the log
// (LeaderEpochFileCache.truncateFromEnd, truncateFromStart).
func (l *load) truncateEpochs(end, start int64) {
	if l.epochs == nil {
		return
	}
	entries := l.epochs.Entries
	if n := len(entries); n > 0 && entries[n-1].StartOffset >= end {
		entries = slices.DeleteFunc(entries, func(e statefile.EpochEntry) bool { return e.StartOffset >= end })
	}
	covering := -1
	for i, e := range entries {
		if e.StartOffset <= start {
			covering = i
		}
	}
	if covering >= 0 {
		last := entries[covering]
		last.StartOffset = start
		entries = slices.DeleteFunc(entries, func(e statefile.EpochEntry) bool { return e.StartOffset <= start && e.Epoch != last.Epoch })
		for i := range entries {
			if entries[i].Epoch == last.Epoch {
				entries[i] = last
			}
		}
	}
	l.epochs.Entries = entries
}

// thrownBy is the broker's exception for a fault of a state file. nil is nil,
// and other errors stay as they are.
func thrownBy(err error, path string) error {
	var fault *statefile.Error
	if !errors.As(err, &fault) || errors.Is(err, statefile.ErrRead) || errors.Is(err, statefile.ErrTooLarge) {
		return err
	}
	failure, fails := fault.Broker(path)
	if !fails {
		return nil
	}
	return &indexfile.KafkaError{Class: qualified(failure.Class), Message: failure.Message}
}

// qualified puts the package before the simple name of a class of Java.
func qualified(class string) string {
	switch class {
	case "IOException", "EOFException":
		return "java.io." + class
	case "MalformedInputException":
		return "java.nio.charset." + class
	}
	return "java.lang." + class
}

// removeTemporary deletes what an interrupted deletion, cleaning or split left
// behind, and returns the .swap files that count
// (LogLoader.removeTempFilesAndCollectSwapFiles).
func (l *load) removeTemporary() (swaps []string, err error) {
	smallest := int64(math.MaxInt64)
	var cleaned []string
	for _, name := range l.dir.names() {
		switch {
		case strings.HasSuffix(name, sufDeleted) && !strings.HasSuffix(name, checkpointDeleted):
			l.removeFile(name, reasonLeftover)
		case strings.HasSuffix(name, sufCleaned):
			offset, thrown := offsetOf(name)
			if thrown != nil {
				return nil, thrown
			}
			smallest = min(smallest, offset)
			cleaned = append(cleaned, name)
		case strings.HasSuffix(name, sufSwap):
			swaps = append(swaps, name)
		}
	}
	valid := swaps[:0]
	for _, name := range swaps {
		offset, thrown := offsetOf(name)
		switch {
		case thrown != nil:
			return nil, thrown
		case offset >= smallest && !l.options.Version.Before(2):
			l.removeFile(name, "swap-incomplete")
		default:
			valid = append(valid, name)
		}
	}
	for _, name := range cleaned {
		l.removeFile(name, reasonLeftover)
	}
	return valid, nil
}

// completeSwaps deletes the segments that the .swap files replace and renames
// these.
func (l *load) completeSwaps(swaps []string) error {
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	by := ""
	for _, name := range swaps {
		if !strings.HasSuffix(strings.TrimSuffix(name, sufSwap), extLog) {
			continue
		}
		base, thrown := offsetOf(name)
		if thrown != nil {
			return thrown
		}
		s, err := l.openSegment(base, sufSwap)
		if err != nil {
			return err
		}
		next, err := s.nextOffset()
		if err != nil {
			return err
		}
		low, high = min(low, base), max(high, next)
		by = cmp.Or(by, name)
	}
	for _, name := range l.dir.names() {
		offset, thrown := offsetOf(name)
		if thrown == nil && !strings.HasSuffix(name, sufSwap) && offset >= low && offset < high {
			l.replaced(name, by, high)
		}
	}
	for _, name := range l.dir.names() {
		if strings.HasSuffix(name, sufSwap) {
			l.renameFile(name, strings.TrimSuffix(name, sufSwap), "swap-complete")
		}
	}
	return nil
}

// loadSegments opens all segments (LogLoader.loadSegmentFiles).
func (l *load) loadSegments() error {
	l.segments = nil
	for _, name := range l.dir.names() {
		switch {
		case isIndexName(name):
			base, thrown := offsetOf(name)
			if thrown != nil {
				return thrown
			}
			if !l.dir.has(fileName(base, extLog)) {
				l.removeFile(name, reasonOrphan)
			}
		case strings.HasSuffix(name, extLog):
			base, thrown := offsetOf(name)
			if thrown != nil {
				return thrown
			}
			if err := l.loadSegment(base); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadSegment opens a segment and checks it (LogSegment.sanityCheck): the
// offset index has to be there, and the transaction index sound.
func (l *load) loadSegment(base int64) error {
	hadTimes := l.dir.has(fileName(base, extTime))
	s, err := l.openSegment(base, "")
	if err != nil {
		return err
	}
	reason, err := l.checkIndexes(s, hadTimes)
	if err != nil {
		return err
	}
	if reason != "" {
		if _, err := l.recoverSegment(s, reason); err != nil {
			return err
		}
	}
	l.add(s)
	return nil
}

// checkIndexes says why a segment has to be recovered at once; "" it hasn't.
func (l *load) checkIndexes(s *segment, hadTimes bool) (reason string, err error) {
	if l.options.Version.Before(2, 3) {
		return l.checkIndexesOld(s, hadTimes)
	}
	if !l.dir.has(s.name(extIndex)) {
		return "index-missing", nil
	}
	if !hadTimes {
		if f, err := s.index(indexfile.Time); err != nil {
			return "", err
		} else {
			f.size = 0
		}
	}
	return l.checkTxn(s)
}

func (l *load) checkTxn(s *segment) (reason string, err error) {
	f := l.dir.files[s.name(extTxn)]
	if f == nil || f.source == "" {
		return "", nil
	}
	r, closeFile, err := f.open()
	if err != nil {
		return "", err
	}
	defer closeFile()
	reader := indexfile.NewTxnReader(r, f.size, s.base)
	reader.File = f.source
	err = reader.KafkaSanity(l.dir.abs(f.name))
	var thrown *indexfile.KafkaError
	if errors.As(err, &thrown) && thrown.Class == classCorruptIndex {
		return "txnindex-mismatch", nil
	}
	if errors.As(err, &thrown) && l.options.Version.Before(4, 4) {
		return "", l.versionBefore44(reader, err)
	}
	return "", err
}

// versionBefore44: up to 4.3 only the first byte of a version is looked at.
func (l *load) versionBefore44(reader *indexfile.TxnReader, thrown error) error {
	for e, err := range reader.Entries() {
		if err != nil {
			return err
		}
		if e.Version>>8 > 0 {
			return thrown
		}
	}
	return nil
}

// add puts a segment into its place; another of the same base offset goes.
func (l *load) add(s *segment) {
	at, found := slices.BinarySearchFunc(l.segments, s.base, func(have *segment, base int64) int { return cmp.Compare(have.base, base) })
	if found {
		l.segments[at] = s
		return
	}
	l.segments = slices.Insert(l.segments, at, s)
}

func (l *load) last() *segment { return l.segments[len(l.segments)-1] }

// growIndexes gives the indexes of the active segment their full size, with
// room for more entries (LogSegment.resizeIndexes).
func (l *load) growIndexes(s *segment) error {
	for _, kind := range []indexfile.Kind{indexfile.Offset, indexfile.Time} {
		if kind == indexfile.Time && l.options.Version.Before(0, 10, 1) {
			continue
		}
		full, err := l.indexSize(kind)
		if err != nil {
			return err
		}
		f, err := s.index(kind)
		if err != nil {
			return err
		}
		entry := int64(kind.EntrySize())
		if used := f.size - f.size%entry; used > full {
			return throw(classIllegalArg, "newPosition > limit: (%d > %d)", used, full)
		}
	}
	return nil
}

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
