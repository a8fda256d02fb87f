package loader

import (
	"cmp"
	"slices"

	"github.com/kafsck/kafsck/internal/producerstate"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/recordbatch"
)

// producers is a ProducerStateManager: the state and the snapshots it knows
// of. The loader has one for the log and makes another for each recovery of a
// segment, and they delete each other's files.
type producers struct {
	l         *load
	state     *producerstate.State
	snapshots *snapshots
	lastSnap  int64 // offset of the last snapshot loaded or taken
}

// newProducers is for one recovery. What it knows of is what is there: nobody
// else changes that meanwhile.
func (l *load) newProducers() (p *producers, err error) {
	p = &producers{l: l, state: producerstate.New(l.options.Version, 0)}
	p.state.Partition = l.partition
	p.snapshots, err = l.dir.list()
	return p, err
}

// listOnce takes down what is there now: others change it. Up to 2.7 the
// directory is looked through whenever they are asked for.
func (p *producers) listOnce() error {
	if p.l.options.Version.Before(2, 8) {
		return nil
	}
	now, err := p.l.dir.list()
	if err == nil {
		p.snapshots = now.clone()
	}
	return err
}

func (p *producers) remove(f snapshot, reason string) {
	p.snapshots.remove(f.offset)
	p.l.removeFile(f.name, reason)
}

// take writes a snapshot, unless nothing came since the last one.
func (p *producers) take() {
	end := p.state.EndOffset()
	if end <= p.lastSnap {
		return
	}
	name := fileName(end, extSnapshot)
	entries := p.state.Snapshot()
	p.l.dir.put(&file{name: name, size: 10 + 46*int64(len(entries)), producers: entries})
	p.snapshots.put(end, name)
	p.lastSnap = end
}

// loadSnapshot loads the newest snapshot that is sound, and deletes those that
// aren't (ProducerStateManager.loadFromSnapshot).
func (p *producers) loadSnapshot(logStart int64) error {
	for {
		newest, found := p.snapshots.newest()
		if !found {
			break
		}
		f := p.l.dir.files[newest.name]
		if f == nil {
			// It was listed and is gone: reading it fails.
			return throw("java.nio.file.NoSuchFileException", "%s", p.l.dir.abs(newest.name))
		}
		entries := f.producers
		if f.source != "" {
			snapshot, err := statefile.ReadFile(f.source, statefile.ReadProducerSnapshot)
			if statefile.Damage(err) != nil {
				p.remove(newest, "snapshot-corrupt")
				continue
			}
			if err != nil {
				return err
			}
			entries = snapshot.Entries
		}
		p.state.Load(entries, newest.offset)
		p.lastSnap = newest.offset
		return nil
	}
	p.state.Reset(logStart)
	p.lastSnap = logStart
	return nil
}

// truncateAndReload deletes the snapshots out of range and loads the newest.
func (p *producers) truncateAndReload(logStart, logEnd int64) error {
	for _, f := range p.snapshots.upTo(min(logStart, logEnd)) {
		p.remove(f, "snapshot-at-log-start")
	}
	for _, f := range p.snapshots.above(logEnd) {
		p.remove(f, "snapshot-above-log-end")
	}
	if logEnd != p.state.EndOffset() {
		return p.loadSnapshot(logStart)
	}
	if p.state.EndOffset() < logStart {
		p.state.SetEndOffset(logStart)
	}
	p.lastSnap = logStart
	if newest, found := p.snapshots.newest(); found {
		p.lastSnap = newest.offset
	}
	return nil
}

// startAt forgets everything (ProducerStateManager.truncateFullyAndStartAt).
func (p *producers) startAt(offset int64) {
	for _, f := range p.snapshots.all() {
		p.remove(f, "log-end-below-log-start")
	}
	p.state.Reset(offset)
	p.lastSnap = 0
}

// removeStray keeps the snapshots at base offsets of segments, and the one
// behind the last of these, which a clean shutdown wrote.
func (p *producers) removeStray(segments []*segment) error {
	if p.l.options.Version.Before(2, 8) {
		return nil // keeps them all
	}
	if err := p.listOnce(); err != nil {
		return err
	}
	bases := make(map[int64]bool, len(segments))
	for _, s := range segments {
		bases[s.base] = true
	}
	var stray snapshot
	for _, f := range p.snapshots.all() {
		if bases[f.offset] {
			continue
		}
		if stray.name != "" {
			p.remove(stray, "snapshot-stray")
		}
		stray = f
	}
	if stray.name != "" && len(segments) > 0 && stray.offset < segments[len(segments)-1].base {
		p.remove(stray, "snapshot-stray")
	}
	return nil
}

// rebuild brings the state to the offset end (UnifiedLog.rebuildProducerState).
func (p *producers) rebuild(segments []*segment, logStart, end int64, clean bool) error {
	old := p.l.options.Version.Before(2) // snapshots are taken before segments alone
	var at []int64                       // where snapshots are worth taking
	for _, s := range segments[max(0, len(segments)-2):] {
		at = append(at, s.base)
	}
	at = append(at, end)
	if p.snapshots.len() == 0 && clean {
		for _, offset := range at {
			p.state.SetEndOffset(offset)
			p.take()
		}
		return nil
	}
	nothing := p.state.Len() == 0 && p.state.EndOffset() >= end
	if err := p.truncateAndReload(logStart, end); err != nil {
		return err
	}
	if end > p.state.EndOffset() && !nothing {
		for _, s := range between(segments, p.state.EndOffset(), end) {
			start := max(s.base, p.state.EndOffset(), logStart)
			p.state.SetEndOffset(start)
			if old || slices.Contains(at, s.base) {
				p.take()
			}
			to := s.log.size
			if p.l.options.Version.Before(2, 8) || floor(segments, end) == s {
				position, found, err := s.translate(end)
				if err != nil {
					return err
				}
				if found {
					to = position
				}
			}
			if err := p.replay(s, start, to); err != nil {
				return err
			}
		}
	}
	p.state.SetEndOffset(end)
	if !old {
		p.take()
	}
	return nil
}

// rebuildOld brings the state to the begin of a segment that is going to be
// recovered, in releases before 2.0 (Log.recoverSegment). A log that starts
// behind that segment fails there.
func (p *producers) rebuildOld(segments []*segment, logStart, base int64) error {
	if err := p.truncateAndReload(logStart, base); err != nil {
		return err
	}
	from := p.state.EndOffset()
	if s := floor(segments, from); s != nil && s.base > base {
		return throw(classIllegalArg, "inconsistent range")
	}
	for _, s := range between(segments, from, base) {
		if err := p.replay(s, max(s.base, p.state.EndOffset()), s.log.size); err != nil {
			return err
		}
	}
	p.state.SetEndOffset(base)
	if !p.l.options.Version.Before(1) {
		p.take()
	}
	return nil
}

// replay applies the batches of a segment from an offset up to a position. No
// checksum is looked at.
func (p *producers) replay(s *segment, offset, to int64) error {
	from, found, err := s.translate(offset)
	if err != nil || !found {
		return err
	}
	if from > to {
		return throw(classIllegalArg, "Invalid size: %d in read from %s", to-from, s)
	}
	end := p.state.EndOffset()
	err = s.walk(from, to, func(h *recovery.Headers, b *recordbatch.Batch) (bool, error) {
		if b.IsLegacy() || b.ProducerID < 0 {
			return true, nil
		}
		if b.IsControl() {
			if err := h.Load(); err != nil {
				return false, err
			}
		}
		_, err := p.state.Append(b)
		return true, err
	})
	p.state.SetEndOffset(end)
	return err
}

// between are the segments from the one that holds offset from on up to those
// below offset to (LogSegments.values).
func between(segments []*segment, from, to int64) []*segment {
	first, found := search(segments, from)
	if !found {
		first = max(0, first-1)
	}
	last, _ := search(segments, to)
	return segments[first:max(first, last)]
}

// floor is the segment with the largest base offset up to offset, or nil.
func floor(segments []*segment, offset int64) *segment {
	i, found := search(segments, offset)
	switch {
	case found:
		return segments[i]
	case i > 0:
		return segments[i-1]
	}
	return nil
}

// search is where in the segments a base offset is, or would be.
func search(segments []*segment, base int64) (at int, found bool) {
	return slices.BinarySearchFunc(segments, base, func(s *segment, base int64) int { return cmp.Compare(s.base, base) })
}
