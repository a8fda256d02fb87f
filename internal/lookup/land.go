package lookup

import (
	"errors"

	"github.com/kafsck/kafsck/recordbatch"
)

// withBatch reads the batch of a header and calls use with it, while its bytes
// are valid. use is not called where not even its extent can be read. Damage
// is reported.
func (l *lookup) withBatch(b *recordbatch.Batch, use func(whole *recordbatch.Batch)) error {
	f := l.open
	options := recordbatch.Options{File: f.segment.Log.Path, From: b.Position, To: b.EndPosition(), Base: f.segment.BaseOffset}
	for whole, err := range recordbatch.NewScanner(f.log.R, f.log.Size, options).Batches() {
		if e, ok := errors.AsType[*recordbatch.CorruptError](err); ok {
			l.damaged(e)
		} else if err != nil {
			return err
		}
		if whole != nil && whole.Position == b.Position && whole.Data != nil {
			use(whole)
		}
		break
	}
	return nil
}

// land decodes a batch up to the first record that match accepts. It returns
// how many records it decoded. found is nil where all records were decoded and
// none is accepted; damage leaves found without a record.
func (l *lookup) land(b *recordbatch.Batch, match func(r *recordbatch.Record) bool) (found *Found, decoded int64, err error) {
	landing := &Found{BatchPosition: b.Position, BatchSize: b.Size, BatchBaseOffset: b.Offset, BatchLastOffset: b.LastOffset()}
	readable := false
	err = l.withBatch(b, func(whole *recordbatch.Batch) {
		d := &l.decoder
		d.Reset(whole)
		for d.Next() {
			r := d.Record()
			decoded++
			if b.IsLegacy() && decoded == 1 {
				landing.BatchBaseOffset = r.Offset
			}
			if !match(r) {
				continue
			}
			landing.HasRecord, landing.Offset, landing.Timestamp = true, r.Offset, r.Timestamp
			landing.Control = b.IsControl()
			readable = true
			return
		}
		readable = d.Err() == nil
		if e, ok := errors.AsType[*recordbatch.CorruptError](d.Err()); ok {
			e.File = l.open.segment.Log.Path
			l.damaged(e)
		}
	})
	if err != nil || readable && !landing.HasRecord {
		return nil, decoded, err
	}
	return landing, decoded, nil
}

// records is how many records a batch holds that is passed. A wrapper of old
// messages has to be decoded for that.
func (l *lookup) records(b *recordbatch.Batch) (n int64, err error) {
	if !b.IsLegacy() {
		return max(int64(b.Count), 0), nil
	}
	if b.Codec() == recordbatch.CodecNone {
		return 1, nil
	}
	err = l.withBatch(b, func(whole *recordbatch.Batch) {
		in, _ := l.decoder.Inspect(whole) // its damage is not on the way
		n = int64(in.Count)
	})
	return n, err
}

// firstOffset is the base offset of a batch; in a wrapper of old messages it
// stands inside.
func (l *lookup) firstOffset(b *recordbatch.Batch) int64 {
	first := b.Offset
	if !b.IsLegacy() || b.Codec() == recordbatch.CodecNone {
		return first
	}
	_ = l.withBatch(b, func(whole *recordbatch.Batch) {
		if in, err := l.decoder.Inspect(whole); err == nil && in.Count > 0 {
			first = in.FirstOffset
		}
	})
	return first
}
