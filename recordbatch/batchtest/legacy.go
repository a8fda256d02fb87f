package batchtest

import "hash/crc32"

// Message is a v0 or v1 message: i64 offset, i32 size, then u32 CRC-32 over
// the rest, i8 magic, i8 attributes, i64 timestamp (v1 only), key, value with
// i32 lengths. A nil Key or Value is null.
type Message struct {
	Offset     int64
	Magic      int8
	Attributes int8
	Timestamp  int64 // v1 only
	Key, Value []byte

	// What follows replaces a computed value; nil keeps it.
	Size *int32
	CRC  *uint32
}

// V0 returns a v0 message.
func V0(offset int64, key, value []byte) Message {
	return Message{Offset: offset, Key: key, Value: value}
}

// V1 returns a v1 message.
func V1(offset, timestamp int64, key, value []byte) Message {
	return Message{Offset: offset, Magic: 1, Timestamp: timestamp, Key: key, Value: value}
}

// Codec is the codec that the attribute bits name.
func (m Message) Codec() Codec { return Codec(m.Attributes & attrCodec) }

// Append appends the encoded message.
func (m Message) Append(dst []byte) []byte {
	start := len(dst)
	dst = append64(dst, m.Offset)
	dst = append32(dst, int32(0)) // size, known below
	dst = append32(dst, uint32(0))
	dst = append(dst, byte(m.Magic), byte(m.Attributes))
	if m.Magic != 0 {
		dst = append64(dst, m.Timestamp)
	}
	dst = appendBytes32(appendBytes32(dst, m.Key), m.Value)

	entry := dst[start:]
	be.PutUint32(entry[8:], uint32(or(m.Size, int32(len(entry)-logOverhead))))
	be.PutUint32(entry[12:], or(m.CRC, crc32.ChecksumIEEE(entry[16:])))
	return dst
}

// Wrapper is a compressed v0 or v1 message: a message with a null key whose
// value is the compressed inner messages.
type Wrapper struct {
	Message     // Value is made from Inner; everything else is used as it is
	Inner       []Message
	Compression Compression

	// RawInner, if not nil, is compressed in place of the inner messages.
	RawInner []byte
}

// NewWrapper wraps messages that have absolute offsets. A v0 wrapper keeps
// them; a v1 wrapper stores offsets relative to the first message. Its own
// offset is that of the last message, its timestamp the largest one. A v0 lz4
// frame gets the broken header checksum that v0 writers put there.
func NewWrapper(magic int8, codec Codec, how Compression, messages ...Message) Wrapper {
	w := Wrapper{Inner: append([]Message(nil), messages...), Compression: how}
	w.Magic, w.Attributes, w.Timestamp = magic, int8(codec), -1
	w.Compression.Lz4BrokenChecksum = how.Lz4BrokenChecksum || magic == 0
	base := messages[0].Offset
	for i := range w.Inner {
		m := &w.Inner[i]
		w.Offset, w.Timestamp = m.Offset, max(w.Timestamp, m.Timestamp)
		m.Magic = magic
		if magic == 1 {
			m.Offset -= base
		}
	}
	return w
}

// LogAppendTime returns the v1 wrapper stamped by the broker: its timestamp
// holds for every inner message.
func (w Wrapper) LogAppendTime(timestamp int64) Wrapper {
	w.Attributes |= AttrLogAppendTime
	w.Timestamp = timestamp
	return w
}

// Append appends the encoded wrapper.
func (w Wrapper) Append(dst []byte) []byte {
	inner := w.RawInner
	if inner == nil {
		for _, m := range w.Inner {
			inner = m.Append(inner)
		}
	}
	m := w.Message
	m.Value = w.Compression.Append([]byte{}, w.Codec(), inner)
	return m.Append(dst)
}

// absoluteBase is the offset that an inner offset of 0 stands for. Kafka
// (AbstractLegacyRecordBatch.DeepRecordsIterator) takes 0 for a wrapper
// offset of 0, which old librdkafka sent.
func (w Wrapper) absoluteBase() int64 {
	if w.Magic == 0 || w.Offset == 0 || len(w.Inner) == 0 {
		return 0
	}
	return w.Offset - w.Inner[len(w.Inner)-1].Offset
}
