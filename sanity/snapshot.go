package sanity

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
)

// snapshots compares the producer snapshots that cover the offsets below next
// with what the log has shown so far. A snapshot of number N is the state
// before offset N (ProducerStateManager).
func (p *partitionCheck) snapshots(next int64) {
	for len(p.waiting) > 0 && p.waiting[0].File.BaseOffset <= next {
		e := p.waiting[0]
		p.waiting = p.waiting[1:]
		p.snapshot(&e)
	}
}

func (p *partitionCheck) snapshot(e *logdir.Entry) {
	l := p.lineage
	var wrong Finding
	faults := int64(0)
	open := map[int64]int64{} // producers that the log shows in a transaction
	// Where the log before the snapshot was not read, nothing is known.
	compares := p.walking && l.last >= 0 && l.last < e.File.BaseOffset && !l.damaged && e.File.BaseOffset > p.firstOffset
	if compares {
		for v := range l.producers.inTransaction {
			open[v.id] = v.firstOffset
		}
	}
	mismatch := func(offset int64, format string, args ...any) {
		if faults++; faults > 1 {
			return
		}
		wrong = At(SnapshotMismatch, e.Path)
		wrong.Offset, wrong.LastOffset = offset, offset
		wrong.Message = fmt.Sprintf(format, args...)
		wrong.Broker = "a broker that loads it takes or refuses other batches than it should; without the file it replays the log"
	}
	ok := p.readSnapshot(e, func(entry statefile.ProducerEntry) error {
		if compares {
			p.compareProducer(&entry, open, mismatch)
		}
		return nil
	})
	if !ok || !compares {
		return
	}
	if p.c.options.Depth <= Checksums && !l.producers.full && !p.compacted && !l.thinned {
		for _, id := range slices.Sorted(maps.Keys(open)) {
			first := open[id]
			mismatch(first, "producer %d has a transaction open since offset %d, which the snapshot does not know", id, first)
		}
	}
	if faults > 0 {
		wrong.folded = faults
		p.report.add(wrong)
	}
}

// compareProducer compares one producer. An entry takes its producer out of
// open. Times are not compared: 1.1 and 2.2 leave the marker's out.
func (p *partitionCheck) compareProducer(e *statefile.ProducerEntry, open map[int64]int64, mismatch func(int64, string, ...any)) {
	l := p.lineage
	v := l.producers.get(e.ProducerID)
	inLog, isOpen := open[e.ProducerID]
	delete(open, e.ProducerID)
	if l.thinned || p.compacted || !p.fromStart || l.producers.full {
		if isOpen && !e.InTransaction() && !l.thinned && !p.compacted {
			mismatch(inLog, "producer %d has a transaction open since offset %d, not so in the snapshot", e.ProducerID, inLog)
		}
		return
	}
	if v == nil {
		if l.producers.forgotten {
			return
		}
		mismatch(-1, "producer %d is nowhere in the log", e.ProducerID)
		return
	}
	want := statefile.ProducerEntry{ProducerEpoch: v.epoch, LastSequence: v.lastSeq, LastOffset: v.lastOffset, CurrentTxnFirstOffset: v.firstOffset}
	switch {
	case e.ProducerEpoch != want.ProducerEpoch:
		mismatch(v.lastOffset, "producer %d: epoch %d, the log has %d", e.ProducerID, e.ProducerEpoch, want.ProducerEpoch)
	case max(-1, e.CurrentTxnFirstOffset) != want.CurrentTxnFirstOffset:
		mismatch(v.firstOffset, "producer %d: transaction open since %d, by the log %d", e.ProducerID, e.CurrentTxnFirstOffset, want.CurrentTxnFirstOffset)
	case max(-1, e.LastOffset) != want.LastOffset:
		mismatch(v.lastOffset, "producer %d: last offset %d, the log has %d", e.ProducerID, e.LastOffset, want.LastOffset)
	case e.HasBatch() && (e.LastSequence != want.LastSequence || e.OffsetDelta != v.delta):
		mismatch(v.lastOffset, "producer %d: last sequence %d with delta %d, the log has %d with %d", e.ProducerID, e.LastSequence, e.OffsetDelta, want.LastSequence, v.delta)
	case e.CoordinatorEpoch != v.coordinator:
		mismatch(v.lastOffset, "producer %d: coordinator epoch %d, the log has %d", e.ProducerID, e.CoordinatorEpoch, v.coordinator)
	}
}

// snapshotBroker is what a broker does with a snapshot that it can't read.
const snapshotBroker = "deleted at the next start; the state is rebuilt from the next older one by replaying the log"

// readSnapshot reads a snapshot and reports what is wrong with the file.
func (p *partitionCheck) readSnapshot(e *logdir.Entry, visit func(statefile.ProducerEntry) error) bool {
	r, size, done, err := p.openSnapshot(e.Path)
	if err != nil {
		p.cantOpen(e.Path, err)
		return false
	}
	defer done()
	p.looked(size)
	_, err = statefile.ScanProducerSnapshot(r, size, visit)
	if err == nil {
		return true
	}
	code := SnapshotCRCMismatch
	switch {
	case errors.Is(err, statefile.ErrSnapshotVersion):
		code = SnapshotVersion
	case errors.Is(err, statefile.ErrSnapshotSize):
		code = SnapshotSize
	}
	p.stateFault(code, e.Path, err, snapshotBroker)
	return false
}

// stateFault turns the error of a reader of small files into a finding.
func (p *partitionCheck) stateFault(code Code, path string, err error, broker string) {
	p.report.stateFault(code, path, err, broker)
}

func (r *report) stateFault(code Code, path string, err error, broker string) {
	var fault *statefile.Error
	switch {
	case !errors.As(err, &fault), errors.Is(fault.Kind, statefile.ErrRead):
		r.unreadable(path, -1, err)
		return
	case errors.Is(fault.Kind, statefile.ErrTooLarge):
		code = Unsupported
		broker = "not checked"
	}
	f := At(code, path)
	f.Position = fault.Position
	if fault.Line > 0 {
		f.set("line", fault.Line)
	}
	plain := *fault
	plain.File, plain.Line, plain.Position = "", 0, -1
	f.Message = plain.Error()
	if fault.Line > 0 {
		f.Message = fmt.Sprintf("line %d: %s", fault.Line, f.Message)
	}
	f.Broker = broker
	if thrown, ok := fault.Broker(path); ok {
		f.set("exception", thrown.Class)
		switch {
		case broker != loadFails:
		case errors.Is(err, statefile.ErrNegativeEpoch):
			f.Broker += ": the broker does not start; before 2.7 the entry is taken"
		case thrown.Offline():
			f.Broker += ": the log directory goes offline"
		default:
			f.Broker += ": the broker does not start"
		}
	}
	r.add(f)
}

// loadFails is what a broker does about a small file without which it can't load
// the log; what comes of that is said behind it.
const loadFails = "the load of the log fails"

// beyond reports snapshots of offsets that the log does not have.
func (p *partitionCheck) beyond(end int64) {
	for i := range p.waiting {
		e := &p.waiting[i]
		if p.walking && !p.lineage.damaged && e.File.BaseOffset > end && end >= 0 {
			f := At(SnapshotMismatch, e.Path)
			f.Offset, f.LastOffset = e.File.BaseOffset, e.File.BaseOffset
			f.Message = fmt.Sprintf("covers the offsets below %d, the log ends at %d", e.File.BaseOffset, end)
			f.Broker = "deleted at the next start"
			p.report.add(f)
		}
		p.readSnapshot(e, func(statefile.ProducerEntry) error { return nil })
	}
	p.waiting = nil
}

// cantOpen reports a file that was listed and can't be opened.
func (p *partitionCheck) cantOpen(path string, err error) {
	if errors.Is(err, os.ErrNotExist) && p.env.live {
		return // a running broker has deleted it meanwhile
	}
	p.report.unreadable(path, -1, err)
}
