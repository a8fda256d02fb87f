package rebuild

import (
	"errors"
	"fmt"
	"iter"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/recordbatch"
)

// errVerify is an index that leads a lookup astray.
var errVerify = errors.New("verify")

// verify looks every offset of the segment up through a written index and
// compares where that lands with where a scan of the log lands. The log is
// read once more, and the index through the search of package indexfile.
func (run *partitionRun) verify(kind indexfile.Kind, f File, size, base int64, source *source) error {
	o := recovery.Options{BaseOffset: base, File: source.path, Version: run.o.Version, Interval: 1 << 40, MaxIndexSize: 1 << 20}
	var end func() error
	switch kind {
	case indexfile.Offset:
		r := indexfile.NewOffsetReader(f, size, base)
		v := &offsetVerifier{reader: r, entries: newCursor(r.Entries()), next: base}
		defer v.entries.stop()
		o.Visit, end = v.batch, v.end
	case indexfile.Time:
		r := indexfile.NewTimeReader(f, size, base)
		v := &timeVerifier{entries: newCursor(r.Entries()), largest: -1}
		defer v.entries.stop()
		o.Visit, end = v.batch, v.end
	default: // held against markers while it was built
		return nil
	}
	if _, err := recovery.Segment(source, source.size, o); err != nil {
		return err
	}
	return end()
}

// cursor is the next entry of an index that the log has not reached.
type cursor[E any] struct {
	next func() (E, error, bool)
	stop func()
	slot int
	e    E
	more bool
	err  error
}

func newCursor[E any](entries iter.Seq2[E, error]) *cursor[E] {
	c := &cursor[E]{slot: -1}
	c.next, c.stop = iter.Pull2(entries)
	c.step()
	return c
}

func (c *cursor[E]) step() {
	c.slot++
	c.e, c.err, c.more = c.next()
	c.more = c.more && c.err == nil
}

// offsetVerifier holds an offset index against the batches of its log.
//
// All offsets between the last one seen and the last one of a batch belong to
// that batch: a scan for any of them lands there. A lookup lands there too if
// the entry it finds points at the start of this batch or of an earlier one.
// Since entries ascend, a lookup of the first and of the last of these offsets
// stands for all.
type offsetVerifier struct {
	reader  *indexfile.OffsetReader
	entries *cursor[indexfile.OffsetEntry]
	next    int64 // the first offset that no batch has reached yet

	compared []int32 // reused by lookups
}

func (v *offsetVerifier) batch(b *recordbatch.Batch) error {
	c := v.entries
	if c.more && int64(c.e.Position) < b.Position {
		return fmt.Errorf("%w: slot %d: no batch begins at position %d", errVerify, c.slot, c.e.Position)
	}
	if c.more && int64(c.e.Position) == b.Position {
		c.step()
	}
	if c.err != nil {
		return c.err
	}
	last := b.LastOffset()
	if last < v.next {
		return nil
	}
	for _, offset := range [2]int64{v.next, last} {
		found, err := v.reader.Lookup(offset, v.reader.Slots(), v.compared[:0])
		if err != nil {
			return err
		}
		v.compared = found.Compared
		if found.Slot >= c.slot {
			return fmt.Errorf("%w: offset %d is in the batch at position %d, slot %d leads behind it, to position %d", errVerify, offset, b.Position, found.Slot, found.Entry.Position)
		}
	}
	v.next = last + 1
	return nil
}

func (v *offsetVerifier) end() error {
	if v.entries.more {
		return fmt.Errorf("%w: slot %d: position %d is behind the last batch", errVerify, v.entries.slot, v.entries.e.Position)
	}
	return v.entries.err
}

// timeVerifier holds a time index against the batches of its log: the batch
// that holds an entry's offset is the first one with a timestamp so large.
type timeVerifier struct {
	entries *cursor[indexfile.TimeEntry]
	largest int64
}

func (v *timeVerifier) batch(b *recordbatch.Batch) error {
	c := v.entries
	for c.more && c.e.Offset <= b.LastOffset() {
		if c.e.Timestamp != b.MaxTimestamp || v.largest >= c.e.Timestamp {
			return fmt.Errorf("%w: slot %d: time %d of offset %d, but its batch at position %d has %d, batches before up to %d",
				errVerify, c.slot, c.e.Timestamp, c.e.Offset, b.Position, b.MaxTimestamp, v.largest)
		}
		c.step()
	}
	v.largest = max(v.largest, b.MaxTimestamp)
	return c.err
}

func (v *timeVerifier) end() error {
	if v.entries.more {
		return fmt.Errorf("%w: slot %d: offset %d is behind the last batch", errVerify, v.entries.slot, v.entries.e.Offset)
	}
	return v.entries.err
}
