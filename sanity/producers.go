package sanity

import (
	"math"

	"github.com/kafsck/kafsck/recordbatch"
)

// mostProducers bounds how many producers are followed. Above it new ones are
// not, and nothing is said that would need them.
const mostProducers = 1 << 16

// producer is what a log shows of one producer id, as a broker's
// ProducerStateManager would know it.
type producer struct {
	lastOffset  int64 // of its last data batch, −1: none since the epoch rose
	firstOffset int64 // of the open transaction, −1: none
	firstFile   string
	position    int64 // of the batch that began the transaction
	lastSeq     int32
	delta       int32
	coordinator int32
	epoch       int16
}

type producers struct {
	byID map[int64]*producer
	open map[int64]*producer // those in a transaction
	full bool
}

func (p *producers) get(id int64) *producer { return p.byID[id] }

func (p *producers) add(id int64) *producer {
	if len(p.byID) >= mostProducers {
		p.full = true
		return nil
	}
	if p.byID == nil {
		p.byID, p.open = map[int64]*producer{}, map[int64]*producer{}
	}
	v := &producer{lastOffset: -1, firstOffset: -1, lastSeq: -1, coordinator: -1}
	p.byID[id] = v
	return v
}

// earliestOpen is the first offset of the transaction that has been open for
// longest, apart from that of one producer; −1 where there is none.
func (p *producers) earliestOpen(except int64) int64 {
	first := int64(-1)
	for id, v := range p.open {
		if id != except && (first < 0 || v.firstOffset < first) {
			first = v.firstOffset
		}
	}
	return first
}

// producer follows the producer of cur: sequences, epochs, transactions.
func (s *segmentCheck) producer(cur *fact) {
	if cur.magic < 2 || cur.producerID < 0 {
		return
	}
	l := s.lineage
	p := l.producers.get(cur.producerID)
	isNew := p == nil
	if isNew {
		if cur.control && !cur.hasMarker {
			return
		}
		if p = l.producers.add(cur.producerID); p == nil {
			return
		}
		p.epoch = cur.producerEpoch
	}
	if cur.producerEpoch < p.epoch {
		f := s.at(ProducerEpochDecreased, cur.position, cur.end, "producer %d: epoch %d behind %d", cur.producerID, cur.producerEpoch, p.epoch)
		f.Offset, f.LastOffset = cur.base, cur.last
		f.Broker = "replaying the log fails on some versions with ProducerFencedException, or goes on with a wrong epoch"
		s.fault(f)
	}
	if cur.producerEpoch != p.epoch {
		p.epoch, p.lastOffset, p.lastSeq, p.delta = cur.producerEpoch, -1, -1, 0
		isNew = true
	}
	if cur.control {
		if cur.hasMarker {
			s.marker(cur, p)
		}
		return
	}
	if !isNew {
		s.sequence(cur, p)
	}
	p.lastSeq, p.lastOffset, p.delta = cur.lastSequence, cur.last, cur.offsetDelta
	if cur.transactional && p.firstOffset < 0 {
		p.firstOffset, p.firstFile, p.position = cur.base, s.file, cur.position
		l.producers.open[cur.producerID] = p
	}
}

// sequence compares the first sequence of cur with the last one before.
func (s *segmentCheck) sequence(cur *fact, p *producer) {
	if cur.baseSequence < 0 || p.lastSeq < 0 {
		return
	}
	want := recordbatch.AddSequence(p.lastSeq, 1)
	if cur.baseSequence == want {
		return
	}
	// Sequences wrap: what lies less than half of them ahead is ahead.
	ahead := (int64(cur.baseSequence) - int64(want)) & math.MaxInt32
	code := SequenceGap
	broker := "consumers notice nothing; records may be missing between the two batches"
	if ahead > math.MaxInt32/2 {
		code, broker = SequenceRepeated, "consumers read the records twice, if they are the same"
	}
	f := s.at(code, cur.position, cur.end, "producer %d epoch %d: sequence %d, where %d should follow", cur.producerID, cur.producerEpoch, cur.baseSequence, want)
	f.Offset, f.LastOffset = cur.base, cur.last
	f.Broker = broker
	if s.lineage.damaged {
		return
	}
	s.partition.pending(s.fold, f)
}

// marker ends a transaction.
func (s *segmentCheck) marker(cur *fact, p *producer) {
	first := p.firstOffset
	p.firstOffset = -1
	delete(s.lineage.producers.open, cur.producerID)
	p.coordinator = cur.coordinator
	if cur.marker == recordbatch.ControlAbort && s.txns != nil {
		stable := s.lineage.producers.earliestOpen(cur.producerID)
		if stable < 0 {
			stable = cur.base + 1
		}
		s.txns.aborted(cur, first, stable, s.stateKnown())
	}
}

// stateKnown says whether the producers' state is that of a log read from its
// first record on, with nothing taken out of it.
func (s *segmentCheck) stateKnown() bool {
	l := s.lineage
	return s.partition.fromStart && !l.damaged && !l.thinned && !l.producers.full && !s.partition.compacted
}
