package loader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// logPlan is what becomes of a .log.
type logPlan struct {
	Decision
	// above: of a log whose content is in another file, what lies at or above
	// this offset is not.
	above int64
	kept  int64 // bytes of it that are still there
	next  int64 // the offset behind what stays, if it was cut
}

// raise sets an action that does more than the one before.
func (p *logPlan) raise(a Action, reason string) {
	if a.rank() >= p.Action.rank() {
		p.Action, p.Reason = a, reason
	}
}

// account compares the directory before and after.
func (l *load) account() error {
	plan := l.plan
	// What remains of each log: the files that are read from it.
	for name, f := range l.dir.files {
		if p := l.logs[f.origin]; p != nil && f.source != "" && !strings.HasSuffix(name, sufDeleted) {
			p.kept = max(p.kept, f.from+f.size)
		}
	}
	others := plan.Decisions
	plan.Decisions = nil
	for _, p := range slices.SortedFunc(maps.Values(l.logs), func(a, b *logPlan) int {
		return cmp.Or(cmp.Compare(a.BaseOffset, b.BaseOffset), cmp.Compare(a.File, b.File))
	}) {
		p.SizeAfter = p.kept
		if err := l.lose(p); err != nil {
			return err
		}
		plan.Lost.Add(p.Lost)
		plan.Decisions = append(plan.Decisions, p.Decision)
	}
	for _, d := range others {
		if name := filepath.Base(d.File); d.Action == Remove && strings.HasSuffix(name, extSnapshot) && l.dir.has(name) {
			d.Action, d.Reason, d.SizeAfter = Rewrite, reasonRebuilt, l.dir.files[name].size
		}
		plan.Decisions = append(plan.Decisions, d)
	}
	for _, s := range l.segments {
		plan.Segments = append(plan.Segments, Segment{s.base, s.log.size})
	}
	if !plan.Loads {
		l.filesAsSegments()
	}
	if l.epochs != nil {
		plan.Epochs = l.epochs.Entries
	}
	if gone := plan.EpochsBefore - len(plan.Epochs); plan.Loads && gone > 0 {
		plan.Decisions = append(plan.Decisions, Decision{File: l.dir.abs(epochsName), BaseOffset: -1, Action: Rewrite, Position: -1, Lost: noLoss(),
			SizeBefore: l.dir.before[epochsName], SizeAfter: l.dir.before[epochsName], Reason: "epochs-outside-log", Text: fmt.Sprintf("%d of %d entries go", gone, plan.EpochsBefore)})
	}
	for name := range l.dir.before {
		if !l.dir.has(name) {
			plan.Removed = append(plan.Removed, name)
		}
	}
	for name := range l.dir.files {
		if _, known := l.dir.before[name]; !known {
			plan.Added = append(plan.Added, name)
		}
	}
	slices.Sort(plan.Removed)
	slices.Sort(plan.Added)
	return nil
}

// filesAsSegments lists what is there where the log does not load.
func (l *load) filesAsSegments() {
	l.plan.Segments = nil
	for _, name := range l.dir.names() {
		if base, thrown := offsetOf(name); thrown == nil && strings.HasSuffix(name, extLog) {
			l.plan.Segments = append(l.plan.Segments, Segment{base, l.dir.files[name].size})
		}
	}
}

// lose counts what is lost of a log.
func (l *load) lose(p *logPlan) error {
	size := p.SizeBefore
	switch {
	case p.Action == Remove && p.above == 0, p.kept >= size:
		// Removed leftovers were not part of the log.
		return nil
	case size > maxSegment && !l.plan.Loads:
		return nil
	}
	r, now, err := l.picture.Open(p.File)
	if err != nil {
		return err
	}
	defer r.Close()
	if now < size {
		return fmt.Errorf("%s: %w", p.File, errShrunk)
	}
	c := count{lost: noLoss(), from: p.kept, above: math.MinInt64, next: p.BaseOffset}
	switch p.Action {
	case Remove:
		c.above = p.above
	case Truncate:
		c.next = p.next
	}
	if err := c.scan(l.ctx, recordbatch.NewScanner(l.reading(r), size, recordbatch.Options{File: p.File, From: p.kept, Base: max(p.BaseOffset, 0)}), size); err != nil {
		return err
	}
	if p.Action == Truncate && c.lost.Any() {
		c.lost.offsets(p.next, c.lost.LastOffset)
	}
	p.Lost = c.lost
	if p.Action == Truncate && p.Reason == "" {
		unknown := sanity.BatchBadSize
		if l.options.Version.Before(0, 11) {
			unknown = sanity.BatchBadMagic // sound, but of a later format
		}
		p.Reason = string(cmp.Or(c.first, unknown))
	}
	return nil
}

// count counts what a log holds from a position on, as far as it lies at or
// above an offset.
type count struct {
	from, above int64
	next        int64 // the offset that a batch should have next
	lost        Loss
	first       sanity.Code // of damage at the position itself
	decoder     recordbatch.Decoder
}

func (c *count) scan(ctx context.Context, s *recordbatch.Scanner, size int64) error {
	zeroTail := int64(0)
	n := 0
	for b, err := range s.Batches() {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		damage, damaged := errors.AsType[*recordbatch.CorruptError](err)
		switch {
		case err != nil && !damaged:
			return err
		case damaged && damage.Position == c.from:
			c.first = sanity.FromCorrupt(damage).Code
		}
		switch {
		case b == nil && errors.Is(err, recordbatch.ErrZeroTail):
			zeroTail = size - damage.Position
		case b == nil:
			if damage.Offset == c.next && damage.Offset >= c.above {
				c.lost.offsets(damage.Offset, damage.LastOffset)
			}
		case b.LastOffset() >= c.above:
			c.batch(b, !damaged)
		}
	}
	if c.above == math.MinInt64 {
		c.lost.Bytes = size - c.from - zeroTail
	}
	return nil
}

// batch counts a batch. What a damaged one says of itself is believed where it
// can be true.
func (c *count) batch(b *recordbatch.Batch, intact bool) {
	x := &c.lost
	x.Batches++
	x.Bytes += b.Size
	if !intact {
		if delta := b.LastOffset() - b.BaseOffset(); !b.IsLegacy() && b.BaseOffset() == c.next && b.Count >= 0 && int64(b.Count) <= delta+1 {
			x.Records += int64(b.Count)
			x.offsets(b.BaseOffset(), b.LastOffset())
			c.next = b.LastOffset() + 1
		}
		return
	}
	records, first := int64(b.Count), b.BaseOffset()
	switch {
	case b.IsLegacy() && b.Codec() == recordbatch.CodecNone:
		records = 1
	case b.IsLegacy():
		records = 0
		for c.decoder.Reset(b); c.decoder.Next(); records++ {
			first = min(first, c.decoder.Record().Offset)
		}
	}
	x.Records += records
	x.IntactBatches++
	x.IntactRecords += records
	x.offsets(first, b.LastOffset())
	x.times(b.MaxTimestamp, b.MaxTimestamp)
	if _, horizon := b.DeleteHorizonMs(); !b.IsLegacy() && !horizon {
		x.times(b.BaseTimestamp, b.MaxTimestamp)
	}
	c.next = b.LastOffset() + 1
}

func baseOf(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return filepath.Base(abs)
	}
	return filepath.Base(path)
}
