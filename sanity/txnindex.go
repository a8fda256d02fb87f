package sanity

import (
	"fmt"

	"github.com/kafsck/kafsck/indexfile"
)

// txnIndexCheck compares a .txnindex with the abort markers of its log: every
// entry has its marker, and every marker of a transaction of which data is
// still there has its entry (TransactionIndex, ProducerStateManager).
type txnIndexCheck struct {
	s       *segmentCheck
	file    string
	exists  bool
	cursor  *cursor[indexfile.TxnEntry]
	out     *verdicts[indexfile.TxnEntry]
	fold    *folder
	damaged bool

	right    indexfile.TxnEntry
	hasRight bool
	slots    int // of the index when it was opened
}

// newTxnIndexCheck checks r; nil stands for no file.
func newTxnIndexCheck(s *segmentCheck, file string, r *indexfile.TxnReader) *txnIndexCheck {
	c := &txnIndexCheck{s: s, file: file, exists: r != nil, fold: newFolder(s.partition.report), damaged: s.lineage.damaged}
	if r == nil {
		c.cursor = &cursor[indexfile.TxnEntry]{ordered: true, beyond: -1}
	} else {
		c.slots = r.Slots()
		c.cursor = newCursor(&r.Reader, c.slots,
			func(e indexfile.TxnEntry) int64 { return e.LastOffset },
			func(indexfile.TxnEntry) bool { return false }, false)
		if n := r.Remainder(); n != 0 {
			f := At(TxnIndexSize, file)
			f.Position, f.EndPosition = r.Size()-int64(n), r.Size()
			f.Message = fmt.Sprintf("%d bytes are no multiple of %d", r.Size(), indexfile.TxnEntrySize)
			f.Broker = "the last bytes are left out: an aborted transaction may be served as if it were committed"
			s.partition.report.add(f)
		}
	}
	c.out = newVerdicts(c.cursor.ordered, c.settle)
	return c
}

// aborted takes an abort marker. first is the first offset of the transaction
// as the log shows it, −1 where it shows none; stable is the last stable offset
// behind the marker; known says that both are certain.
func (c *txnIndexCheck) aborted(marker *fact, first, stable int64, known bool) {
	for c.cursor.ok && c.cursor.head.entry.LastOffset < marker.base {
		e := c.cursor.head
		c.cursor.advance()
		c.noMarker(e)
	}
	if !c.cursor.ok || c.cursor.head.entry.LastOffset != marker.base {
		c.missing(marker, first)
		return
	}
	e := c.cursor.head
	c.cursor.advance()
	holds := known || !c.damaged && !c.s.lineage.thinned && !c.s.partition.compacted && e.entry.FirstOffset >= c.s.partition.firstOffset
	switch {
	case e.entry.ProducerID != marker.producerID:
		c.wrong(e, TxnIndexMismatch, "producer %d, where the abort marker at offset %d is of producer %d", e.entry.ProducerID, marker.base, marker.producerID)
	case first >= 0 && holds && e.entry.FirstOffset != first, e.entry.FirstOffset >= e.entry.LastOffset:
		c.wrong(e, TxnIndexMismatch, "first offset %d, where the transaction that ends at %d begins at %d", e.entry.FirstOffset, marker.base, first)
	case known && first >= 0 && e.entry.LastStableOffset != stable, e.entry.LastStableOffset > e.entry.LastOffset+1:
		c.wrong(e, TxnIndexMismatch, "last stable offset %d, where it is %d behind the marker at %d", e.entry.LastStableOffset, stable, marker.base)
	default:
		c.out.add(verdict[indexfile.TxnEntry]{slotted: e})
	}
}

// missing reports an abort marker without an entry. A marker whose data is
// gone, by compaction or because the transaction was empty, needs none.
func (c *txnIndexCheck) missing(marker *fact, first int64) {
	if first < 0 {
		return
	}
	if p := c.s.partition; p.env.live && !c.cursor.ok && p.comesTrue(func() bool { return c.appended(marker.base) }) {
		return
	}
	f := At(TxnIndexEntryMissing, c.file)
	f.Offset, f.LastOffset = first, marker.base
	f.Message = fmt.Sprintf("no entry for the transaction of producer %d from offset %d to its abort marker at %d", marker.producerID, first, marker.base)
	if !c.exists {
		f.Message = "the file is missing: " + f.Message
	}
	f.Broker = "consumers that read committed records only get the aborted ones too"
	c.fold.add(f)
}

func (c *txnIndexCheck) noMarker(e slotted[indexfile.TxnEntry]) {
	if c.damaged || c.s.lineage.thinned || c.s.partition.compacted {
		if e.entry.LastOffset >= c.s.base {
			c.out.add(verdict[indexfile.TxnEntry]{slotted: e, skip: true})
			return
		}
	}
	c.wrong(e, TxnIndexMismatch, "no abort marker at offset %d", e.entry.LastOffset)
}

func (c *txnIndexCheck) wrong(e slotted[indexfile.TxnEntry], code Code, format string, args ...int64) {
	c.out.add(wrongVerdict(e, code, format, args...))
}

func (c *txnIndexCheck) settle(v verdict[indexfile.TxnEntry]) {
	e := v.entry
	broker := "consumers that read committed records only get records of aborted transactions, or miss committed ones"
	severity := v.code.Severity()
	switch {
	case e.Version != indexfile.TxnVersion:
		v = wrongVerdict(v.slotted, TxnIndexVersion, "version %d, not %d", int64(e.Version), indexfile.TxnVersion)
		broker, severity = "the load of the log fails with a KafkaException, after a clean stop too", Error
		if reads := c.s.partition.c.reads; reads.takesTxnVersion(e.Version) {
			broker, severity = "taken for version 0 by "+reads.name()+", which looks at the first byte alone", Warning
		}
	case c.hasRight && (e.LastOffset <= c.right.LastOffset || e.LastStableOffset < c.right.LastStableOffset):
		v = wrongVerdict(v.slotted, TxnIndexNotIncreasing, "last offset %d, last stable offset %d behind %d, %d", e.LastOffset, e.LastStableOffset, c.right.LastOffset, c.right.LastStableOffset)
	case v.code != "" && e.LastOffset < c.s.base:
		broker = "the next start throws CorruptIndexException and recovers the segment"
	}
	if v.skip {
		return
	}
	if v.code == "" {
		c.right, c.hasRight = e, true
		c.fold.sound()
		return
	}
	if run := c.fold.run(v.code); run != nil {
		run.folded, run.lastSlot = run.count()+1, max(run.last(), v.slot)
		run.EndPosition = max(run.EndPosition, (v.slot+1)*indexfile.TxnEntrySize)
		run.LastOffset = max(run.LastOffset, e.LastOffset)
		if severity > run.Severity {
			run.Severity, run.Broker = severity, broker
		}
		c.fold.open[v.code] = run
		return
	}
	f := At(v.code, c.file)
	f.Severity = severity
	f.Slot, f.Position, f.EndPosition = v.slot, v.slot*indexfile.TxnEntrySize, (v.slot+1)*indexfile.TxnEntrySize
	f.Offset, f.LastOffset = max(-1, e.FirstOffset), max(-1, e.LastOffset)
	f.Message, f.Broker = v.message(), broker
	c.fold.add(f)
}

func (c *txnIndexCheck) end() {
	for ; c.cursor.ok; c.cursor.advance() {
		c.noMarker(c.cursor.head)
	}
	c.out.end()
	if slot := c.cursor.beyond; slot >= 0 {
		f := At(TxnIndexNotIncreasing, c.file)
		f.Slot, f.Position, f.EndPosition = slot, slot*indexfile.TxnEntrySize, (slot+1)*indexfile.TxnEntrySize
		f.Message = fmt.Sprintf("out of order; only the first %d slots are compared with the log", mostCompared)
		f.Broker = "aborted transactions may be overlooked"
		c.s.partition.report.add(f)
	}
	if c.cursor.err != nil {
		c.s.partition.report.unreadable(c.file, -1, c.cursor.err)
	}
}
