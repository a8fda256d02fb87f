package sanity

import (
	"fmt"

	"github.com/kafsck/kafsck/indexfile"
)

// timeIndexCheck compares a .timeindex with the pass over its log: the batch
// that holds an entry's offset has the entry's timestamp as its largest, and
// all batches before have smaller ones. Which offset within the batch it is
// depends on the version (TimeIndex, LogSegment). Messages of v0 carry no
// time: 0.10.2 kept the producer's for them, and nothing can be said.
type timeIndexCheck struct {
	s      *segmentCheck
	slots  *slotReport
	cursor *cursor[indexfile.TimeEntry]
	out    *verdicts[indexfile.TimeEntry]

	last     int64 // last offset of the batch before, −1 none
	doubt    bool  // damage lies between that batch and the next
	damaged  bool
	right    indexfile.TimeEntry
	hasRight bool
	// due is the position of the first batch with a larger timestamp than
	// that of the last right entry, −1 none.
	due   int64
	highs []high // where the slots are not in order: due is known only at the end
	first bool   // no batch was seen yet
	holes []indexfile.Run
}

// high is a batch with a larger timestamp than all before it.
type high struct{ timestamp, position int64 }

func newTimeIndexCheck(s *segmentCheck, r *indexfile.TimeReader, newest bool) (*timeIndexCheck, error) {
	layout, err := r.Layout()
	if err != nil {
		return nil, err
	}
	c := &timeIndexCheck{s: s, last: -1, due: -1, first: true, holes: layout.Holes,
		slots: newSlotReport(s.partition, r.File, timeIndexCodes, layout, newest)}
	c.right.Timestamp = -1
	c.cursor = newCursor(&r.Reader, layout.Entries,
		func(e indexfile.TimeEntry) int64 { return e.Offset },
		func(e indexfile.TimeEntry) bool { return e.Timestamp == 0 && e.RelativeOffset == 0 }, true)
	c.out = newVerdicts(c.cursor.ordered, c.settle)
	return c, c.cursor.err
}

// batch takes the next sound batch; before is the largest timestamp of all
// batches before it.
func (c *timeIndexCheck) batch(f *fact, before int64) {
	// A timestamp 0 in the first place makes an entry of zero bytes.
	if c.first && f.maxTimestamp == 0 && len(c.holes) > 0 && c.holes[0].First == 0 && c.holes[0].Slots == 1 {
		c.holes = c.holes[1:]
	}
	c.first = false
	if f.suspectOffsets {
		c.doubt = true
		return
	}
	for c.cursor.ok && c.cursor.head.entry.Offset <= f.last {
		e := c.cursor.head
		c.cursor.advance()
		c.meet(e, f, before)
	}
	if c.due < 0 && f.maxTimestamp > c.right.Timestamp {
		c.due = f.position
	}
	if !c.cursor.ordered && f.maxTimestamp > before && len(c.highs) < mostSorted {
		c.highs = append(c.highs, high{f.maxTimestamp, f.position})
	}
	c.last, c.doubt = f.last, f.doubtful
}

func (c *timeIndexCheck) meet(e slotted[indexfile.TimeEntry], f *fact, before int64) {
	switch {
	case e.entry.RelativeOffset < 0:
		c.wrong(e, TimeIndexOffsetOutOfRange, "relative offset %d: below the segment's base offset", int64(e.entry.RelativeOffset))
	case c.doubt && e.entry.Offset < f.base:
		c.skip(e)
	case f.magic < 1, f.doubtful && e.entry.Timestamp != f.maxTimestamp:
		c.skip(e)
	case e.entry.Offset <= c.last, f.magic == 2 && e.entry.Offset < f.base:
		c.wrong(e, TimeIndexMismatch, "offset %d is in no batch", e.entry.Offset)
	case e.entry.Timestamp != f.maxTimestamp:
		c.wrong(e, TimeIndexMismatch, "timestamp %d for offset %d, where the batch at position %d has %d", e.entry.Timestamp, e.entry.Offset, f.position, f.maxTimestamp)
	case before > e.entry.Timestamp, before == e.entry.Timestamp && f.magic == 2:
		c.wrong(e, TimeIndexMismatch, "timestamp %d for offset %d, where an earlier batch has %d", e.entry.Timestamp, e.entry.Offset, before)
	default:
		c.out.add(verdict[indexfile.TimeEntry]{slotted: e})
	}
}

func (c *timeIndexCheck) hole() { c.doubt, c.damaged = true, true }

func (c *timeIndexCheck) skip(e slotted[indexfile.TimeEntry]) {
	c.out.add(verdict[indexfile.TimeEntry]{slotted: e, skip: true})
}

func (c *timeIndexCheck) wrong(e slotted[indexfile.TimeEntry], code Code, format string, args ...int64) {
	c.out.add(wrongVerdict(e, code, format, args...))
}

func (c *timeIndexCheck) settle(v verdict[indexfile.TimeEntry]) {
	e := v.entry
	if c.hasRight && v.code != TimeIndexOffsetOutOfRange && (e.Timestamp <= c.right.Timestamp || e.Offset < c.right.Offset) && (v.code != "" || !v.skip) {
		v = wrongVerdict(v.slotted, TimeIndexNotIncreasing, "timestamp %d of offset %d behind timestamp %d of offset %d", e.Timestamp, e.Offset, c.right.Timestamp, c.right.Offset)
	}
	if v.skip {
		return
	}
	if v.code == "" {
		c.right, c.hasRight, c.due = e, true, -1
		c.slots.good(v.slot)
		return
	}
	if c.slots.more(v.code, v.slot, e.Offset) != nil {
		return
	}
	f := c.slots.at(v.code, v.slot)
	f.Message = v.message()
	f.Offset, f.LastOffset = max(-1, e.Offset), max(-1, e.Offset)
	f.set("entryTimestamp", e.Timestamp)
	f.set("entryOffset", e.Offset)
	f.Broker = fmt.Sprintf("lookups of times from %d on start at offset %d: they may miss records, or read more than they need", e.Timestamp, e.Offset)
	c.slots.bad(f)
}

func (c *timeIndexCheck) end() {
	s := c.s
	lastOffset := s.lineage.last
	for ; c.cursor.ok; c.cursor.advance() {
		e := c.cursor.head
		switch {
		case e.entry.RelativeOffset < 0:
			c.wrong(e, TimeIndexOffsetOutOfRange, "relative offset %d: below the segment's base offset", int64(e.entry.RelativeOffset))
		case s.endsDamaged || c.doubt:
			c.skip(e)
		default:
			c.wrong(e, TimeIndexOffsetOutOfRange, "offset %d, where the segment ends at %d", e.entry.Offset, lastOffset)
		}
	}
	c.out.end()
	c.slots.tooMany(c.cursor.beyond)
	c.slots.shape(c.holes)
	if c.cursor.err != nil {
		s.partition.report.unreadable(c.slots.file, -1, c.cursor.err)
		return
	}
	interval := int64(usualInterval)
	if s.offsetIndex != nil {
		interval = max(interval, s.offsetIndex.distance)
	}
	for _, h := range c.highs {
		if h.timestamp > c.right.Timestamp {
			c.due = h.position
			break
		}
	}
	due := c.due >= 0 && s.before.end-c.due > 2*(interval+s.largestBatch)
	c.slots.stale(due)
	s.strayed(c.slots)
	if s.maxTimestamp > c.right.Timestamp && len(c.slots.wrong) == 0 && s.firstDamage < 0 && s.v2 && !c.slots.layout.Preallocated() && c.slots.layout.Remainder == 0 {
		f := At(TimeIndexLastEntryMissing, c.slots.file)
		f.Message = fmt.Sprintf("the last entry has timestamp %d, the log %d", c.right.Timestamp, s.maxTimestamp)
		f.Broker = "retention and lookups by time take the segment for older than it is, until it is rolled or rebuilt"
		s.partition.report.add(f)
	}
}
