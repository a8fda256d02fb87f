package sanity

import (
	"fmt"

	"github.com/kafsck/kafsck/indexfile"
)

// usualInterval is the default of index.interval.bytes.
const usualInterval = 4096

// offsetIndexCheck compares an .index with the pass over its log. Entries are
// taken in the order of their positions, in step with the batches: a healthy
// entry stands at the start of a batch and names
//
//   - an offset of that batch: its first (up to 1.1) or its last (since 2.0)
//   - or the last offset of a later batch that begins before the position of
//     the next entry: an append of several batches (2.0 to 4.0.0)
//
// Source: LogSegment.append and OffsetIndex of the versions named.
type offsetIndexCheck struct {
	s      *segmentCheck
	slots  *slotReport
	cursor *cursor[indexfile.OffsetEntry]
	out    *verdicts[indexfile.OffsetEntry]
	reader *indexfile.OffsetReader

	// waiting is an entry at the start of a batch whose offset belongs to a
	// later one.
	waiting slotted[indexfile.OffsetEntry]
	waits   bool
	doubt   bool  // damage, or offsets that can't be relied on, lies in between
	passed  int64 // entries below were within damage

	right    indexfile.OffsetEntry // last right entry
	hasRight bool
	distance int64 // largest between right entries
	gap      int64 // largest stretch of log without an entry
	gapAt    int64
	open     *Finding // its range of offsets ends at the next entry
	shift    *shifts
}

// newOffsetIndexCheck reads the shape of the file. It must be called before
// the size of the log is taken: a broker may be appending to both.
func newOffsetIndexCheck(s *segmentCheck, r *indexfile.OffsetReader, newest bool) (*offsetIndexCheck, error) {
	layout, err := r.Layout()
	if err != nil {
		return nil, err
	}
	c := &offsetIndexCheck{s: s, reader: r, slots: newSlotReport(s.partition, r.File, offsetIndexCodes, layout, newest)}
	c.cursor = newCursor(&r.Reader, layout.Entries,
		func(e indexfile.OffsetEntry) int64 { return int64(e.Position) },
		func(e indexfile.OffsetEntry) bool { return e.Position == 0 && e.RelativeOffset == 0 }, false)
	c.out = newVerdicts(c.cursor.ordered, c.settle)
	c.slots.shape(layout.Holes)
	return c, c.cursor.err
}

// batch takes the next sound batch of the log.
func (c *offsetIndexCheck) batch(f *fact) {
	for c.cursor.ok && int64(c.cursor.head.entry.Position) <= f.position {
		e := c.cursor.head
		c.cursor.advance()
		c.meet(e, f)
	}
	if c.shift != nil {
		c.shift.batch(f)
	}
	if !c.waits {
		return
	}
	switch {
	case f.suspectOffsets, f.doubtful:
		c.doubt = true
	case f.indexed(c.waiting.entry.Offset):
		c.waits = false
		c.out.add(verdict[indexfile.OffsetEntry]{slotted: c.waiting})
	}
}

// meet judges an entry whose position is that of f, or lies before it.
func (c *offsetIndexCheck) meet(e slotted[indexfile.OffsetEntry], f *fact) {
	position := int64(e.entry.Position)
	switch {
	case position < 0:
		c.wrong(e, IndexPositionOutOfRange, "position %d", position)
	case e.entry.RelativeOffset < 0:
		c.wrong(e, IndexOffsetOutOfRange, "relative offset %d: below the segment's base offset", int64(e.entry.RelativeOffset))
	case position < c.passed:
		c.skip(e)
	case position == 0:
		c.wrong(e, IndexPositionOutOfRange, "position 0, which no broker writes")
	case position < f.position:
		c.wrong(e, IndexPositionNotABatch, "position %d lies inside of the batch before %d", position, f.position)
	case f.suspectOffsets, f.doubtful && !f.indexed(e.entry.Offset):
		c.skip(e)
	case e.entry.Offset < f.base:
		c.resolve()
		c.wrong(e, IndexOffsetMismatch, "offset %d, where the batch at position %d has %d to %d", e.entry.Offset, position, f.base, f.last)
	case f.indexed(e.entry.Offset):
		c.resolve()
		c.out.add(verdict[indexfile.OffsetEntry]{slotted: e})
	default:
		c.resolve()
		c.waiting, c.waits, c.doubt = e, true, false
	}
}

// resolve ends the wait for the batch that the offset of an entry belongs to.
func (c *offsetIndexCheck) resolve() {
	if !c.waits {
		return
	}
	c.waits = false
	if c.doubt {
		c.skip(c.waiting)
		return
	}
	c.wrong(c.waiting, IndexOffsetMismatch, "offset %d is not that of a batch from position %d on to the next entry's", c.waiting.entry.Offset, int64(c.waiting.entry.Position))
}

// hole takes a damaged range of the log: what points into it isn't judged.
func (c *offsetIndexCheck) hole(from, to int64) {
	c.doubt = true
	for c.cursor.ok && int64(c.cursor.head.entry.Position) < from {
		e := c.cursor.head
		c.cursor.advance()
		c.meet(e, &fact{position: from, suspectOffsets: true})
	}
	c.passed = max(c.passed, to)
}

func (c *offsetIndexCheck) skip(e slotted[indexfile.OffsetEntry]) {
	c.out.add(verdict[indexfile.OffsetEntry]{slotted: e, skip: true})
}

func (c *offsetIndexCheck) wrong(e slotted[indexfile.OffsetEntry], code Code, format string, args ...int64) {
	if c.shift == nil && (code == IndexPositionNotABatch || code == IndexOffsetMismatch) {
		c.shift = newShifts(c.reader, int(max(0, min(e.slot, c.slots.right+1))), c.slots.layout.Entries)
	}
	c.out.add(wrongVerdict(e, code, format, args...))
}

// settle takes the verdicts in the order of slots.
func (c *offsetIndexCheck) settle(v verdict[indexfile.OffsetEntry]) {
	e := v.entry
	if c.open != nil && e.Offset > c.open.Offset {
		c.open.LastOffset = max(c.open.LastOffset, e.Offset-1)
	}
	c.open = nil
	if v.skip {
		return
	}
	if v.code == "" && c.hasRight && (e.Offset <= c.right.Offset || e.Position <= c.right.Position) {
		v = wrongVerdict(v.slotted, IndexNotIncreasing, "offset %d at position %d behind offset %d at position %d", e.Offset, int64(e.Position), c.right.Offset, int64(c.right.Position))
	}
	if v.code == "" {
		c.advanceTo(int64(e.Position))
		c.distance = max(c.distance, int64(e.Position)-int64(c.right.Position))
		c.right, c.hasRight = e, true
		c.slots.good(v.slot)
		return
	}
	if c.open = c.slots.more(v.code, v.slot, e.Offset); c.open != nil {
		return
	}
	f := c.slots.at(v.code, v.slot)
	f.Message = v.message()
	f.Offset, f.LastOffset = max(-1, e.Offset), max(-1, e.Offset)
	f.set("entryOffset", e.Offset)
	f.set("entryPosition", e.Position)
	c.slots.bad(f)
	if n := len(c.slots.wrong); n > 0 {
		c.open = c.slots.wrong[n-1]
	}
}

// lookups tells which lookups use a wrong entry.
func (c *offsetIndexCheck) lookups(f *Finding) {
	where := ""
	switch f.Code {
	case IndexPositionNotABatch:
		where = ", inside a batch: fetches there fail"
	case IndexOffsetMismatch:
		where = ": where that is behind them, they miss records"
	case IndexPositionOutOfRange:
		where = ": they find nothing"
	case IndexNotIncreasing:
		where = ", or where another entry leads the search"
	}
	position := f.Detail["entryPosition"]
	if p, ok := position.(int32); ok && p < 0 {
		position, where = 0, "" // LogSegment.translateOffset
	}
	first := max(f.Offset, c.s.base)
	f.Broker = fmt.Sprintf("lookups of offsets %d to %d start at position %d%s", first, f.LastOffset, position, where)
	if f.count() > 1 {
		f.Broker = fmt.Sprintf("lookups of offsets %d to %d start at wrong positions", first, f.LastOffset)
	}
}

// advanceTo notes how long a stretch of log had no entry.
func (c *offsetIndexCheck) advanceTo(position int64) {
	if d := position - int64(c.right.Position); d > c.gap {
		c.gap, c.gapAt = d, int64(c.right.Position)
	}
}

// end judges the entries behind the last batch and what the whole file shows.
func (c *offsetIndexCheck) end() {
	s := c.s
	lastOffset := s.lineage.last
	if c.waits && !c.doubt && c.waiting.entry.Offset > lastOffset {
		c.waits = false
		c.wrong(c.waiting, IndexOffsetOutOfRange, "offset %d, where the segment ends at %d", c.waiting.entry.Offset, lastOffset)
	}
	c.resolve()
	for ; c.cursor.ok; c.cursor.advance() {
		e := c.cursor.head
		position := int64(e.entry.Position)
		switch {
		case position < 0:
			c.wrong(e, IndexPositionOutOfRange, "position %d", position)
		case s.endsDamaged && position >= s.before.end, position < c.passed:
			c.skip(e)
		case position < s.size:
			c.wrong(e, IndexPositionNotABatch, "position %d lies inside of the last batch, at %d", position, s.before.position)
		case e.entry.Offset <= lastOffset && s.batches > 0:
			c.wrong(e, IndexPositionOutOfRange, "position %d, where the log ends at %d", position, s.size)
		default:
			c.wrong(e, IndexBeyondLog, "offset %d at position %d, where the log ends at %d", e.entry.Offset, position, s.size)
		}
	}
	c.out.end()
	if c.open != nil && !s.endsDamaged {
		c.open.LastOffset = max(c.open.LastOffset, lastOffset) // no entry behind it ends its reach
	}
	c.slots.tooMany(c.cursor.beyond)
	if c.cursor.err != nil {
		s.partition.report.unreadable(c.slots.file, -1, c.cursor.err)
		return
	}
	for _, f := range c.slots.wrong {
		c.lookups(f)
		if f.Code == IndexBeyondLog {
			s.cutShort = true
			f.Broker = "the log was cut: lookups of offsets from " + text(f.Offset) + " on find nothing, and fetches there fail"
		}
		// LogSegment.readNextOffset looks for the offset of the last entry.
		if f == c.open && s.next < 0 && s.batches > 0 && !s.endsDamaged && f.LastOffset > lastOffset {
			f.Broker += "; a start after a clean stop takes " + text(s.base) + " for the end of the log"
		}
	}
	end := s.before.end
	due := end-int64(c.right.Position) > 2*(max(c.distance, usualInterval)+s.largestBatch)
	c.slots.stale(due)
	s.partition.explain(c.slots, c.shift, s)
	s.strayed(c.slots)
	c.advanceTo(end)
	if c.gap > 16*usualInterval+2*s.largestBatch && len(c.slots.wrong) == 0 && s.firstDamage < 0 {
		f := At(IndexSparse, c.slots.file)
		f.Message = fmt.Sprintf("no entry between positions %d and %d", c.gapAt, c.gapAt+c.gap)
		f.Broker = fmt.Sprintf("lookups there read up to %d bytes of the log", c.gap)
		s.partition.report.add(f)
	}
}
