package rebuild

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/recovery"
)

// scan is a segment that was read.
type scan struct {
	segment logdir.Segment
	source  *source
	result  *recovery.Result
	// before is the state of the producers at the end, where the scan had it.
	before *recovery.Before
	err    error
}

func (s *scan) close() {
	if s != nil && s.source != nil {
		_ = s.source.Close()
		s.source = nil
	}
}

// scan reads one segment and builds its indexes; alone also the index of
// transactions, which needs the producers before the segment.
func (run *partitionRun) scan(segment logdir.Segment, alone bool) *scan {
	s := &scan{segment: segment}
	if s.source, s.err = openSource(run.ctx, segment.Log.Path, run.o.Reading); s.err != nil {
		return s
	}
	o := run.recoveryOptions(segment)
	if alone && !run.o.Version.Before(0, 11) && run.isCheap(segment.BaseOffset) {
		if s.before, s.err = run.stateBefore(segment.BaseOffset); s.err != nil {
			return s
		}
		o.Producers = s.before.State
	}
	s.result, s.err = recovery.Segment(s.source, s.source.size, o)
	return s
}

func (run *partitionRun) recoveryOptions(segment logdir.Segment) recovery.Options {
	path := segment.Log.Path
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute // as Kafka's messages name it
	}
	return recovery.Options{
		File: path, BaseOffset: segment.BaseOffset, Version: run.o.Version, Rule: run.o.Rule,
		Interval: run.o.Interval, MaxIndexSize: run.o.MaxIndexSize,
	}
}

func (run *partitionRun) stateBefore(base int64) (*recovery.Before, error) {
	return recovery.StateBefore(run.partition, base, run.logStart, run.o.Version)
}

// finish makes the plan of a segment, and writes it.
func (run *partitionRun) finish(s *scan) *Plan {
	plan := &Plan{Log: s.segment.Log.Path, BaseOffset: s.segment.BaseOffset, LogBytes: s.segment.Log.Size, Err: run.gone(s.err)}
	if s.err != nil {
		run.damagedFrom, run.before = s.segment.BaseOffset, nil
		return plan
	}
	plan.LogBytes = s.source.size
	plan.Err = run.gone(run.plan(plan, s))
	if plan.Err == nil || len(plan.Files) > 0 {
		plan.Err = errors.Join(plan.Err, run.write(plan, s.source))
	}
	for i := range plan.Files {
		plan.Files[i].content = nil
	}
	return plan
}

// plan fills in the indexes and how they differ from what is there. Its error
// says what was refused.
func (run *partitionRun) plan(plan *Plan, s *scan) error {
	result := s.result
	if result.Full() {
		run.damagedFrom, run.before = s.segment.BaseOffset, nil
		return fmt.Errorf("%s: %w: %w", plan.Log, ErrFull, result.Failure)
	}
	// The producers are followed through damaged segments too, so that what
	// follows is judged by what a broker would still have.
	txn, unknown := run.transactions(plan, s)
	if unknown != nil && !errors.Is(unknown, ErrUnknownTransactions) {
		return unknown
	}
	result = s.result
	if result.Failure != nil || result.Truncated() > 0 {
		plan.Damage = damageOf(result)
		plan.Damage.InUse = run.isInUse(s, result.ValidBytes)
		run.damagedFrom, run.before = s.segment.BaseOffset, nil
		if !run.o.Prefix && !plan.Damage.InUse {
			return fmt.Errorf("%s: %w: %v", plan.Log, ErrDamaged, plan.Damage)
		}
	}
	if result.Failure != nil {
		prefix, err := recovery.Segment(s.source, result.ValidBytes, run.recoveryOptions(s.segment))
		if err != nil {
			return err
		}
		result = prefix
	}
	if run.o.wants(indexfile.Offset) {
		plan.add(run.partition, s.segment, indexfile.Offset, result.Offset.Bytes())
	}
	if run.o.wants(indexfile.Time) {
		plan.add(run.partition, s.segment, indexfile.Time, result.Time.Bytes())
	}
	if run.o.wants(indexfile.Txn) && txn != nil && unknown == nil {
		plan.add(run.partition, s.segment, indexfile.Txn, txn.Bytes())
	}
	var failed []error
	for i := range plan.Files {
		x := &plan.Files[i]
		if err := x.compare(); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", x.File, err))
		}
	}
	// No aborted transaction needs no index: a broker makes none.
	if last := len(plan.Files) - 1; last >= 0 && plan.Files[last].Kind == indexfile.Txn && plan.Files[last].Bytes == 0 && plan.Files[last].Before == nil {
		plan.Files = plan.Files[:last]
	}
	if unknown != nil && run.o.wants(indexfile.Txn) {
		failed = append(failed, fmt.Errorf("%s: %w", plan.Log, unknown))
	}
	return errors.Join(failed...)
}

func damageOf(r *recovery.Result) *Damage {
	d := &Damage{Position: r.ValidBytes, Left: r.Truncated(), Thrown: r.Caught, Consequence: r.Failed()}
	if r.Failure != nil {
		d.Thrown = r.Failure
	}
	return d
}
