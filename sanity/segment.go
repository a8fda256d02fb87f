package sanity

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/kafsck/kafsck/recordbatch"
)

// segmentCheck is the sequential part of the pass over one .log: batches come
// in order, one is held back so that both of its neighbours are known.
type segmentCheck struct {
	partition *partitionCheck
	lineage   *lineage
	file      string
	base      int64 // base offset, from the name
	next      int64 // base offset of the next segment, −1 where this is the newest
	size      int64
	fold      *folder

	held   fact // waits for its successor
	before fact // the one before held
	holds  bool
	faulty bool // held has a fault

	offsetIndex *offsetIndexCheck
	timeIndex   *timeIndexCheck
	txns        *txnIndexCheck

	largestBatch int64
	maxTimestamp int64
	batches      int64 // sound ones of this segment
	records      int64
	v2           bool  // some batch is v2
	timestamps   bool  // some batch has a timestamp
	firstDamage  int64 // position from which on something can't be relied on, −1
	disorder     bool  // batches whose offsets or contents are wrong: what follows from them is explained
	endsDamaged  bool
	astray       []span // offsets of batches that stand where they don't belong
	cutShort     bool   // the index shows that the log was longer

	refused map[*batchRule]refusal // by the release that is going to read the log
	failing []string               // index files that fail its check at the load
}

func newSegmentCheck(p *partitionCheck, file string, base, next int64) *segmentCheck {
	return &segmentCheck{
		partition: p, lineage: p.lineage, file: file, base: base, next: next,
		fold: newFolder(p.report), maxTimestamp: -1, firstDamage: -1,
	}
}

// at begins a finding in this file.
func (s *segmentCheck) at(code Code, position, end int64, format string, args ...any) Finding {
	f := At(code, s.file)
	f.Position, f.EndPosition = position, end
	f.Message = fmt.Sprintf(format, args...)
	return f
}

func (s *segmentCheck) fault(f Finding) *Finding {
	s.faulty = true
	return s.fold.add(f)
}

// tooLarge reports a log that no broker opens (FileRecords).
func (s *segmentCheck) tooLarge() {
	if s.size <= math.MaxInt32 {
		return
	}
	f := s.at(LogTooLarge, math.MaxInt32, s.size, "%d bytes; a segment has %d at the most", s.size, math.MaxInt32)
	f.Broker = "opening the segment throws KafkaException, after a clean stop too: the broker does not start"
	s.partition.report.add(f)
}

// item takes the next step of the scan.
func (s *segmentCheck) item(item *recordbatch.Item, p *probe) {
	if item.Err != nil {
		s.damage(&item.Batch, item.Err)
		return
	}
	var f fact
	f.set(&item.Batch, p)
	s.release(&f)
	for i := range p.faults {
		s.fault(p.faults[i])
	}
	if reads := s.partition.c.reads; reads != nil {
		reads.read(s, &item.Batch, p)
	}
	if p.undecodable && p.faults[0].Code == ControlMalformed {
		s.lineage.damaged = true
	}
	s.batches++
	s.records += p.records
	s.partition.report.summary.Batches++
	s.partition.report.summary.Records += p.records
	s.largestBatch = max(s.largestBatch, f.end-f.position)
	s.held, s.holds = f, true
}

// damage takes bytes that are no sound batch.
func (s *segmentCheck) damage(b *recordbatch.Batch, e *recordbatch.CorruptError) {
	s.release(nil)
	f := FromCorrupt(e)
	f.File = s.file
	whole := b.Size > 0
	if s.joins(&f) {
		return
	}
	// A base offset begins with zeros: so short a tail is a torn header.
	if f.Code == LogZeroTail && f.EndPosition-f.Position < 8 {
		f.Code, f.Message = LogTornTail, text(f.EndPosition-f.Position)+" bytes are left"
	}
	atEnd := e.EndPosition >= s.size
	// Recovery takes a magic above 2 for v2: the batch stays. A smaller one in
	// the place of 2 makes its checksum wrong, and so does any above 1 before
	// there was v2.
	keeps := f.Code == BatchBadMagic && b.Magic > 2 && !s.partition.c.reads.before(0, 11)
	switch {
	case f.Code == LogTornTail, f.Code == LogZeroTail:
		s.tail(&f)
	case s.next < 0 && s.partition.env.live && s.partition.beside.passed(&f):
		// Zeros were there in advance, and the broker was writing over them.
		s.endsDamaged = true
		f.Severity, f.Broker = Info, changedSince
	case keeps:
		f.Broker = "recovery keeps the batch; consumers fail with UnsupportedVersionException and stay where they are"
	default:
		if atEnd && !whole {
			s.endsDamaged = true
		}
	}
	p := s.fold.add(f)
	if !keeps {
		s.cutAt(p)
	}
	if s.firstDamage < 0 {
		s.firstDamage = e.Position
	}
	if atEnd {
		s.endsDamaged = true
	}
	s.lineage.damaged, s.lineage.broken = true, true
	if s.offsetIndex != nil {
		s.offsetIndex.hole(e.Position, e.EndPosition)
	}
	if s.timeIndex != nil {
		s.timeIndex.hole()
	}
	if s.txns != nil {
		s.txns.damaged = true
	}
}

// cutAt notes that recovery cuts the log where the finding is.
func (s *segmentCheck) cutAt(f *Finding) {
	p := s.partition
	if n := len(p.cuts); n == 0 || p.cuts[n-1].finding != f {
		p.cuts = append(p.cuts, cut{finding: f, segment: s, batches: p.report.summary.Batches, records: p.report.summary.Records})
	}
}

// joins says whether the bytes are the rest of a batch whose beginning is the
// damage directly before: zeros that end inside of it leave garbage behind.
func (s *segmentCheck) joins(f *Finding) bool {
	if f.Code != LogGarbage || len(s.partition.cuts) == 0 {
		return false
	}
	last := s.partition.cuts[len(s.partition.cuts)-1]
	if last.segment != s || last.finding.Code != LogZeroHole || last.finding.EndPosition != f.Position {
		return false
	}
	last.finding.EndPosition = f.EndPosition
	if last.finding.count() == 1 { // of several the message tells of the first
		last.finding.Message += "; the rest of a batch behind them, " + text(f.EndPosition-f.Position) + " bytes"
	}
	if f.EndPosition >= s.size {
		s.endsDamaged = true
	}
	if s.offsetIndex != nil {
		s.offsetIndex.hole(f.Position, f.EndPosition)
	}
	return true
}

// tail judges a torn or zero tail: on the newest segment it is what a crash
// leaves behind, or a broker that is writing right now.
func (s *segmentCheck) tail(f *Finding) {
	s.endsDamaged = true
	newest := s.next < 0
	switch {
	case newest && s.partition.env.live:
		f.Severity = Info
		f.Broker = midWrite
	case newest && f.Code == LogZeroTail, newest && !s.partition.env.closedCleanly:
		f.Severity = Warning
	}
}

// release settles the batch held back; next is its successor, or nil.
func (s *segmentCheck) release(next *fact) {
	if !s.holds {
		return
	}
	s.holds = false
	cur := &s.held
	l := s.lineage
	if cur.unopened {
		// All that is known is that it follows what was there before.
		cur.base = min(cur.last, max(s.base, l.last+1))
	}
	l.sawV2 = l.sawV2 || cur.magic >= 2
	l.sawLegacy = l.sawLegacy || cur.magic < 2
	l.thinned = l.thinned || cur.thinned
	s.v2 = s.v2 || cur.magic >= 2
	s.timestamps = s.timestamps || cur.maxTimestamp >= 0
	s.partition.snapshots(cur.base)
	s.offsets(cur, next)
	s.leaderEpoch(cur, next)
	s.producer(cur)
	if s.offsetIndex != nil {
		s.offsetIndex.batch(cur)
	}
	if s.timeIndex != nil {
		s.timeIndex.batch(cur, s.maxTimestamp)
	}
	s.maxTimestamp = max(s.maxTimestamp, cur.maxTimestamp)
	s.before = *cur
	if cur.suspectOffsets || cur.doubtful {
		s.disorder, l.broken = true, true
	}
	if !s.faulty {
		s.fold.sound()
	}
	s.faulty = false
}

// end settles what is left when the whole log was read.
func (s *segmentCheck) end() {
	s.release(nil)
	if s.offsetIndex != nil {
		s.offsetIndex.end()
	}
	if s.cutShort {
		// The index tells it; what else reaches behind the end is explained.
		s.endsDamaged, s.lineage.damaged, s.lineage.broken = true, true, true
	}
	if s.timeIndex != nil {
		s.timeIndex.end()
	}
	if s.txns != nil {
		s.txns.end()
	}
}

// stop ends a pass that was interrupted. Nothing is said of what the rest of
// the log would have shown, and the bytes of it don't count.
func (s *segmentCheck) stop() {
	s.lineage.damaged, s.lineage.broken = true, true
	reached := s.before.end
	if s.holds {
		reached = s.held.end
	}
	s.partition.report.summary.Bytes -= s.size - reached
}

// close ends the reading of the indexes, wherever the pass ended.
func (s *segmentCheck) close() {
	if s.offsetIndex != nil {
		s.offsetIndex.cursor.close()
		if s.offsetIndex.shift != nil {
			s.offsetIndex.shift.stop()
		}
	}
	if s.timeIndex != nil {
		s.timeIndex.cursor.close()
	}
	if s.txns != nil {
		s.txns.cursor.close()
	}
}

// span is a range of offsets.
type span struct{ first, last int64 }

// strayed takes out findings about single index entries for batches that are
// themselves reported as being out of order.
func (s *segmentCheck) strayed(r *slotReport) {
	gone := map[*Finding]bool{}
	for _, f := range r.wrong {
		offset, ok := f.Detail["entryOffset"].(int64)
		if !ok || f.count() > 1 {
			continue
		}
		for _, a := range s.astray {
			if a.first <= offset && offset <= a.last {
				gone[f] = true
			}
		}
	}
	if len(gone) == 0 {
		return
	}
	s.partition.report.drop(func(f *Finding) bool { return gone[f] })
	r.wrong = slices.DeleteFunc(r.wrong, func(f *Finding) bool { return gone[f] })
}

func text(n int64) string { return strconv.FormatInt(n, 10) }

// corruptOf is the typed damage in an error, or nil.
func corruptOf(err error) *recordbatch.CorruptError {
	var e *recordbatch.CorruptError
	if errors.As(err, &e) {
		return e
	}
	return nil
}
