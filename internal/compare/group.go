package compare

import (
	"bytes"
	"fmt"

	"github.com/kafsck/kafsck/recordbatch"
)

// cursor walks the records of one replica through a group of batches that
// overlap those of the other.
type cursor struct {
	s       *side
	part    *Part
	record  *recordbatch.Record // the next one; nil where the group has no more
	open    bool                // the decoder is on s.head
	broken  int64               // batches of which not all records can be decoded
	control bool
}

// next gets the next record. Batches that begin within the group belong to it,
// and may extend it.
func (c *cursor) next(end *int64) error {
	c.record = nil
	for {
		if !c.open {
			if c.s.head == nil || c.s.first > *end {
				return nil
			}
			*end = max(*end, c.s.last)
			if c.part == nil {
				c.part = c.s.part()
			} else {
				c.part.join(c.s.part())
			}
			c.s.decoder.Reset(c.s.head)
			c.open, c.control = true, c.s.head.IsControl()
		}
		if c.s.decoder.Next() {
			c.record = c.s.decoder.Record()
			return nil
		}
		if c.s.decoder.Err() != nil {
			c.broken++
		}
		c.open = false
		if err := c.s.advance(); err != nil {
			return err
		}
	}
}

// group compares the records of batches that overlap, up to an offset at which
// batches of both replicas end.
func (c *comparison) group() error {
	a, b := &cursor{s: c.a}, &cursor{s: c.b}
	first := min(c.a.first, c.b.first)
	end := max(c.a.last, c.b.last)
	epochs := c.a.head.PartitionLeaderEpoch != c.b.head.PartitionLeaderEpoch
	bounds := c.a.first != c.b.first || c.a.last != c.b.last
	r := &Range{Kind: SameRecords}
	difference := func(offset int64) {
		if c.summary.FirstDifference < 0 {
			c.summary.FirstDifference = Offset(offset)
		}
	}
	if err := a.next(&end); err != nil {
		return err
	}
	for {
		// What one side has just added to the group may concern the other.
		before := end
		if b.record == nil {
			if err := b.next(&end); err != nil {
				return err
			}
		}
		if a.record == nil {
			if err := a.next(&end); err != nil {
				return err
			}
		}
		if a.record == nil && b.record == nil {
			if end == before {
				break
			}
			continue
		}
		switch {
		case b.record == nil || a.record != nil && a.record.Offset < b.record.Offset:
			difference(a.record.Offset)
			r.AloneInA++
			a.record = nil
		case a.record == nil || b.record.Offset < a.record.Offset:
			difference(b.record.Offset)
			r.AloneInB++
			b.record = nil
		default:
			if a.control != b.control || !same(a.record, b.record) {
				difference(a.record.Offset)
				r.Differing++
			}
			a.record, b.record = nil, nil
		}
	}
	r.FirstOffset, r.LastOffset, r.A, r.B = Offset(first), Offset(end), a.part, b.part
	switch {
	case a.broken+b.broken > 0:
		difference(first)
		r.Kind, r.Message = Different, fmt.Sprintf("not all records can be decoded: %d batches of a, %d of b", a.broken, b.broken)
	case r.Differing+r.AloneInA+r.AloneInB > 0:
		r.Kind = Different
	case bounds || a.part.Batches != b.part.Batches:
		r.Message = "the batches have other boundaries"
	case epochs:
		r.Message = "the leader epochs of the batches differ"
	default:
		r.Message = "the batches have other headers or another compression"
	}
	c.add(r)
	return nil
}

// same says whether two records of the same offset are alike.
func same(a, b *recordbatch.Record) bool {
	if a.Timestamp != b.Timestamp || a.HasKey != b.HasKey || a.HasValue != b.HasValue ||
		!bytes.Equal(a.Key, b.Key) || !bytes.Equal(a.Value, b.Value) {
		return false
	}
	return sameHeaders(a, b)
}

func sameHeaders(a, b *recordbatch.Record) bool {
	var list []recordbatch.Header
	for h := range a.Headers() {
		list = append(list, h)
	}
	i := 0
	for h := range b.Headers() {
		if i >= len(list) || list[i].HasValue != h.HasValue || !bytes.Equal(list[i].Key, h.Key) || !bytes.Equal(list[i].Value, h.Value) {
			return false
		}
		i++
	}
	return i == len(list)
}
