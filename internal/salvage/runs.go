package salvage

import (
	"encoding/hex"
	"maps"
	"slices"
)

// reporter joins what follows each other into runs, tells of them, and counts.
type reporter struct {
	name     string
	tell     func(object any) error
	err      error
	summary  Summary
	run      *Salvaged
	rest     map[int]*Left // by replica
	decision *Decision
}

func (r *reporter) say(object any) {
	if r.err == nil && r.tell != nil {
		r.err = r.tell(object)
	}
}

// salvaged notes a batch that was copied.
func (r *reporter) salvaged(c *candidate, written string, position int64) {
	r.summary.Batches++
	r.summary.Records += c.records
	r.summary.Bytes += c.batch.Size
	if r.summary.FirstOffset < 0 {
		r.summary.FirstOffset = Offset(c.first)
	}
	if n := r.run; n != nil && n.File == c.log.path && n.EndPosition == c.batch.Position && n.Written == written && n.Moved == c.moved {
		n.EndPosition = c.batch.EndPosition()
		n.LastOffset = Offset(c.last)
		n.Batches++
		n.Records += c.records
		return
	}
	r.flushRun()
	r.run = &Salvaged{
		Type: "salvaged", Partition: r.name, File: c.log.path, Position: c.batch.Position, EndPosition: c.batch.EndPosition(),
		FirstOffset: Offset(c.first), LastOffset: Offset(c.last), Batches: 1, Records: c.records,
		Written: written, WrittenPosition: position, Moved: c.moved,
	}
}

func (r *reporter) flushRun() {
	if r.run != nil {
		r.say(r.run)
		r.run = nil
	}
}

// left notes a range that was not copied.
func (r *reporter) left(replica int, l *Left) {
	l.Type, l.Partition = "left", r.name
	if n := r.rest[replica]; n != nil {
		if n.File == l.File && n.EndPosition == l.Position && n.Reason == l.Reason {
			n.EndPosition = l.EndPosition
			n.Batches += l.Batches
			n.Records += l.Records
			if n.FirstOffset < 0 {
				n.FirstOffset = l.FirstOffset
			}
			n.LastOffset = max(n.LastOffset, l.LastOffset)
			return
		}
		r.flushLeft(replica)
	}
	if r.rest == nil {
		r.rest = make(map[int]*Left)
	}
	r.rest[replica] = l
}

func (r *reporter) flushLeft(replica int) {
	l := r.rest[replica]
	if l == nil {
		return
	}
	delete(r.rest, replica)
	switch {
	case l.Reason == Duplicate:
		r.summary.Duplicates.add(l)
	case !Lossless(l.Reason):
		r.summary.Left.add(l)
	}
	r.say(l)
}

// decided notes how a difference between replicas was settled.
func (r *reporter) decided(d *Decision) {
	d.Type, d.Partition = "conflict", r.name
	r.summary.Conflicts++
	if n := r.decision; n != nil && n.LastOffset+1 == d.FirstOffset && n.Kept == d.Kept && n.Left == d.Left &&
		n.KeptEpoch == d.KeptEpoch && n.LeftEpoch == d.LeftEpoch && n.DecidedBy == d.DecidedBy {
		n.LastOffset = d.LastOffset
		return
	}
	r.flushDecision()
	r.decision = d
}

func (r *reporter) flushDecision() {
	if r.decision != nil {
		r.say(r.decision)
		r.decision = nil
	}
}

// wrote notes a small file of the result.
func (r *reporter) wrote(path string, size int64, sum []byte) {
	r.say(&Written{
		Type: "written", Partition: r.name, File: path, Bytes: size,
		FirstOffset: -1, LastOffset: -1, SHA256: hex.EncodeToString(sum),
	})
}

// gap notes offsets that are lost.
func (r *reporter) gap(first, last int64) {
	r.summary.Gaps++
	r.summary.LostOffsets += last - first + 1
	r.flush() // what explains the gap comes first
	r.say(&Gap{Type: "gap", Partition: r.name, FirstOffset: Offset(first), LastOffset: Offset(last)})
}

// flush tells of everything that is under way.
func (r *reporter) flush() {
	r.flushRun()
	r.flushDecision()
	for _, replica := range slices.Sorted(maps.Keys(r.rest)) {
		r.flushLeft(replica)
	}
}
