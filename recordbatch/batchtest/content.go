package batchtest

// Content is what a reader must find in one batch: every field of its header
// and its records with absolute offsets and timestamps.
type Content struct {
	Position int64 // of the first byte in the file
	Size     int   // in bytes, base offset and length fields included

	Magic         int8
	BaseOffset    int64 // of a wrapper: offset of its first inner message
	LastOffset    int64 // of a wrapper: the offset it stores
	LeaderEpoch   int32 // -1 in v0 and v1
	CRC           uint32
	Attributes    int16
	BaseTimestamp int64 // as stored; in v1 the message's own, in v0 -1
	MaxTimestamp  int64 // likewise
	ProducerID    int64 // -1 if none, as in v0 and v1
	ProducerEpoch int16
	BaseSequence  int32
	LastSequence  int32
	Count         int32 // as stored; -1 in v0 and v1
	Records       []ContentRecord
}

// ContentRecord is one record of a [Content].
type ContentRecord struct {
	Offset     int64
	Timestamp  int64 // -1 if none
	Sequence   int32 // -1 if none
	Attributes int8
	Key, Value []byte // nil is null
	Headers    []Header
}

// Codec is the codec of the batch.
func (c *Content) Codec() Codec { return Codec(c.Attributes & attrCodec) }

// LogAppendTime says whether the timestamp type is LogAppendTime.
func (c *Content) LogAppendTime() bool { return c.Magic > 0 && c.Attributes&AttrLogAppendTime != 0 }

// Transactional says whether the batch belongs to a transaction.
func (c *Content) Transactional() bool { return c.Magic == 2 && c.Attributes&AttrTransactional != 0 }

// Control says whether the batch is a control batch.
func (c *Content) Control() bool { return c.Magic == 2 && c.Attributes&AttrControl != 0 }

// DeleteHorizon returns the delete horizon, if the batch has one.
func (c *Content) DeleteHorizon() (int64, bool) {
	return c.BaseTimestamp, c.Magic == 2 && c.Attributes&AttrDeleteHorizon != 0
}

// End is the position behind the batch.
func (c *Content) End() int64 { return c.Position + int64(c.Size) }

// MarkerType returns the control type of the first record, if there is one.
func (c *Content) MarkerType() (int16, bool) {
	if !c.Control() || len(c.Records) == 0 || len(c.Records[0].Key) < 4 {
		return 0, false
	}
	return int16(be.Uint16(c.Records[0].Key[2:])), true
}

// Entry is something that stands in a log: a [Batch], a [Message], a
// [Wrapper], or [Raw] bytes.
type Entry interface {
	// Append appends the encoded entry.
	Append(dst []byte) []byte
	// Content is what a reader must find; position, size and CRC are left
	// to the segment. It is false for bytes that are no batch.
	Content() (Content, bool)
}

// Raw is bytes that are no batch, such as a zero tail.
type Raw []byte

// Append appends the bytes.
func (r Raw) Append(dst []byte) []byte { return append(dst, r...) }

// Content reports that there is none.
func (r Raw) Content() (Content, bool) { return Content{}, false }

// Content is what a reader must find in the batch. Raw records and payloads
// have no content that is known here; Records describes the fields only.
func (b Batch) Content() (Content, bool) {
	c := Content{
		Magic: or(b.Magic, 2), BaseOffset: b.BaseOffset, LastOffset: b.LastOffset(),
		LeaderEpoch: b.LeaderEpoch, Attributes: b.Attributes,
		BaseTimestamp: b.BaseTimestamp, MaxTimestamp: b.MaxTimestamp,
		ProducerID: b.ProducerID, ProducerEpoch: b.ProducerEpoch,
		BaseSequence: b.BaseSequence, LastSequence: addSequence(b.BaseSequence, b.LastOffsetDelta),
		Count: or(b.Count, int32(len(b.Records))),
	}
	for _, r := range b.Records {
		record := ContentRecord{
			Offset:     b.BaseOffset + int64(r.OffsetDelta),
			Timestamp:  b.BaseTimestamp + r.TimestampDelta,
			Sequence:   addSequence(b.BaseSequence, r.OffsetDelta),
			Attributes: r.Attributes,
			Key:        r.Key, Value: r.Value, Headers: r.Headers,
		}
		if c.LogAppendTime() {
			record.Timestamp = b.MaxTimestamp
		}
		c.Records = append(c.Records, record)
	}
	return c, true
}

// Content is what a reader must find in the message.
func (m Message) Content() (Content, bool) {
	c := m.header()
	c.Records = []ContentRecord{{
		Offset: m.Offset, Timestamp: c.MaxTimestamp, Sequence: -1,
		Attributes: m.Attributes, Key: m.Key, Value: m.Value,
	}}
	return c, true
}

func (m Message) header() Content {
	c := Content{
		Magic: m.Magic, BaseOffset: m.Offset, LastOffset: m.Offset, LeaderEpoch: -1,
		Attributes: int16(uint8(m.Attributes)), BaseTimestamp: -1, MaxTimestamp: -1,
		ProducerID: -1, ProducerEpoch: -1, BaseSequence: -1, LastSequence: -1, Count: -1,
	}
	if m.Magic == 1 {
		c.BaseTimestamp, c.MaxTimestamp = m.Timestamp, m.Timestamp
	}
	return c
}

// Content is what a reader must find in the wrapper: its inner messages.
func (w Wrapper) Content() (Content, bool) {
	c := w.header()
	base := w.absoluteBase()
	for _, m := range w.Inner {
		r := ContentRecord{
			Offset: base + m.Offset, Timestamp: -1, Sequence: -1,
			Attributes: m.Attributes, Key: m.Key, Value: m.Value,
		}
		if m.Magic == 1 {
			r.Timestamp = m.Timestamp
		}
		if c.LogAppendTime() {
			r.Timestamp = w.Timestamp
		}
		c.Records = append(c.Records, r)
	}
	if len(c.Records) > 0 {
		c.BaseOffset = c.Records[0].Offset
	}
	return c, true
}
