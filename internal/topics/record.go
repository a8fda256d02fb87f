package topics

import (
	"errors"
	"fmt"

	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// DecodeRecord decodes a record of a log. What it returns aliases the record's
// bytes.
func (t Topic) DecodeRecord(r *recordbatch.Record) *Decoded {
	return t.Decode(r.Offset, present(r.HasKey, r.Key), present(r.HasValue, r.Value))
}

// present tells an empty key or value from none.
func present(has bool, b []byte) []byte {
	switch {
	case !has:
		return nil
	case b == nil:
		return []byte{}
	}
	return b
}

// Damaged says whether the topic's coordinator couldn't read the record either.
// One of a newer type or version is not damaged.
func (d *Decoded) Damaged() bool {
	var damaged *Error
	return errors.As(d.Err, &damaged) || errors.Is(d.Err, ErrNoKey)
}

// Finding reports a record that is damaged, in batch b of a file.
func (d *Decoded) Finding(file string, b *recordbatch.Batch) sanity.Finding {
	f := sanity.At(sanity.RecordMalformed, file)
	f.Position, f.EndPosition = b.Position, b.EndPosition()
	f.Offset, f.LastOffset = d.Offset, d.Offset
	f.Message = fmt.Sprintf("not a record of %v: %v", d.Topic, d.Err)
	return f
}
