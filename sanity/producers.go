package sanity

import (
	"container/list"
	"math"

	"github.com/kafsck/kafsck/recordbatch"
)

// mostProducers bounds how many producers are followed at once. Above it the one
// that has been quiet for longest is forgotten, as a broker forgets producers by
// their age. Those in a transaction are not: where all are, new ones can't be
// followed, and nothing is said that would need them.
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
	id          int64
	place       *list.Element // among the quiet ones, or among those in a transaction
}

type producers struct {
	byID map[int64]*producer
	// quiet are those in no transaction, the one first that was seen longest ago.
	quiet list.List
	// open are those in a transaction, in the order in which these began.
	open      list.List
	forgotten bool // some producer of the log is no longer known
	full      bool // some producer was not followed
}

func (p *producers) get(id int64) *producer { return p.byID[id] }

// seen notes that the producer has written again.
func (p *producers) seen(v *producer) {
	if v.firstOffset < 0 {
		p.quiet.MoveToBack(v.place)
	}
}

func (p *producers) add(id int64) *producer {
	if len(p.byID) >= mostProducers {
		oldest := p.quiet.Front()
		if oldest == nil {
			p.full = true
			return nil
		}
		delete(p.byID, p.quiet.Remove(oldest).(*producer).id)
		p.forgotten = true
	}
	if p.byID == nil {
		p.byID = map[int64]*producer{}
	}
	v := &producer{lastOffset: -1, firstOffset: -1, lastSeq: -1, coordinator: -1, id: id}
	v.place = p.quiet.PushBack(v)
	p.byID[id] = v
	return v
}

// begin notes that a transaction of v begins with the batch cur of a file.
func (p *producers) begin(v *producer, cur *fact, file string) {
	v.firstOffset, v.firstFile, v.position = cur.base, file, cur.position
	p.quiet.Remove(v.place)
	v.place = p.open.PushBack(v)
}

// end notes that a transaction of v ends, if it is in one.
func (p *producers) end(v *producer) {
	if v.firstOffset >= 0 {
		p.open.Remove(v.place)
		v.place = p.quiet.PushBack(v)
	}
	v.firstOffset = -1
}

// inTransaction yields the producers in a transaction.
func (p *producers) inTransaction(yield func(*producer) bool) {
	for e := p.open.Front(); e != nil; e = e.Next() {
		if !yield(e.Value.(*producer)) {
			return
		}
	}
}

// earliestOpen is the first offset of the transaction that has been open for
// longest; −1 where there is none.
func (p *producers) earliestOpen() int64 {
	if e := p.open.Front(); e != nil {
		return e.Value.(*producer).firstOffset
	}
	return -1
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
	l.producers.seen(p)
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
		l.producers.begin(p, cur, s.file)
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
	s.lineage.producers.end(p)
	p.coordinator = cur.coordinator
	if cur.marker == recordbatch.ControlAbort && s.txns != nil {
		stable := s.lineage.producers.earliestOpen()
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
