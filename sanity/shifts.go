package sanity

import (
	"fmt"
	"iter"
	"slices"

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
	for _, r := range s.runs {
		if r.first <= f.Slot && f.last() <= r.last {
			return true
		}
	}
	return false
}

// explain puts together what an index shows when all positions from some slot
// on are off by one number of bytes. Where the log has damage, that explains
// it, and the findings are taken out; otherwise one of them stays for all.
func (p *partitionCheck) explain(slots *slotReport, shift *shifts, s *segmentCheck) {
	if shift == nil {
		return
	}
	gone := map[*Finding]bool{}
	var entries int64
	var first *Finding
	for _, f := range slots.wrong {
		if !shift.explains(f) {
			continue
		}
		entries += f.count()
		if first == nil && !s.disorder && s.firstDamage < 0 {
			first = f
			continue
		}
		gone[f] = true
		if first != nil {
			first.extend(f)
		}
	}
	p.report.drop(func(f *Finding) bool { return gone[f] })
	slots.wrong = slices.DeleteFunc(slots.wrong, func(f *Finding) bool { return gone[f] })
	switch by := shift.at(first); {
	case first != nil && by < 0:
		first.Message = fmt.Sprintf("the positions of %d entries are %d bytes too large: so many were taken out of the log before %d", entries, -by, first.Detail["entryPosition"])
	case first != nil:
		first.Message = fmt.Sprintf("the positions of %d entries are %d bytes too small: so many were put into the log before %d", entries, by, first.Detail["entryPosition"])
	case entries > 0:
		for _, c := range p.cuts {
			if c.segment == s {
				c.finding.set("indexEntriesOff", entries)
				return
			}
		}
	}
}

// at is by how many bytes the slot of a finding is off.
func (s *shifts) at(f *Finding) int64 {
	for _, r := range s.runs {
		if f != nil && r.first <= f.Slot && f.Slot <= r.last {
			return r.by
		}
	}
	return 0
}
