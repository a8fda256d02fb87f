package sanity

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
)

// indexCodes are the codes that the two kinds of sparse index have in common.
type indexCodes struct {
	size, notIncreasing, zeroHole, preallocated, staleTail Code
}

var offsetIndexCodes = indexCodes{IndexSize, IndexNotIncreasing, IndexZeroHole, IndexPreallocated, IndexStaleTail}
var timeIndexCodes = indexCodes{TimeIndexSize, TimeIndexNotIncreasing, TimeIndexZeroHole, TimeIndexPreallocated, TimeIndexStaleTail}

// slotReport turns verdicts about the slots of one index into findings.
type slotReport struct {
	partition *partitionCheck
	file      string
	width     int64
	codes     indexCodes
	layout    indexfile.Layout
	fold      *folder
	newest    bool // of the newest segment

	// tail are the findings since the last right slot; tailSlot is the first
	// slot of them. What they say may be explained once all slots were seen.
	tail     []*Finding
	tailSlot int64
	right    int64 // last right slot, −1 none
	wrong    []*Finding
}

func newSlotReport(p *partitionCheck, file string, codes indexCodes, layout indexfile.Layout, newest bool) *slotReport {
	return &slotReport{partition: p, file: file, width: int64(layout.Kind.EntrySize()), codes: codes, layout: layout,
		fold: newFolder(p.report), newest: newest, right: -1, tailSlot: -1}
}

// at begins a finding about a slot.
func (r *slotReport) at(code Code, slot int64) Finding {
	f := At(code, r.file)
	f.Slot, f.Position, f.EndPosition = slot, slot*r.width, (slot+1)*r.width
	return f
}

// good notes a right slot.
func (r *slotReport) good(slot int64) {
	r.right = max(r.right, slot)
	r.tail, r.tailSlot = r.tail[:0], -1
	r.fold.sound()
}

// bad reports a wrong slot.
func (r *slotReport) bad(f Finding) {
	p := r.fold.add(f)
	if !slices.Contains(r.wrong, p) {
		r.wrong = append(r.wrong, p)
	}
	r.inTail(p, f.Slot)
}

func (r *slotReport) inTail(p *Finding, slot int64) {
	if !slices.Contains(r.tail, p) {
		r.tail = append(r.tail, p)
	}
	if r.tailSlot < 0 || slot < r.tailSlot {
		r.tailSlot = slot
	}
}

// more folds a wrong slot into the run that it continues, if there is one,
// without making a finding of it: an index may have millions.
func (r *slotReport) more(code Code, slot, offset int64) *Finding {
	run := r.fold.run(code)
	if run == nil {
		return nil
	}
	run.folded = run.count() + 1
	run.lastSlot = max(run.last(), slot)
	run.EndPosition = max(run.EndPosition, (slot+1)*r.width)
	run.LastOffset = max(run.LastOffset, offset)
	r.fold.open[code] = run
	r.inTail(run, slot)
	return run
}

// shape reports what the layout shows without a look at the log.
func (r *slotReport) shape(holes []indexfile.Run) {
	l := &r.layout
	if l.Remainder != 0 {
		f := At(r.codes.size, r.file)
		f.Position, f.EndPosition = l.FileBytes-int64(l.Remainder), l.FileBytes
		f.Message = fmt.Sprintf("%d bytes are no multiple of %d", l.FileBytes, r.width)
		f.Broker = "brokers before 2.3 rebuild the index at the next start, or do not start; later ones leave the last bytes out"
		r.partition.report.add(f)
	}
	for _, hole := range holes {
		f := r.at(r.codes.zeroHole, int64(hole.First))
		f.EndPosition = int64(hole.First+hole.Slots) * r.width
		f.Message = fmt.Sprintf("%d zero slots in front of used ones", hole.Slots)
		f.Broker = "a lookup whose search meets one of them goes astray"
		if hole.Slots > 1 {
			f.lastSlot, f.folded = int64(hole.First+hole.Slots-1), int64(hole.Slots)
		}
		r.partition.report.add(f)
	}
	if l.Preallocated() {
		f := r.at(r.codes.preallocated, int64(l.Tail.First))
		f.EndPosition = int64(l.Tail.First+l.Tail.Slots) * r.width
		f.Message = fmt.Sprintf("%d used slots, then %d zero ones", l.Entries, l.Tail.Slots)
		f.Broker = r.preallocated()
		f.lastSlot = int64(l.Tail.First + l.Tail.Slots - 1)
		r.partition.report.add(f)
	}
}

// preallocated says what becomes of zeros at the end of an index. Only a recovery
// cuts them off a file that isn't written to any more: else they are its last
// entries (AbstractIndex, TimeIndex.lastEntry).
func (r *slotReport) preallocated() string {
	p := r.partition
	stopped := p.env.closedCleanly && !p.env.live
	if dir, err := filepath.Abs(p.p.Path); err == nil {
		// These aren't cut at a clean stop, and don't need it.
		named, _ := logdir.ParsePartitionDir(filepath.Base(dir))
		stopped = stopped && named.Topic != logdir.MetadataTopic && named.Marker != logdir.Delete && named.Marker != logdir.Stray
	}
	where := "preallocated room in a rolled segment"
	switch {
	case r.newest && !stopped:
		return "preallocated room: cut off at the next roll, clean stop or recovery"
	case r.newest:
		where = "preallocated room behind a clean stop, so that no recovery cuts it off"
	}
	if r.codes.preallocated == TimeIndexPreallocated {
		return where + ": the last zero slot is taken for the last entry; retention takes the segment for one of 1970 and may delete it"
	}
	return where + ": the zero slots are taken for entries; lookups that meet them scan from the segment's start, and an index without room makes the segment roll"
}

// tooMany reports an index that is out of order and too large for all of its
// slots to be compared with the log.
func (r *slotReport) tooMany(slot int64) {
	if slot < 0 {
		return
	}
	f := r.at(r.codes.notIncreasing, slot)
	f.Message = fmt.Sprintf("out of order; of %d slots only the first %d are compared with the log", r.layout.Entries, mostCompared)
	f.Broker = "lookups go astray"
	r.partition.report.add(f)
}

// stale explains the wrong slots at the end by a truncation: no entry was due
// behind the last right slot, the file was never trimmed.
func (r *slotReport) stale(due bool) {
	if len(r.tail) == 0 || due || !r.newest || !r.layout.Preallocated() {
		return
	}
	gone := map[*Finding]bool{}
	for _, f := range r.tail {
		gone[f] = true
	}
	last := int64(r.layout.Entries - 1)
	r.partition.report.drop(func(f *Finding) bool { return gone[f] })
	f := r.at(r.codes.staleTail, r.tailSlot)
	f.EndPosition = (last + 1) * r.width
	f.Message = fmt.Sprintf("slots %d to %d are left over from before a truncation", r.tailSlot, last)
	f.Broker = "overwritten as the broker goes on; after an unclean stop recovery rebuilds the index"
	f.lastSlot, f.folded = last, last-r.tailSlot+1
	r.partition.report.add(f)
	r.wrong = r.wrong[:0]
}
