package loader

import (
	"maps"
	"slices"
	"strings"

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
	snapshots map[int64]string // names by offset
	lastSnap  int64            // offset of the last snapshot loaded or taken
}

func (l *load) newProducers() (*producers, error) {
	p := &producers{l: l, state: producerstate.New(l.options.Version, 0)}
	p.state.Partition = l.partition
	return p, p.list()
}

// list finds the snapshots (ProducerStateManager.loadSnapshots).
func (p *producers) list() error {
	p.snapshots = make(map[int64]string)
	var names []string
	for name := range p.l.dir.files {
		if strings.HasSuffix(name, extSnapshot) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		offset, err := offsetOf(name)
		if err != nil {
			return err
		}
		p.snapshots[offset] = name
	}
	return nil
}

// offsets are those of the snapshots, rising.
func (p *producers) offsets() []int64 { return slices.Sorted(maps.Keys(p.snapshots)) }

func (p *producers) remove(offset int64, reason string) {
	if name, known := p.snapshots[offset]; known {
		delete(p.snapshots, offset)
		p.l.removeFile(name, reason)
	}
}

// take writes a snapshot, unless nothing came since the last one.
func (p *producers) take() {
	end := p.state.EndOffset()
	if end <= p.lastSnap {
		return
	}
	name := fileName(end, extSnapshot)
	entries := p.state.Snapshot()
	p.l.dir.files[name] = &file{name: name, size: 10 + 46*int64(len(entries)), producers: entries}
	p.snapshots[end] = name
	p.lastSnap = end
}

// loadSnapshot loads the newest snapshot that is sound, and deletes those that
// aren't (ProducerStateManager.loadFromSnapshot).
func (p *producers) loadSnapshot(logStart int64) error {
	offsets := p.offsets()
	for _, offset := range slices.Backward(offsets) {
		f := p.l.dir.files[p.snapshots[offset]]
		if f == nil {
			// It was listed and is gone: reading it fails.
			return throw("java.nio.file.NoSuchFileException", "%s", p.l.dir.abs(p.snapshots[offset]))
		}
		entries := f.producers
		if f.source != "" {
			snapshot, err := statefile.ReadFile(f.source, statefile.ReadProducerSnapshot)
			if statefile.Damage(err) != nil {
				p.remove(offset, "snapshot-corrupt")
				continue
			}
			if err != nil {
				return err
			}
			entries = snapshot.Entries
		}
		p.state.Load(entries, offset)
		p.lastSnap = offset
		return nil
	}
	p.state.Reset(logStart)
	p.lastSnap = logStart
	return nil
}

// truncateAndReload deletes the snapshots out of range and loads the newest.
func (p *producers) truncateAndReload(logStart, logEnd int64) error {
	for _, offset := range p.offsets() {
		switch {
		case offset > logEnd:
			p.remove(offset, "snapshot-above-log-end")
		case offset <= logStart:
			p.remove(offset, "snapshot-at-log-start")
		}
	}
	if logEnd != p.state.EndOffset() {
		return p.loadSnapshot(logStart)
	}
	if p.state.EndOffset() < logStart {
		p.state.SetEndOffset(logStart)
	}
	p.lastSnap = logStart
	if offsets := p.offsets(); len(offsets) > 0 {
		p.lastSnap = offsets[len(offsets)-1]
	}
	return nil
}

// startAt forgets everything (ProducerStateManager.truncateFullyAndStartAt).
func (p *producers) startAt(offset int64) {
	for _, o := range p.offsets() {
		p.remove(o, "log-end-below-log-start")
	}
	p.state.Reset(offset)
	p.lastSnap = 0
}

// removeStray keeps the snapshots at base offsets of segments, and the one
// behind the last of these, which a clean shutdown wrote.
func (p *producers) removeStray(segments []*segment) error {
	if err := p.list(); err != nil {
		return err
	}
	bases := make(map[int64]bool, len(segments))
	for _, s := range segments {
		bases[s.base] = true
	}
	stray, found := int64(0), false
	for _, offset := range p.offsets() {
		if bases[offset] {
			continue
		}
		if found {
			p.remove(stray, "snapshot-stray")
		}
		stray, found = offset, true
	}
	if found && len(segments) > 0 && stray < segments[len(segments)-1].base {
		p.remove(stray, "snapshot-stray")
	}
	return nil
}

// rebuild brings the state to the offset end (UnifiedLog.rebuildProducerState).
func (p *producers) rebuild(segments []*segment, logStart, end int64, clean bool) error {
	var at []int64 // where snapshots are worth taking
	for _, s := range segments[max(0, len(segments)-2):] {
		at = append(at, s.base)
	}
	at = append(at, end)
	if len(p.snapshots) == 0 && clean {
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
			if slices.Contains(at, s.base) {
				p.take()
			}
			to := s.log.size
			if floor(segments, end) == s {
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
	p.take()
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
	first := 0
	for i, s := range segments {
		if s.base <= from {
			first = i
		}
	}
	last := first
	for last < len(segments) && segments[last].base < to {
		last++
	}
	return segments[first:last]
}

// floor is the segment with the largest base offset up to offset, or nil.
func floor(segments []*segment, offset int64) *segment {
	for _, s := range slices.Backward(segments) {
		if s.base <= offset {
			return s
		}
	}
	return nil
}
