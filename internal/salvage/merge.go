package salvage

import (
	"bytes"
	"fmt"

	"github.com/kafsck/kafsck/internal/leaderepoch"
)

// merger joins the streams of several replicas into one log.
type merger struct {
	streams []*stream
	heads   []*candidate
	// history is that of the replica with the highest leader epoch: the one
	// that the others would follow. authority is its path.
	history   leaderepoch.History
	authority *stream
	due       int64
	kept      recent
	left      func(*stream, *Left)
	decided   func(*Decision)
}

// chooseAuthority takes the replica with the highest leader epoch; of several
// the one that was named first.
func (m *merger) chooseAuthority() {
	if len(m.streams) < 2 {
		return
	}
	for _, s := range m.streams {
		if m.authority == nil || s.history.Latest() > m.authority.history.Latest() {
			m.authority = s
		}
	}
	m.history = m.authority.history
}

// next is the next batch of the merged log, or nil at its end.
func (m *merger) next() (*candidate, error) {
	if m.heads == nil {
		m.heads = make([]*candidate, len(m.streams))
	}
	best := -1
	for i := range m.streams {
		if err := m.advance(i); err != nil {
			return nil, err
		}
		if h := m.heads[i]; h != nil && (best < 0 || m.before(h, m.heads[best])) {
			best = i
		}
	}
	if best < 0 {
		return nil, nil
	}
	c := m.heads[best]
	m.heads[best] = nil
	if len(m.streams) > 1 {
		m.settle(c)
		m.kept.add(&c.batch)
	}
	m.due = c.last + 1
	return c, nil
}

// before says which of two batches is to be taken: the one with the smaller
// offset; of those that begin together the one with the better claim.
func (m *merger) before(a, b *candidate) bool {
	if a.first != b.first {
		return a.first < b.first
	}
	better, _ := m.better(a, b)
	return better
}

// better says whether a has the better claim to offsets that b claims too, and
// by what: the right leader epoch; a place that no damage precedes, behind
// which what looks like a batch may be a part of one. Without either, the
// order of the replicas decides.
func (m *merger) better(a, b *candidate) (better bool, by string) {
	right := func(c *candidate) bool {
		epoch, known := m.history.At(c.first)
		return known && epoch == c.batch.PartitionLeaderEpoch
	}
	switch x, y := right(a), right(b); {
	case x != y:
		return x, "leader-epoch"
	case a.afterLoss != b.afterLoss:
		return b.afterLoss, "undamaged"
	}
	return a.stream.number < b.stream.number, "order"
}

// advance gets the next usable batch of a stream.
func (m *merger) advance(i int) error {
	for m.heads[i] == nil {
		c, err := m.streams[i].next()
		if c == nil || err != nil {
			return err
		}
		s := m.streams[i]
		switch {
		case s != m.authority && m.authority != nil && diverged(&c.batch, m.history, s.history):
			right, _ := m.history.At(c.first)
			m.decided(&Decision{
				FirstOffset: Offset(c.first), LastOffset: Offset(c.last),
				Kept: m.authority.name, KeptEpoch: right, Left: c.log.path, LeftEpoch: c.batch.PartitionLeaderEpoch, DecidedBy: "leader-epoch",
			})
			s.leave(c, Diverged, fmt.Sprintf("written under leader epoch %d, where the history of %s has %d", c.batch.PartitionLeaderEpoch, m.authority.name, right))
		case c.first >= m.due:
			m.heads[i] = c
		case m.kept.has(&c.batch):
			s.leave(c, Duplicate, "another replica has the same batch")
		default:
			m.decided(&Decision{
				FirstOffset: Offset(c.first), LastOffset: Offset(c.last),
				KeptEpoch: c.batch.PartitionLeaderEpoch, Left: c.log.path, LeftEpoch: c.batch.PartitionLeaderEpoch, DecidedBy: "order",
			})
			s.leave(c, Conflict, fmt.Sprintf("offsets up to %d are kept from another replica, in other batches", m.due-1))
		}
	}
	return nil
}

// settle leaves the heads of the other streams that have offsets of c.
func (m *merger) settle(c *candidate) {
	for i, h := range m.heads {
		if h == nil || h.first > c.last {
			continue
		}
		m.heads[i] = nil
		if h.first == c.first && bytes.Equal(h.batch.Data, c.batch.Data) {
			h.stream.leave(h, Duplicate, "another replica has the same batch")
			continue
		}
		_, by := m.better(c, h)
		why := map[string]string{
			"leader-epoch": "another replica has a batch of the right leader epoch at the same offsets",
			"undamaged":    "another replica has other bytes at the same offsets, and no damage before them",
			"order":        "another replica, named first, has other bytes at the same offsets",
		}[by]
		m.decided(&Decision{
			FirstOffset: Offset(h.first), LastOffset: Offset(h.last),
			Kept: c.log.path, KeptEpoch: c.batch.PartitionLeaderEpoch, Left: h.log.path, LeftEpoch: h.batch.PartitionLeaderEpoch, DecidedBy: by,
		})
		h.stream.leave(h, Conflict, why)
	}
}

// finish releases what is held after an error.
func (m *merger) finish() {
	for _, s := range m.streams {
		if s.stop != nil {
			s.stop()
		}
	}
}
