package simulate

import "github.com/kafsck/kafsck/indexfile"

// Simulation is what one rule makes of a log, over the lookups of all offsets
// that its batches cover.
type Simulation struct {
	Rule

	Batches    int64
	Bytes      int64
	Offsets    int64 // looked up
	Segments   int64
	Rolls      int64
	EarlyRolls int64 // of them because an index was full

	Entries           int64 // of all segments
	IndexBytes        int64
	LargestIndexBytes int64 // of one segment

	ScanBytesMean   float64
	ScanBytesP99    int64 // up to 128 KiB exact, above that to 1 in 65536
	ScanBytesMax    int64
	ScanBatchesMax  int64
	EntriesReadMean float64 // comparisons of a search
}

// Simulator simulates one rule.
type Simulator struct {
	appender *Appender
	result   Simulation

	scanSum  float64
	readSum  int64
	scans    quantiles
	position int64 // of the last entry in the segment, else 0
	batches  int64 // since that position, before the next batch

	// Of the segment: how many offsets equal to each entry are looked up, and
	// how many between it and the next; before holds those in front of all.
	equal, behind []int64
	before        int64
}

// New starts a simulation.
func New(rule Rule) *Simulator {
	s := &Simulator{appender: NewAppender(rule)}
	s.result.Rule = s.appender.rule
	return s
}

// Append takes the next batch.
func (s *Simulator) Append(b Batch) {
	p := s.appender.Append(b)
	r := &s.result
	if p.Roll != NotRolled {
		s.endSegment()
		r.Rolls++
		if p.Roll == RolledByIndex {
			r.EarlyRolls++
		}
	}
	if p.Roll != NotRolled || r.Segments == 0 {
		r.Segments++
		s.position, s.batches = 0, 0
	}
	r.Batches++
	r.Bytes += b.Size
	offsets := max(b.LastOffset-b.FirstOffset+1, 1)
	if p.Entry {
		// All but the last offset are looked up from the entry before.
		s.lookups(offsets-1, p.Position+b.Size-s.position, s.batches+1)
		s.gap(offsets - 1)
		s.equal, s.behind = append(s.equal, 1), append(s.behind, 0)
		s.position, s.batches = p.Position, 0
		s.lookups(1, b.Size, 1)
	} else {
		s.lookups(offsets, p.Position+b.Size-s.position, s.batches+1)
		s.gap(offsets)
	}
	s.batches++
}

// lookups counts n lookups that scan so much.
func (s *Simulator) lookups(n, bytes, batches int64) {
	if n <= 0 {
		return
	}
	r := &s.result
	r.Offsets += n
	r.ScanBytesMax = max(r.ScanBytesMax, bytes)
	r.ScanBatchesMax = max(r.ScanBatchesMax, batches)
	s.scanSum += float64(n) * float64(bytes)
	s.scans.add(bytes, n)
}

// gap counts n lookups of offsets behind the last entry.
func (s *Simulator) gap(n int64) {
	if k := len(s.behind); k > 0 {
		s.behind[k-1] += n
		return
	}
	s.before += n
}

// endSegment adds up the entries of a segment and the searches in them.
func (s *Simulator) endSegment() {
	r := &s.result
	n := len(s.equal)
	r.Entries += int64(n)
	bytes := int64(n) * indexfile.OffsetEntrySize
	r.IndexBytes += bytes
	r.LargestIndexBytes = max(r.LargestIndexBytes, bytes)
	if n > 0 {
		s.readSum += s.searches(n)
	}
	s.equal, s.behind, s.before = s.equal[:0], s.behind[:0], 0
}

// searches adds up the comparisons of all lookups in n entries: the first of
// the warm section, entry 0 unless that one was below the target, then the
// midpoints.
func (s *Simulator) searches(n int) int64 {
	hot := indexfile.Offset.WarmFirstSlot(n)
	warm := s.tree(hot, n-1, 1, true, n)
	return warm + s.tree(0, hot, 2, false, hot) + 2*s.before
}

// tree adds up the comparisons of the lookups whose binary search has narrowed
// to lo…hi with so many before. A lookup of an entry's own offset ends where
// that entry is compared; if loDone, those of lo have ended. Lookups behind
// entry end and later take another way.
func (s *Simulator) tree(lo, hi int, compared int64, loDone bool, end int) int64 {
	if lo == hi {
		n := int64(0)
		if !loDone {
			n += s.equal[lo]
		}
		if lo < end {
			n += s.behind[lo]
		}
		return n * compared
	}
	compared++
	mid := (lo + hi + 1) / 2
	return s.tree(lo, mid-1, compared, loDone, end) + s.equal[mid]*compared + s.tree(mid, hi, compared, true, end)
}

// Result ends the simulation.
func (s *Simulator) Result() Simulation {
	s.endSegment()
	r := &s.result
	if r.Offsets > 0 {
		r.ScanBytesMean = s.scanSum / float64(r.Offsets)
		r.EntriesReadMean = float64(s.readSum) / float64(r.Offsets)
		r.ScanBytesP99 = min(s.scans.at(0.99, r.Offsets), r.ScanBytesMax)
	}
	return *r
}
