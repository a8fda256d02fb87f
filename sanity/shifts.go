package sanity

import (
	"iter"

	"github.com/kafsck/kafsck/indexfile"
)

// shifts finds out by how many bytes the entries behind damage of a log are
// off: where bytes were inserted or removed, all by the same number.
type shifts struct {
	next func() (slotted[indexfile.OffsetEntry], error, bool)
	stop func()
	head slotted[indexfile.OffsetEntry]
	ok   bool
	base int64 // slot of the first entry looked at
	runs []shiftRun
}

type shiftRun struct{ first, last, by int64 }

// mostShifts bounds how many different shifts are told apart.
const mostShifts = 64

func newShifts(r *indexfile.OffsetReader, from, to int) *shifts {
	s := &shifts{base: int64(from)}
	s.next, s.stop = iter.Pull2(func(yield func(slotted[indexfile.OffsetEntry], error) bool) {
		slot := s.base
		for e, err := range r.EntriesBetween(from, to) {
			if !yield(slotted[indexfile.OffsetEntry]{slot, e}, err) {
				return
			}
			slot++
		}
	})
	s.advance()
	return s
}

func (s *shifts) advance() {
	var err error
	s.head, err, s.ok = s.next()
	s.ok = s.ok && err == nil
}

// batch compares where a batch is with where the entry for its offsets says.
func (s *shifts) batch(f *fact) {
	for s.ok && s.head.entry.Offset < f.base {
		s.advance()
	}
	if !s.ok || f.suspectOffsets || !f.indexed(s.head.entry.Offset) {
		return
	}
	by, slot := f.position-int64(s.head.entry.Position), s.head.slot
	s.advance()
	if by == 0 {
		return
	}
	if n := len(s.runs); n > 0 && s.runs[n-1].by == by && s.runs[n-1].last == slot-1 {
		s.runs[n-1].last = slot
		return
	}
	if len(s.runs) < mostShifts {
		s.runs = append(s.runs, shiftRun{slot, slot, by})
	}
}

// explains says whether all slots of a finding are off by one number of bytes.
func (s *shifts) explains(f *Finding) bool {
	last := f.Slot
	if n, ok := f.Detail["lastSlot"].(int64); ok {
		last = n
	}
	for _, r := range s.runs {
		if r.first <= f.Slot && last <= r.last {
			return true
		}
	}
	return false
}

// explain takes out the findings about an index that damage of its log
// explains, and counts their slots there.
func (p *partitionCheck) explain(slots *slotReport, shift *shifts, s *segmentCheck) {
	if shift == nil {
		return
	}
	shift.stop()
	gone := map[*Finding]bool{}
	var entries int64
	for _, f := range slots.wrong {
		if shift.explains(f) {
			gone[f] = true
			entries += f.count()
		}
	}
	if entries == 0 {
		return
	}
	p.report.drop(func(f *Finding) bool { return gone[f] })
	slots.wrong = nil
	for _, c := range p.cuts {
		if c.segment == s {
			c.finding.set("indexEntriesOff", entries)
			return
		}
	}
}
