package sanity

import (
	"math"

	"github.com/kafsck/kafsck/internal/leaderepoch"
	"github.com/kafsck/kafsck/internal/statefile"
)

// lineage follows one partition's log from batch to batch, over the borders of
// segments: what no checksum covers shows only there.
type lineage struct {
	last      int64 // last offset so far, −1 where nothing is known
	epoch     int32 // leader epoch so far, −1 where nothing is known
	sawV2     bool
	sawLegacy bool
	thinned   bool // some batch has fewer records than offsets
	damaged   bool // something could not be read
	broken    bool // damage or a missing segment directly before: the next gap is explained

	// epochs is the leader epoch checkpoint where it can be relied on.
	epochs    leaderepoch.History
	producers producers
}

func newLineage() *lineage {
	return &lineage{last: -1, epoch: -1}
}

// overflows says whether an index of the segment can't name the last offset of
// cur. The distance from the negative base offset of an odd name needs all 64
// bits.
func (s *segmentCheck) overflows(cur *fact) bool {
	return cur.last >= s.base && uint64(cur.last-s.base) > math.MaxInt32
}

// offsets judges the offsets of cur against the batches around it.
func (s *segmentCheck) offsets(cur, next *fact) {
	l := s.lineage
	switch {
	case cur.base < s.base:
		s.orderFault(cur, OffsetBelowBase, "base offset %d is below %d, the segment's own", cur.base, s.base).
			Broker = "after an unclean stop the loader fails with LogSegmentOffsetOverflowException and the broker does not start; its records can't be found"
		cur.suspectOffsets = true
		return
	case l.last >= 0 && cur.base <= l.last:
		f := s.orderFault(cur, OffsetNotIncreasing, "base offset %d, where the batch before ends at %d", cur.base, l.last)
		if s.before.crc == cur.crc && s.before.base == cur.base && s.before.end == cur.position {
			f.Message += "; it is the same batch twice"
		}
		f.Broker = notIncreasing
		cur.suspectOffsets = true
		if cur.last > l.last && (next == nil || next.base > cur.last) {
			l.last = cur.last
		}
		return
	case next != nil && next.base <= cur.last && s.jumped(cur, next):
		code, broker := OffsetNotIncreasing, notIncreasing
		if s.overflows(cur) {
			code, broker = OffsetOverflow, overflow
		}
		s.orderFault(cur, code, "base offset %d does not fit between %d before and %d behind it", cur.base, l.last, next.base).Broker = broker
		cur.suspectOffsets = true
		return
	case next != nil && next.base <= cur.last && cur.lastRecord >= cur.base && cur.lastRecord < next.base && !cur.lastDisproved:
		s.orderFault(cur, BatchLastOffsetMismatch, "the header's last offset is %d, but the last record has %d and the next batch begins at %d", cur.last, cur.lastRecord, next.base).
			Broker = batchConsequence[BatchLastOffsetMismatch]
		cur.last, cur.suspectOffsets = cur.lastRecord, true
	case s.overflows(cur):
		s.orderFault(cur, OffsetOverflow, "last offset %d is %d above the segment's base offset; 2147483647 is the most", cur.last, uint64(cur.last-s.base)).
			Broker = overflow
		cur.suspectOffsets = true
	case s.next >= 0 && cur.last >= s.next:
		s.orderFault(cur, OffsetOverlapsNextSegment, "last offset %d, where the next segment begins at %d", cur.last, s.next).
			Broker = "offsets from the next segment's base on are looked up there: what this batch holds of them is never read"
		cur.suspectOffsets = true
		l.last = max(l.last, s.next-1)
		return
	}
	s.gap(cur)
	l.last = max(l.last, cur.last)
}

const overflow = "after an unclean stop the loader splits the segment; the log cleaner fails on it"

const notIncreasing = "recovery throws InvalidOffsetException and empties the whole segment where an index entry falls here; otherwise lookups end in the wrong batch"

// jumped says whether it is cur, not next, that has the wrong offsets: without
// cur's the two neighbours follow each other.
func (s *segmentCheck) jumped(cur, next *fact) bool {
	before := s.lineage.last
	if before < 0 {
		before = s.base - 1
	}
	if next.base <= before || cur.base <= before+1 {
		return false
	}
	span := cur.last - cur.base + 1
	return next.base == before+1+span || next.base > before+1 && cur.base > next.last
}

func (s *segmentCheck) orderFault(cur *fact, code Code, format string, args ...any) *Finding {
	f := s.at(code, cur.position, cur.end, format, args...)
	f.Offset, f.LastOffset = cur.base, cur.last
	if len(s.astray) < MostOfCode {
		s.astray = append(s.astray, span{cur.base, cur.last})
	}
	s.partition.found(s.fold, cur.base, cur.last)
	return s.fault(f)
}

// gap notes offsets that nobody has.
func (s *segmentCheck) gap(cur *fact) {
	l := s.lineage
	from := l.last + 1
	if l.last < 0 {
		from = s.base
	}
	// The first offset of a wrapper is known only where it was decoded.
	explained := l.broken || cur.magic < 2
	l.broken = false
	if cur.base <= from || explained {
		return
	}
	f := s.at(OffsetGap, cur.position, cur.position, "offsets %d to %d are nowhere", from, cur.base-1)
	f.Offset, f.LastOffset = from, cur.base-1
	f.Broker = "consumers pass over the gap; legal where the topic is compacted or was"
	s.partition.pending(s.fold, f)
}

// leaderEpoch judges the leader epoch of cur.
func (s *segmentCheck) leaderEpoch(cur, next *fact) {
	l := s.lineage
	if cur.magic < 2 || cur.suspectOffsets || cur.epoch == -1 {
		return
	}
	if cur.epoch < 0 {
		f := s.at(EpochUnknown, cur.position, cur.end, "leader epoch %d: no epoch is below -1", cur.epoch)
		f.Offset, f.LastOffset = cur.base, cur.last
		f.Broker = "followers that compare epochs may truncate at the wrong offset"
		s.fault(f)
		return
	}
	if entry, ok := l.checkpointed(cur); !ok {
		s.epochUnknown(cur, entry)
		return
	}
	spike := next != nil && next.magic == 2 && next.epoch >= 0 && l.epoch >= 0 && next.epoch < cur.epoch && next.epoch >= l.epoch
	if cur.epoch < l.epoch || spike && len(l.epochs) == 0 {
		around := "behind " + text(int64(l.epoch))
		if spike {
			around = "before " + text(int64(next.epoch))
		}
		f := s.at(EpochDecreased, cur.position, cur.end, "leader epoch %d %s", cur.epoch, around)
		f.Offset, f.LastOffset = cur.base, cur.last
		f.Broker = "recovery takes the epoch as it is; followers that compare epochs may truncate at the wrong offset"
		s.fault(f)
		return
	}
	l.epoch = max(l.epoch, cur.epoch)
}

// checkpointed says whether the leader epoch checkpoint has the epoch of cur
// for cur's offset. ok is true where it says nothing.
func (l *lineage) checkpointed(cur *fact) (statefile.EpochEntry, bool) {
	covering, known := l.epochs.Covering(cur.base)
	return covering, !known || covering.Epoch == cur.epoch
}

func (s *segmentCheck) epochUnknown(cur *fact, entry statefile.EpochEntry) {
	l := s.lineage
	f := s.at(EpochUnknown, cur.position, cur.end, "leader epoch %d, where leader-epoch-checkpoint has %d from offset %d on", cur.epoch, entry.Epoch, entry.StartOffset)
	f.Offset, f.LastOffset = cur.base, cur.last
	if newest := l.epochs[len(l.epochs)-1]; s.partition.env.live && entry == newest && cur.epoch > newest.Epoch {
		// LeaderEpochFileCache writes it in the background.
		f.Severity = Info
	}
	f.Broker = "after an unclean stop recovery writes this epoch into the checkpoint; followers that compare epochs may truncate at the wrong offset"
	s.fault(f)
}
