package rebuild

import (
	"fmt"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/sanity"
)

// sound checks a written index by itself: whole entries, in order, none of
// them padding, positions within the log; and the check that Kafka makes.
func sound(kind indexfile.Kind, f File, size, base int64, source *source) error {
	if size%int64(kind.EntrySize()) != 0 {
		return fmt.Errorf("%d bytes are no whole %s entries", size, kind)
	}
	switch kind {
	case indexfile.Offset:
		return soundOffsets(indexfile.NewOffsetReader(f, size, base), source)
	case indexfile.Time:
		return soundTimes(indexfile.NewTimeReader(f, size, base))
	}
	return soundTxns(indexfile.NewTxnReader(f, size, base))
}

func soundOffsets(r *indexfile.OffsetReader, source *source) error {
	slot, last := 0, indexfile.OffsetEntry{Offset: r.BaseOffset() - 1}
	for e, err := range r.Entries() {
		switch {
		case err != nil:
			return err
		case e.Offset <= last.Offset || e.Position <= last.Position || int64(e.Position) >= source.size:
			return fmt.Errorf("slot %d: offset %d at position %d behind offset %d at position %d", slot, e.Offset, e.Position, last.Offset, last.Position)
		}
		slot, last = slot+1, e
	}
	return r.KafkaSanity(source.path)
}

func soundTimes(r *indexfile.TimeReader) error {
	slot, last := 0, indexfile.TimeEntry{Timestamp: -1, Offset: r.BaseOffset()}
	for e, err := range r.Entries() {
		switch {
		case err != nil:
			return err
		case e.Timestamp <= last.Timestamp || e.Offset < last.Offset:
			return fmt.Errorf("slot %d: time %d of offset %d behind time %d of offset %d", slot, e.Timestamp, e.Offset, last.Timestamp, last.Offset)
		}
		slot, last = slot+1, e
	}
	return nil
}

func soundTxns(r *indexfile.TxnReader) error {
	slot, last := 0, r.BaseOffset()-1
	for e, err := range r.Entries() {
		switch {
		case err != nil:
			return err
		case e.LastOffset <= last:
			return fmt.Errorf("slot %d: a transaction that ends at %d behind one that ends at %d", slot, e.LastOffset, last)
		}
		slot, last = slot+1, e.LastOffset
	}
	return nil
}

// passesCheck lets sanity-check judge a written index, beside the log, before
// it gets its name. It knows nothing of how the index was built.
func (run *partitionRun) passesCheck(r *replacement, size int64) error {
	entry := logdir.Entry{Name: r.name, Path: r.temp, File: logdir.ParseName(r.name), Size: size}
	o := sanity.Options{Depth: sanity.Headers}
	var first *sanity.Finding
	_, err := sanity.CheckFile(run.ctx, entry, o, func(f *sanity.Finding) error {
		if first == nil && f.Severity == sanity.Error {
			first = f
		}
		return nil
	})
	if err != nil {
		return err
	}
	if first != nil {
		return fmt.Errorf("%w: %s: %s", errVerify, first.Code, first.Message)
	}
	return nil
}
