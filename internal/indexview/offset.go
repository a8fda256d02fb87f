package indexview

import (
	"math"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// Offset is an entry of an .index, judged.
type Offset struct {
	indexfile.OffsetEntry
	Slot int

	// The batch that begins at the entry's position; AtBatch says whether one
	// does.
	AtBatch                          bool
	BatchBaseOffset, BatchLastOffset int64

	Judgement

	before     int64 // last offset in front of the position
	sizeBefore int64 // of the batch in front of it, bytes
}

// Offsets judges all entries of an .index and gives them to yield in order, in
// pieces that are valid during the call. log is nil where there is none.
// Summary.LogDamage and the error, which is of reading or yield's, tell what
// could not be judged.
func Offsets(index *indexfile.OffsetReader, layout *indexfile.Layout, log *Log, yield func([]Offset) error) (Summary, error) {
	s := Summary{IntervalHigh: -1}
	last := Offset{OffsetEntry: indexfile.OffsetEntry{Offset: math.MinInt64, RelativeOffset: -1, Position: -1}}
	err := inPieces(&index.Reader, layout.Entries, chunkEntries, &s,
		func(e indexfile.OffsetEntry, slot int) Offset { return Offset{OffsetEntry: e, Slot: slot} },
		func(views []Offset, final bool) error {
			return judgeOffsets(views, layout, log, &s, &last, final)
		},
		yield)
	return s, err
}

// judgeOffsets judges a chunk; last is the right entry in front of it and
// becomes the last right one in it.
func judgeOffsets(views []Offset, layout *indexfile.Layout, log *Log, s *Summary, last *Offset, final bool) error {
	p := pass{log: log, summary: s}
	if log != nil {
		if err := p.factsOfPositions(views); err != nil {
			return err
		}
	}
	previous := -1
	for i := range views {
		v := &views[i]
		v.Judgement = p.offset(v, last)
		if v.Verdict != True && (v.Verdict == False || log != nil) {
			continue
		}
		// An offset past the batches in front of the next entry is wrong, even
		// though nothing else is.
		if previous >= 0 && log != nil && views[previous].Offset > v.before && !p.damagedBetween(int64(last.Position), int64(v.Position)) {
			views[previous].Judgement = wrong(sanity.IndexOffsetMismatch)
		}
		if previous >= 0 || last.Position > 0 {
			s.interval(int64(v.Position-last.Position), v.sizeBefore)
		}
		*last, previous = *v, i
	}
	if final && previous >= 0 && log != nil && last.Offset >= s.LogEndOffset && !p.damagedBetween(int64(last.Position), log.Size) {
		views[previous].Judgement = wrong(sanity.IndexOffsetOutOfRange)
	}
	if final && layout.Preallocated() {
		end := len(views)
		for end > 0 && views[end-1].Verdict == False {
			end--
		}
		// Without the log a stale tail can't be told from damage.
		tail := Judgement{Verdict: Unchecked}
		if log != nil {
			if end == len(views) || p.due(max(int64(last.Position), 0)) {
				return nil
			}
			tail.Verdict = Stale
		}
		for i := end; i < len(views); i++ {
			views[i].Judgement = tail
		}
	}
	return nil
}

// interval takes the distance between two entries, and the size of the batch in
// front of the second. The broker had more than the interval behind it at the
// second entry, and not one batch earlier.
func (s *Summary) interval(distance, sizeBefore int64) {
	if s.IntervalHigh < 0 || distance-1 < s.IntervalHigh {
		s.IntervalHigh = distance - 1
	}
	s.maxDistance = max(s.maxDistance, distance)
	if sizeBefore > 0 {
		s.IntervalLow = max(s.IntervalLow, distance-sizeBefore)
	}
}

// factsOfPositions finds the batch at each entry's position.
func (p *pass) factsOfPositions(views []Offset) error {
	order := ordered(len(views), func(i int) int64 { return int64(views[i].Position) })
	i := 0
	before, size := int64(math.MinInt64), int64(0)
	err := p.headers(func(b *recordbatch.Batch) {
		for ; i < len(views) && int64(views[at(order, i)].Position) <= b.Position; i++ {
			v := &views[at(order, i)]
			v.before, v.sizeBefore = before, size
			if int64(v.Position) == b.Position {
				v.AtBatch, v.BatchBaseOffset, v.BatchLastOffset = true, p.firstOffset(b), b.LastOffset()
			}
		}
		before, size = max(before, b.LastOffset()), b.Size
	})
	for ; i < len(views); i++ {
		views[at(order, i)].before = before
	}
	return err
}

// offset judges an entry by itself and against the last right one.
func (p *pass) offset(v, last *Offset) Judgement {
	switch {
	case v.RelativeOffset == 0 && v.Position == 0:
		return wrong(sanity.IndexZeroHole)
	case v.RelativeOffset < 0:
		return wrong(sanity.IndexOffsetOutOfRange)
	case v.Position <= 0:
		return wrong(sanity.IndexPositionOutOfRange)
	case p.log != nil && int64(v.Position) >= p.log.Size:
		return wrong(sanity.IndexBeyondLog)
	case v.Offset <= last.Offset || v.Position <= last.Position:
		return wrong(sanity.IndexNotIncreasing)
	case p.log == nil:
		return Judgement{}
	case !v.AtBatch && p.damagedAt(int64(v.Position)):
		return Judgement{}
	case !v.AtBatch:
		return wrong(sanity.IndexPositionNotABatch)
	case v.Offset <= v.before || v.Offset < v.BatchBaseOffset:
		return wrong(sanity.IndexOffsetMismatch)
	}
	return Judgement{Verdict: True}
}

// due is Due for the log at hand.
func (p *pass) due(position int64) bool {
	return Due(position, p.log.Size, p.summary.maxDistance, p.summary.LargestBatch)
}

// Due says whether an appending broker must have added an entry between
// position, that of the last right entry, and the log's end: so much has been
// written there. The largest distance between right entries shows the interval
// in use; it is never taken to be below Kafka's default.
func Due(position, logSize, largestDistance, largestBatch int64) bool {
	return logSize-position > 2*(max(largestDistance, defaultInterval)+largestBatch)
}

// defaultInterval is Kafka's index.interval.bytes.
const defaultInterval = 4096
