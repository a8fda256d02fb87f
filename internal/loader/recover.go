package loader

import (
	"errors"
	"fmt"
	"math"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/recordbatch"
)

// recoverSegment recovers a segment with the state of the producers before it
// (LogLoader.recoverSegment) and says how many bytes were cut off. An exception
// of the recovery comes as error; the segment is then as far as it came.
func (l *load) recoverSegment(s *segment, reason string) (truncated int64, err error) {
	var p *producers // since 0.11
	if !l.options.Version.Before(0, 11) {
		if p, err = l.newProducers(); err != nil {
			return 0, err
		}
		if l.options.Version.Before(2) {
			err = p.rebuildOld(l.segments, l.options.LogStart, s.base)
		} else {
			err = p.rebuild(l.segments, l.options.LogStart, s.base, false)
		}
		if err != nil {
			return 0, err
		}
	}
	result, rising, err := l.recoverFile(s, p)
	if err != nil {
		return 0, err
	}
	s.disordered = !rising
	if result.Offset != nil {
		if err := l.resetIndexes(s, result, newOffsets(result.Offset, s.base, rising)); err != nil {
			return 0, err
		}
	}
	l.recovered(s, result, reason)
	if f := result.Failure; f != nil {
		if f.Class == classOffsetOverflow {
			return 0, errOverflow{f, s}
		}
		return 0, f
	}
	truncated = s.log.size - result.ValidBytes
	s.log.size = result.ValidBytes
	if p != nil {
		p.take()
	}
	return truncated, nil
}

// recoverFile runs LogSegment.recover. rising says whether the base offsets
// rise from batch to batch, as those of every sound log do.
func (l *load) recoverFile(s *segment, p *producers) (result *recovery.Result, rising bool, err error) {
	r, closeFile, err := l.open(s.log)
	if err != nil {
		return nil, false, err
	}
	defer closeFile()
	o := recovery.Options{
		File: l.dir.abs(s.log.name), BaseOffset: s.base, Version: l.options.Version,
		Interval: l.options.Interval, MaxIndexSize: l.options.MaxIndexSize,
		Epochs: l.epochs,
	}
	if p != nil {
		o.Producers = p.state
	}
	rising = true
	last, n := int64(math.MinInt64), 0
	o.Visit = func(b *recordbatch.Batch) error {
		if b.BaseOffset() <= last || b.LastOffset() < b.BaseOffset() {
			rising = false
		}
		last = b.LastOffset()
		if n++; n%1024 == 0 {
			return l.ctx.Err()
		}
		return nil
	}
	result, err = recovery.Segment(r, s.log.size, o)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", s.log.source, err)
	}
	return result, rising, nil
}

// resetIndexes gives the index files the sizes that a recovery leaves.
func (l *load) resetIndexes(s *segment, result *recovery.Result, index *offsets) error {
	sizes := map[indexfile.Kind]int{indexfile.Offset: len(result.Offset.Bytes())}
	if !l.options.Version.Before(0, 10, 1) {
		sizes[indexfile.Time] = len(result.Time.Bytes())
	}
	for kind, size := range sizes {
		f, err := s.index(kind)
		if err != nil {
			return err
		}
		f.size, f.source = int64(size), ""
		if kind == indexfile.Offset {
			f.index = index
		}
	}
	txn := int64(len(result.Txn.Bytes()))
	name := s.name(extTxn)
	if txn > 0 || l.dir.has(name) {
		f := l.dir.create(name, 0)
		f.size, f.source = txn, ""
	}
	return nil
}

// recoverLog recovers the segments that may not have reached the disk, and sees
// to it that there is one (LogLoader.recoverLog).
func (l *load) recoverLog() (end, recoveryPoint int64, err error) {
	if !l.options.Clean {
		if err := l.recoverUnflushed(); err != nil {
			return 0, 0, err
		}
	}
	known := false
	if len(l.segments) > 0 {
		if end, err = l.last().nextOffset(); err != nil {
			return 0, 0, err
		}
		known = true
		if end < l.options.LogStart && !l.options.Version.Before(2, 2, 1) { // KAFKA-8306
			// Their snapshots aren't renamed, but deleted by startAt.
			l.deleteSegments(l.segments, reasonBelowStart)
			l.segments = nil
			if !l.options.Version.Before(2, 8) {
				l.epochs.Entries = nil
				l.main.startAt(l.options.LogStart)
			}
			known = false
		}
	}
	if len(l.segments) == 0 {
		base := l.options.LogStart
		if l.options.Version.Before(2, 2, 1) {
			base = 0
		}
		s, err := l.openSegment(base, "")
		if err != nil {
			return 0, 0, err
		}
		l.add(s)
		if end, err = s.nextOffset(); err != nil {
			return 0, 0, err
		}
	}
	if l.options.Clean && known {
		return end, end, nil
	}
	return end, min(l.options.RecoveryPoint, end), nil
}

// recoverUnflushed recovers segment by segment until one is cut; then all later
// ones go.
func (l *load) recoverUnflushed() error {
	unflushed := between(l.segments, l.options.RecoveryPoint, math.MaxInt64)
	for i, s := range unflushed {
		if l.options.Version.Before(0, 8, 1) && i+1 < len(unflushed) {
			continue // 0.8.0 recovers the last one only
		}
		truncated, err := l.recoverSegment(s, reasonUnflushed)
		var thrown *indexfile.KafkaError
		if errors.As(err, &thrown) && l.empties(thrown) {
			truncated, err = s.truncateTo(s.base)
			if err == nil {
				l.emptied(s, thrown)
			}
		}
		if err != nil {
			return err
		}
		if truncated == 0 {
			continue
		}
		if _, err := s.nextOffset(); err != nil { // for the log line
			return err
		}
		later := unflushed[i+1:]
		l.segments = l.segments[:len(l.segments)-len(later)]
		l.deleteSegments(later, reasonBehindCut)
		for _, s := range later {
			l.markSnapshot(s.base)
		}
		return nil
	}
	return nil
}

// empties says whether an exception makes the loader drop the content of the
// segment and go on. Since 4.0 it also does so on an IOException.
func (l *load) empties(thrown *indexfile.KafkaError) bool {
	return thrown.Class == classInvalidOffset || !l.options.Version.Before(4) && (thrown.Class == classIO || thrown.Class == "java.nio.file.NoSuchFileException")
}

// deleteSegments renames the files of segments for a deletion later on
// (LogLoader.removeAndDeleteSegmentsAsync).
func (l *load) deleteSegments(segments []*segment, reason string) {
	for _, s := range segments {
		l.deletedLog(s, reason)
		for _, ext := range l.exts() {
			l.dir.rename(s.name(ext), s.name(ext)+sufDeleted)
		}
	}
}

// markSnapshot renames the snapshot of a segment that goes, if the manager of
// the log knows it and it is still there.
func (l *load) markSnapshot(base int64) {
	name := l.main.snapshots.at(base)
	if name == "" || l.options.Version.Before(3) { // up to 2.8 it is deleted with the segment, later on
		return
	}
	l.main.snapshots.remove(base)
	if f := l.dir.files[name]; f != nil && f.origin != "" {
		l.decide(Decision{File: l.dir.abs(f.origin), BaseOffset: base, Action: Remove, SizeBefore: f.size, Reason: reasonOfSegment})
	}
	l.dir.rename(name, name+sufDeleted)
}
