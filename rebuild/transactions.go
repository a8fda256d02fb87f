package rebuild

import (
	"fmt"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/recovery"
)

// transactions builds the transaction index of a segment, or says why it can't
// be known. It returns nil for releases without one. Where the segment has no
// batch that could matter, nothing is read again.
func (run *partitionRun) transactions(plan *Plan, s *scan) (*indexfile.TxnBuilder, error) {
	if run.o.Version.Before(0, 11) {
		return nil, nil
	}
	if s.before != nil { // read in one pass
		return &s.result.Txn, run.note(plan, s.before, s.result)
	}
	if s.result.ProducerBatches == 0 {
		if run.before != nil {
			run.before.State.SetEndOffset(s.result.NextOffset)
		}
		return new(indexfile.TxnBuilder), nil
	}
	if run.before == nil && run.damagedFrom >= 0 && !run.snapshotBetween(run.damagedFrom, plan.BaseOffset) {
		if s.result.TransactionalBatches == 0 {
			return new(indexfile.TxnBuilder), nil
		}
		return nil, fmt.Errorf("%w: segment %020d before it could not be read to its end, and no producer snapshot lies between", ErrUnknownTransactions, run.damagedFrom)
	}
	before, err := run.beforeSegment(plan.BaseOffset)
	if err != nil {
		return nil, err
	}
	if err := run.note(plan, before, s.result); err != nil {
		return nil, err
	}
	run.before = before
	_, open := before.State.FirstUndecidedOffset()
	if s.result.TransactionalBatches == 0 && !open {
		before.State.SetEndOffset(s.result.NextOffset)
		return new(indexfile.TxnBuilder), nil
	}
	o := run.recoveryOptions(s.segment)
	o.Producers = before.State
	again, err := recovery.Segment(s.source, s.source.size, o)
	if err != nil {
		return nil, err
	}
	s.result = again
	return &again.Txn, nil
}

// snapshotBetween says whether a producer snapshot of an offset above from and
// not above to is there.
func (run *partitionRun) snapshotBetween(from, to int64) bool {
	for i := range run.partition.Snapshots {
		if n := run.partition.Snapshots[i].File.BaseOffset; n > from && n <= to && n > run.logStart {
			return true
		}
	}
	return false
}

// isCheap says whether the state before a segment is known without reading
// other segments: there is a snapshot, or nothing before it.
func (run *partitionRun) isCheap(base int64) bool {
	for _, segment := range run.partition.Segments {
		if segment.Log != nil && segment.BaseOffset < base {
			return run.snapshotBetween(base-1, base)
		}
	}
	return true
}

// beforeSegment is what the producers were up to before a segment: what the
// segment before left, where that was read here, or what a broker finds.
func (run *partitionRun) beforeSegment(base int64) (*recovery.Before, error) {
	carried := run.before
	run.before = nil
	// A broker drops snapshots up to the log start: at the segment that holds
	// it, it knows no producers.
	if carried != nil && run.follows(carried.State.EndOffset(), base) && base > run.logStart {
		return carried, nil
	}
	return run.stateBefore(base)
}

// follows says whether no segment lies between an end offset and a base
// offset.
func (run *partitionRun) follows(end, base int64) bool {
	for _, segment := range run.partition.Segments {
		if segment.Log != nil && segment.BaseOffset >= end && segment.BaseOffset < base {
			return false
		}
	}
	return true
}

// note says what could not be known of the time before the segment. Only a
// segment with transactions needs to know anything.
func (run *partitionRun) note(plan *Plan, before *recovery.Before, result *recovery.Result) error {
	for _, skipped := range before.Skipped {
		plan.Notes = append(plan.Notes, fmt.Sprintf("producer snapshot passed over, as a broker does: %v", skipped))
	}
	before.Skipped = nil
	if result.TransactionalBatches == 0 {
		return nil
	}
	switch {
	case before.Thrown != nil:
		return fmt.Errorf("%w: a broker does not get through the segments before: %w", ErrUnknownTransactions, before.Thrown)
	case run.damagedFrom >= 0 && before.Start <= run.damagedFrom: // the snapshot between is corrupt
		return fmt.Errorf("%w: segment %020d before it could not be read to its end", ErrUnknownTransactions, run.damagedFrom)
	case before.Snapshot == nil && before.Start > 0:
		plan.Notes = append(plan.Notes, fmt.Sprintf(
			"nothing tells which transactions were open at offset %d, where the log begins here (no earlier segment, no producer snapshot): one whose data lies before is not in the index, as after a broker's own recovery",
			before.Start))
	}
	return nil
}
