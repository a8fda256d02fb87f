package recordbatch

import "encoding/binary"

// legacyState is where the decoder stands within a v0 or v1 entry: a single
// message, or a wrapper whose value is a compressed series of entries.
//
//	entry = offset (8), size (4), message
//
// Inner offsets are absolute in v0. In v1 they count from 0 and the wrapper's
// own offset is that of the last inner message, so that the first one is known
// only when all have been seen: a wrapper is walked twice.
// Source: AbstractLegacyRecordBatch.DeepRecordsIterator.
type legacyState struct {
	single  bool // the message itself is still to be yielded
	base    int64
	rebased bool
}

func (d *Decoder) resetLegacy() {
	d.legacy = legacyState{}
	b := d.batch
	if b.Codec() == CodecNone {
		d.legacy.single = true
		return
	}
	if b.Magic < 0 {
		d.fail(ErrBadMagic, "magic %d", b.Magic)
		return
	}
	if !d.openWrapper() || b.Magic != 1 {
		return
	}
	last, found := int64(0), false
	var inner Record
	for d.nextInner(&inner) {
		last, found = inner.Offset, true
	}
	if d.err != nil {
		return
	}
	if !found {
		d.fail(ErrRecord, "a wrapper without messages")
		return
	}
	// Old librdkafka sent 0 in the wrapper: then the inner offsets stand as
	// they are.
	if b.Offset != 0 {
		if b.Offset < last {
			d.fail(ErrRecord, "the wrapper's offset %d is below its last inner offset %d", b.Offset, last)
			return
		}
		d.legacy.base = b.Offset - last
	}
	d.legacy.rebased = d.legacy.base >= 0
	d.index = -1
	d.openWrapper()
}

// openWrapper points the window at the wrapper's value.
func (d *Decoder) openWrapper() bool {
	b := d.batch
	d.close()
	var outer Record
	if err := parseMessage(&outer, b.Data[min(LogOverhead, len(b.Data)):]); err != nil {
		d.fail(ErrRecord, "%v", err)
		return false
	}
	if !outer.HasValue {
		d.fail(ErrRecord, "a wrapper with a null value")
		return false
	}
	if b.Codec() > CodecLZ4 {
		d.fail(ErrBadCodec, "codec %v in a v%d message", b.Codec(), b.Magic)
		return false
	}
	d.open(b.Codec(), outer.Value)
	return d.err == nil
}

func (d *Decoder) nextLegacy() bool {
	b := d.batch
	if b.Codec() == CodecNone {
		if !d.legacy.single {
			return false
		}
		d.legacy.single = false
		d.index++
		d.record.Offset = b.Offset
		if err := parseMessage(&d.record, b.Data[min(LogOverhead, len(b.Data)):]); err != nil {
			d.fail(ErrRecord, "%v", err)
			return false
		}
		return true
	}
	if !d.nextInner(&d.record) {
		if d.err == nil && d.index < 0 {
			d.fail(ErrRecord, "a wrapper without messages")
		}
		return false
	}
	r := &d.record
	if d.legacy.rebased {
		r.Offset += d.legacy.base
	}
	// The wrapper of LogAppendTime sets the time of all of its messages.
	if r.Magic == 1 && b.TimestampType() == LogAppendTime {
		r.Timestamp = b.MaxTimestamp
	}
	return true
}

// nextInner decodes the next entry inside a wrapper. A series that ends inside
// an entry ends silently in Kafka; here it is damage, because nothing writes
// it.
func (d *Decoder) nextInner(r *Record) bool {
	d.fill(LogOverhead)
	if d.err != nil || len(d.window) == 0 {
		return false
	}
	if len(d.window) < LogOverhead {
		d.fail(ErrTrailingBytes, "%d bytes behind the last message of a wrapper", len(d.window))
		return false
	}
	d.index++
	offset := int64(binary.BigEndian.Uint64(d.window))
	size := int32(binary.BigEndian.Uint32(d.window[8:]))
	if size < minMessageV0 {
		d.fail(ErrRecord, "an inner message of %d bytes", size)
		return false
	}
	d.fill(LogOverhead + int(size))
	if d.err != nil {
		return false
	}
	if len(d.window) < LogOverhead+int(size) {
		d.fail(ErrTrailingBytes, "the last message of a wrapper is cut: %d of %d bytes", len(d.window)-LogOverhead, size)
		return false
	}
	message := d.window[LogOverhead : LogOverhead+int(size)]
	d.advance(LogOverhead + int(size))
	r.Offset = offset
	if err := parseMessage(r, message); err != nil {
		d.fail(ErrRecord, "%v", err)
		return false
	}
	if Attributes(message[5]).Codec() != CodecNone {
		d.fail(ErrRecord, "a compressed message inside a wrapper")
		return false
	}
	return true
}

// Inspection is what only a look inside a batch tells.
type Inspection struct {
	FirstOffset int64 // of the first record; the batch's base offset where there is none
	Count       int   // records that could be decoded
	Valid       bool  // the batch's checksum and those of all inner messages are right
}

// Inspect decodes b to the end. It is how Kafka answers for the base offset
// of a legacy wrapper. The damage met, if any, comes with what was seen before
// it.
func (d *Decoder) Inspect(b *Batch) (Inspection, error) {
	in := Inspection{FirstOffset: b.Offset, Valid: b.Valid()}
	d.Reset(b)
	for d.Next() {
		if in.Count == 0 {
			in.FirstOffset = d.record.Offset
		}
		in.Count++
		in.Valid = in.Valid && d.record.Valid()
	}
	return in, d.Err()
}
