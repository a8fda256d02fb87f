package indexview

import (
	"math"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// Time is an entry of a .timeindex, judged.
type Time struct {
	indexfile.TimeEntry
	Slot int

	// The batch that holds the entry's offset, or the first one behind it;
	// Held says whether there is one.
	Held                             bool
	BatchPosition                    int64
	BatchBaseOffset, BatchLastOffset int64
	BatchMaxTimestamp                int64

	Judgement

	magic    int8
	afterBad bool  // framing was lost in front of the batch
	before   int64 // largest timestamp in front of it
}

// Times judges all entries of a .timeindex; see Offsets.
func Times(index *indexfile.TimeReader, layout *indexfile.Layout, log *Log, yield func([]Time) error) (Summary, error) {
	s := Summary{IntervalHigh: -1}
	last := Time{TimeEntry: indexfile.TimeEntry{Timestamp: math.MinInt64, Offset: math.MinInt64}}
	err := inPieces(&index.Reader, layout.Entries, chunkEntries, &s,
		func(e indexfile.TimeEntry, slot int) Time { return Time{TimeEntry: e, Slot: slot} },
		func(views []Time, final bool) error { return judgeTimes(views, layout, log, &s, &last, final) },
		yield)
	return s, err
}

func judgeTimes(views []Time, layout *indexfile.Layout, log *Log, s *Summary, last *Time, final bool) error {
	p := pass{log: log, summary: s}
	if log != nil {
		if err := p.factsOfTimes(views); err != nil {
			return err
		}
	}
	for i := range views {
		v := &views[i]
		v.Judgement = p.time(v, last)
		if v.Verdict == False || v.Verdict == Unchecked && log != nil {
			continue
		}
		if last.Held && v.Held {
			s.maxDistance = max(s.maxDistance, v.BatchPosition-last.BatchPosition)
		}
		*last = *v
	}
	if !final || !layout.Preallocated() {
		return nil
	}
	end := len(views)
	for end > 0 && views[end-1].Verdict == False {
		end--
	}
	tail := Judgement{Verdict: Unchecked}
	if log != nil {
		if end == len(views) || p.due(p.firstLater(last)) {
			return nil
		}
		tail.Verdict = Stale
	}
	for i := end; i < len(views); i++ {
		views[i].Judgement = tail
	}
	return nil
}

// factsOfTimes finds the batch that holds each entry's offset.
func (p *pass) factsOfTimes(views []Time) error {
	order := ordered(len(views), func(i int) int64 { return views[i].Offset })
	i, damage := 0, 0
	before := int64(math.MinInt64)
	return p.headers(func(b *recordbatch.Batch) {
		for ; i < len(views) && views[at(order, i)].Offset <= b.LastOffset(); i++ {
			v := &views[at(order, i)]
			v.Held, v.BatchPosition, v.BatchMaxTimestamp = true, b.Position, b.MaxTimestamp
			v.BatchBaseOffset, v.BatchLastOffset = p.firstOffset(b), b.LastOffset()
			v.magic, v.before, v.afterBad = b.Magic, before, len(p.damage) > damage
		}
		damage = len(p.damage)
		before = max(before, b.MaxTimestamp)
	})
}

func (p *pass) time(v, last *Time) Judgement {
	zero := v.Timestamp == 0 && v.RelativeOffset == 0
	switch {
	case zero && (p.log == nil || !v.Held || v.BatchMaxTimestamp != 0 || v.Slot > 0):
		return wrong(sanity.TimeIndexZeroHole)
	case v.RelativeOffset < 0:
		return wrong(sanity.TimeIndexOffsetOutOfRange)
	case v.Timestamp <= last.Timestamp || v.Offset < last.Offset:
		return wrong(sanity.TimeIndexNotIncreasing)
	case p.log == nil:
		return Judgement{}
	case !v.Held && len(p.damage) > 0, v.Held && v.afterBad && v.BatchBaseOffset > v.Offset:
		return Judgement{}
	case !v.Held:
		return wrong(sanity.TimeIndexOffsetOutOfRange)
	case v.magic == 0:
		return Judgement{}
	case v.BatchMaxTimestamp != v.Timestamp || v.before >= v.Timestamp:
		return wrong(sanity.TimeIndexMismatch)
	}
	return Judgement{Verdict: True}
}

// firstLater is the position of the first batch with a larger timestamp than
// the last right entry's: from there on an entry was due. It is the log's size
// where there is none.
func (p *pass) firstLater(last *Time) int64 {
	from := int64(0)
	if last.Held {
		from = last.BatchPosition
	}
	for b, err := range recordbatch.Headers(p.log.R, p.log.Size, from) {
		if err != nil {
			break // the tail of a log that is being written, or damage: nothing more is known
		}
		if b.MaxTimestamp > last.Timestamp {
			return b.Position
		}
	}
	return p.log.Size
}
