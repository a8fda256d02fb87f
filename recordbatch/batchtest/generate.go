package batchtest

import (
	"math"
	"math/rand/v2"
)

// Generate returns a wild but legal segment; the same seed and profile give
// the same segment. Its layout is what a decoder must find.
func Generate(seed uint64, p Profile) *Segment {
	return GeneratePartition(seed, p, 1).Segments[0]
}

// GeneratePartition is like [Generate] for a partition of several segments,
// each of the profile's size. Transactions run on from one to the next.
func GeneratePartition(seed uint64, p Profile, segments int) *Partition {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x6b6166736b)), p: p, epoch: p.LeaderEpoch, next: p.BaseOffset}
	if p.BaseOffset < 0 {
		g.next = pick(g.r, []int64{0, 0, int64(g.r.IntN(1e6)), 1<<31 - 5, 1<<53 + 1, 1 << 62})
	}
	g.now = 1_600_000_000_000 + g.r.Int64N(1e11)
	g.addProducers()
	partition := &Partition{Topic: "generated", TopicID: [16]byte{1, 2, 3, 4}}
	for range segments {
		g.seg = NewSegment(g.next)
		for range p.Batches {
			g.step()
		}
		if p.Compacted && chance(g.r, 8) {
			// The last offset that a segment may hold.
			g.next = g.seg.Layout.BaseOffset + math.MaxInt32
			g.add(g.batch(1))
		}
		partition.Segments = append(partition.Segments, g.seg)
	}
	return partition
}

type generator struct {
	r           *rand.Rand
	p           Profile
	seg         *Segment
	next        int64 // offset
	now         int64 // timestamp
	epoch       int32 // of the partition's leader
	coordinator int32 // epoch of the transaction coordinator
	producers   []*producer
	txns        []*producer
}

// producer is an idempotent or transactional producer.
type producer struct {
	id       int64
	epoch    int16
	sequence int32
	open     bool // has an open transaction
}

// bump raises the producer epoch, with which sequences begin anew.
func (p *producer) bump() {
	if p.epoch < math.MaxInt16-1 {
		p.epoch++
		p.sequence = 0
	}
}

func (g *generator) addProducers() {
	id := g.r.Int64N(1000)
	if chance(g.r, 4) {
		id += 1 << 53
	}
	newOne := func() *producer {
		id += 1 + g.r.Int64N(5)
		p := &producer{id: id, epoch: int16(g.r.IntN(3))}
		if chance(g.r, 6) {
			p.epoch = math.MaxInt16 - 3
		}
		if chance(g.r, 4) {
			p.sequence = math.MaxInt32 - int32(g.r.IntN(50)) // about to wrap
		}
		return p
	}
	if g.p.Idempotent {
		for range 3 {
			g.producers = append(g.producers, newOne())
		}
	}
	if g.p.Transactions {
		for range 4 {
			g.txns = append(g.txns, newOne())
		}
	}
}

// step adds a batch or two and lets time pass.
func (g *generator) step() {
	g.pass()
	if magic := pick(g.r, g.p.Magics); magic < 2 {
		g.legacy(magic)
		return
	}
	switch n := g.r.IntN(10); {
	case g.p.Transactions && n < 6:
		g.transact(pick(g.r, g.txns))
	case g.p.Idempotent && n < 8:
		b := g.batch(g.count())
		g.add(g.sequenced(b, pick(g.r, g.producers)))
	case g.p.Odd && chance(g.r, 12):
		g.unknownControl()
	default:
		g.add(g.batch(g.count()))
	}
}

// pass moves the clock, the leader epoch, and in a compacted log the offset.
func (g *generator) pass() {
	g.now += g.r.Int64N(5000) - 500
	if g.p.Odd && chance(g.r, 40) {
		g.now += pick(g.r, []int64{-30 * 86_400_000, 365 * 86_400_000})
	}
	if g.epoch >= 0 && chance(g.r, 15) {
		g.epoch += 1 + int32(g.r.IntN(3))
	}
	if g.p.Compacted && chance(g.r, 6) {
		g.next += g.r.Int64N(1000)
		if chance(g.r, 10) {
			g.next += g.r.Int64N(20_000_000)
		}
	}
}

func (g *generator) count() int {
	if g.p.Huge > 0 && chance(g.r, 60) {
		return 1 + g.p.Huge/100
	}
	return 1 + g.r.IntN(g.p.MaxRecords)
}

// transact lets a producer write into a transaction or end one.
func (g *generator) transact(p *producer) {
	if !p.open && chance(g.r, 5) { // a new incarnation, or an empty transaction
		p.bump()
	}
	if p.open && chance(g.r, 3) {
		g.end(p)
		return
	}
	p.open = true
	g.add(g.sequenced(g.batch(g.count()).WithAttributes(AttrTransactional), p))
}

// end writes a marker. Since KIP-890 it may carry the next producer epoch.
func (g *generator) end(p *producer) {
	p.open = false
	if chance(g.r, 3) {
		p.bump()
	}
	if chance(g.r, 10) {
		g.coordinator++
	}
	b := Marker(g.next, g.now, p.id, p.epoch, g.r.IntN(3) > 0, g.coordinator).WithEpoch(g.epoch)
	if g.p.Compacted && chance(g.r, 4) {
		b = b.WithDeleteHorizon(g.now + 86_400_000)
	}
	g.add(b)
}

// unknownControl writes a control record of a later Kafka, which readers skip.
func (g *generator) unknownControl() {
	g.add(ControlBatch(g.next, g.now, ControlRecord(int16(100+g.r.IntN(100)), g.bytes(20))).WithEpoch(g.epoch))
}

// sequenced gives a batch to a producer. A sequence counts the records that
// were written, those that compaction took away included.
func (g *generator) sequenced(b Batch, p *producer) Batch {
	b = b.WithProducer(p.id, p.epoch, p.sequence)
	p.sequence = addSequence(p.sequence, b.LastOffsetDelta+1)
	return b
}

// add puts a batch into the log, as the cleaner may have left it.
func (g *generator) add(b Batch) {
	if g.p.Compacted && b.Attributes&AttrControl == 0 {
		b = g.compact(b)
	}
	g.next = b.LastOffset() + 1
	g.seg.Add(b)
}
