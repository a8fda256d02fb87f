package compare

import (
	"bytes"
	"context"
	"io"

	"github.com/kafsck/kafsck/internal/leaderepoch"
	"github.com/kafsck/kafsck/internal/statefile"
)

// Options say how a comparison reads and whom it tells.
type Options struct {
	// Reading, where not nil, is put between the comparison and each log.
	Reading func(io.ReaderAt) io.ReaderAt
	// Tell gets each range, by offset.
	Tell func(*Range) error
}

type comparison struct {
	a, b    *side
	options Options
	summary Summary
	current *Range
	err     error
}

// Replicas compares two replicas.
func Replicas(ctx context.Context, a, b *Source, o Options) (*Summary, error) {
	c := &comparison{
		a: newSide(ctx, a, o.Reading), b: newSide(ctx, b, o.Reading), options: o,
		summary: Summary{Type: "compare-summary", FirstDifference: -1},
	}
	defer c.a.stop()
	defer c.b.stop()
	if err := c.run(); err != nil {
		return nil, err
	}
	c.summarize()
	return &c.summary, nil
}

func (c *comparison) run() error {
	a, b := c.a, c.b
	if err := a.advance(); err != nil {
		return err
	}
	if err := b.advance(); err != nil {
		return err
	}
	for a.head != nil || b.head != nil {
		var err error
		switch {
		case b.head == nil || a.head != nil && a.last < b.first:
			err = c.alone(a, b, OnlyA)
		case a.head == nil || b.last < a.first:
			err = c.alone(b, a, OnlyB)
		case a.first == b.first && bytes.Equal(a.head.Data, b.head.Data):
			c.add(&Range{Kind: Identical, FirstOffset: Offset(a.first), LastOffset: Offset(a.last), A: a.part(), B: b.part()})
			if err = a.advance(); err == nil {
				err = b.advance()
			}
		default:
			err = c.group()
		}
		if err == nil {
			err = c.err
		}
		if err != nil {
			return err
		}
	}
	c.flush()
	return c.err
}

// alone takes a batch that only one replica has.
func (c *comparison) alone(has, lacks *side, kind Kind) error {
	r := &Range{Kind: kind, FirstOffset: Offset(has.first), LastOffset: Offset(has.last), Reason: lacks.why(has.first)}
	if kind == OnlyA {
		r.A = has.part()
	} else {
		r.B = has.part()
	}
	c.add(r)
	return has.advance()
}

// add joins a range to the one before where they are of a kind.
func (c *comparison) add(r *Range) {
	offsets := int64(r.LastOffset-r.FirstOffset) + 1
	switch r.Kind {
	case Identical:
		c.summary.Identical += offsets
	case SameRecords:
		c.summary.SameRecords += offsets
	case Different:
		c.summary.Different += offsets
	case OnlyA:
		c.summary.OnlyA += offsets
	case OnlyB:
		c.summary.OnlyB += offsets
	}
	if n := c.current; n != nil && n.Kind == r.Kind && n.Reason == r.Reason && n.Message == r.Message && sameEpochs(n, r) {
		n.LastOffset = r.LastOffset
		n.A.join(r.A)
		n.B.join(r.B)
		n.Differing += r.Differing
		n.AloneInA += r.AloneInA
		n.AloneInB += r.AloneInB
		return
	}
	c.flush()
	r.Type = "range"
	c.current = r
}

// sameEpochs keeps ranges that differ apart by their leader epochs: who wrote
// what is what one wants to know of them.
func sameEpochs(a, b *Range) bool {
	return a.Kind == Identical || epochOf(a.A) == epochOf(b.A) && epochOf(a.B) == epochOf(b.B)
}

func epochOf(p *Part) int32 {
	if p == nil {
		return -2
	}
	return p.Epoch
}

func (p *Part) join(more *Part) {
	if p != nil && more != nil {
		p.Batches += more.Batches
		p.Records += more.Records
		p.Bytes += more.Bytes
	}
}

func (c *comparison) flush() {
	if c.current != nil && c.err == nil && c.options.Tell != nil {
		c.err = c.options.Tell(c.current)
	}
	c.current = nil
}

func (c *comparison) summarize() {
	s := &c.summary
	histories := [2]leaderepoch.History{history(c.a), history(c.b)}
	for i, side := range []*side{c.a, c.b} {
		side.replica.LogEndOffset = side.end
		side.replica.LeaderEpoch = histories[i].Latest()
	}
	s.A, s.B = c.a.replica, c.b.replica
	s.Divergence = divergence(histories[0], c.a.end, histories[1], c.b.end)
	s.Equal = s.Different == 0 && s.OnlyA == 0 && s.OnlyB == 0 && s.A.Damaged == 0 && s.B.Damaged == 0
	if !s.Equal {
		s.Exit = 3
	}
}

// history is what a replica's checkpoint says, or else its batches.
func history(s *side) leaderepoch.History {
	if s.source.Epochs != nil {
		epochs, err := statefile.ReadFile(s.source.Epochs.Path, statefile.ReadLeaderEpochs)
		if err == nil && leaderepoch.Sound(epochs.Entries) {
			return epochs.Entries
		}
	}
	return s.epochs.History()
}

// divergence is where the epochs part; nil where one replica is merely behind
// the other.
func divergence(a leaderepoch.History, endA int64, b leaderepoch.History, endB int64) *Divergence {
	d := &Divergence{Leader: "a"}
	leader, leaderEnd, follower, followerEnd := a, endA, b, endB
	if b.Latest() > a.Latest() {
		d.Leader = "b"
		leader, leaderEnd, follower, followerEnd = b, endB, a, endA
	}
	offset, ok := leaderepoch.Divergence(leader, leaderEnd, follower, followerEnd)
	if !ok || offset >= min(endA, endB) {
		return nil
	}
	d.Offset, d.Truncated = offset, followerEnd-offset
	d.EpochA, d.EpochB = epochAt(a, offset, endA), epochAt(b, offset, endB)
	return d
}

func epochAt(h leaderepoch.History, offset, end int64) int32 {
	if offset >= end {
		return -1
	}
	epoch, _ := h.At(offset)
	return epoch
}
