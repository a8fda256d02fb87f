package batchtest

import (
	"hash/crc32"
	"math"
)

// The attribute bits of a v2 batch; bits 0 to 2 are the codec. The timestamp
// type bit is the same in a v1 message.
const (
	AttrLogAppendTime = 1 << 3
	AttrTransactional = 1 << 4
	AttrControl       = 1 << 5
	AttrDeleteHorizon = 1 << 6

	attrCodec = 7
)

// Positions of the fields of a v2 batch, counted from its first byte. Base
// offset, length, leader epoch, magic and CRC are not under the CRC.
const (
	PosBaseOffset      = 0  // i64
	PosLength          = 8  // i32, bytes from 12 on
	PosLeaderEpoch     = 12 // i32
	PosMagic           = 16 // i8, in v0 and v1 too
	PosCRC             = 17 // u32 over everything from 21 on
	PosAttributes      = 21 // i16
	PosLastOffsetDelta = 23 // i32
	PosBaseTimestamp   = 27 // i64, or the delete horizon
	PosMaxTimestamp    = 35 // i64
	PosProducerID      = 43 // i64
	PosProducerEpoch   = 51 // i16
	PosBaseSequence    = 53 // i32
	PosCount           = 57 // i32
	PosRecords         = 61

	posCRCStart = PosAttributes
	logOverhead = 12 // base offset and length, in front of every batch
)

// Batch is a v2 batch with every field settable. The zero value is not a
// usual batch (producer id 0): begin with [NewBatch].
type Batch struct {
	BaseOffset      int64
	LeaderEpoch     int32
	Attributes      int16 // all 16 bits, codec included
	LastOffsetDelta int32
	BaseTimestamp   int64 // the delete horizon, if that bit is set
	MaxTimestamp    int64
	ProducerID      int64
	ProducerEpoch   int16
	BaseSequence    int32
	Records         []Record

	// Compression says how the codec of Attributes writes.
	Compression Compression

	// What follows replaces a computed value; nil keeps it.
	Magic      *int8
	Length     *int32
	CRC        *uint32
	Count      *int32
	RawRecords []byte // the records section before compression
	Payload    []byte // the records section as stored
}

// NewBatch returns an uncompressed CreateTime batch without a producer, at
// leader epoch 0. A record whose offset delta does not rise above that of the
// one before gets one more, so that plain records are numbered 0, 1, 2 and
// explicit gaps stay. The header is derived from the records.
func NewBatch(baseOffset, baseTimestamp int64, records ...Record) Batch {
	b := Batch{
		BaseOffset: baseOffset, BaseTimestamp: baseTimestamp, MaxTimestamp: -1,
		ProducerID: -1, ProducerEpoch: -1, BaseSequence: -1,
		Records: append([]Record(nil), records...),
	}
	last := int32(-1)
	for i := range b.Records {
		r := &b.Records[i]
		if r.OffsetDelta <= last {
			r.OffsetDelta = last + 1
		}
		last = r.OffsetDelta
		b.MaxTimestamp = max(b.MaxTimestamp, baseTimestamp+r.TimestampDelta)
	}
	b.LastOffsetDelta = max(last, 0)
	return b
}

// EmptyBatch is what compaction leaves of the last batch of a producer: no
// records, base timestamp -1, offsets and sequences kept (format of Kafka's
// DefaultRecordBatch.writeEmptyHeader).
func EmptyBatch(baseOffset int64, lastOffsetDelta int32, maxTimestamp int64) Batch {
	b := NewBatch(baseOffset, -1)
	b.LastOffsetDelta, b.MaxTimestamp = lastOffsetDelta, maxTimestamp
	return b
}

// WithCodec returns the batch with its codec bits set.
func (b Batch) WithCodec(c Codec, how Compression) Batch {
	b.Attributes = b.Attributes&^attrCodec | int16(c)&attrCodec
	b.Compression = how
	return b
}

// WithProducer returns the batch with its producer fields set.
func (b Batch) WithProducer(id int64, epoch int16, baseSequence int32) Batch {
	b.ProducerID, b.ProducerEpoch, b.BaseSequence = id, epoch, baseSequence
	return b
}

// WithAttributes returns the batch with these attribute bits set too.
func (b Batch) WithAttributes(bits int16) Batch {
	b.Attributes |= bits
	return b
}

// WithEpoch returns the batch with its partition leader epoch set.
func (b Batch) WithEpoch(epoch int32) Batch {
	b.LeaderEpoch = epoch
	return b
}

// WithDeleteHorizon returns the batch as the cleaner (KIP-534) writes it: the
// base timestamp field holds the horizon, and the deltas are counted from it,
// so that the records keep their timestamps.
func (b Batch) WithDeleteHorizon(horizon int64) Batch {
	records := append([]Record(nil), b.Records...)
	for i := range records {
		records[i].TimestampDelta += b.BaseTimestamp - horizon
	}
	b.Records, b.BaseTimestamp = records, horizon
	return b.WithAttributes(AttrDeleteHorizon)
}

// Codec is the codec that the attribute bits name, 5 to 7 included.
func (b Batch) Codec() Codec { return Codec(b.Attributes & attrCodec) }

// LastOffset is the offset that the header claims as the last one.
func (b Batch) LastOffset() int64 { return b.BaseOffset + int64(b.LastOffsetDelta) }

// Append appends the encoded batch.
func (b Batch) Append(dst []byte) []byte {
	start := len(dst)
	dst = append64(dst, b.BaseOffset)
	dst = append32(dst, int32(0)) // length, known below
	dst = append32(dst, b.LeaderEpoch)
	dst = append(dst, byte(or(b.Magic, 2)))
	dst = append32(dst, uint32(0)) // CRC, known below
	dst = append16(dst, b.Attributes)
	dst = append32(dst, b.LastOffsetDelta)
	dst = append64(dst, b.BaseTimestamp)
	dst = append64(dst, b.MaxTimestamp)
	dst = append64(dst, b.ProducerID)
	dst = append16(dst, b.ProducerEpoch)
	dst = append32(dst, b.BaseSequence)
	dst = append32(dst, or(b.Count, int32(len(b.Records))))
	dst = b.appendPayload(dst)

	batch := dst[start:]
	be.PutUint32(batch[PosLength:], uint32(or(b.Length, int32(len(batch)-logOverhead))))
	be.PutUint32(batch[PosCRC:], or(b.CRC, crc32.Checksum(batch[posCRCStart:], castagnoli)))
	return dst
}

func (b Batch) appendPayload(dst []byte) []byte {
	if b.Payload != nil {
		return append(dst, b.Payload...)
	}
	if b.Codec() == None || (len(b.Records) == 0 && b.RawRecords == nil) {
		return b.appendRecords(dst)
	}
	return b.Compression.Append(dst, b.Codec(), b.appendRecords(nil))
}

func (b Batch) appendRecords(dst []byte) []byte {
	if b.RawRecords != nil {
		return append(dst, b.RawRecords...)
	}
	for _, r := range b.Records {
		dst = r.Append(dst)
	}
	return dst
}

// Encode returns the encoded batch.
func (b Batch) Encode() []byte { return b.Append(nil) }

func or[T any](override *T, computed T) T {
	if override != nil {
		return *override
	}
	return computed
}

// addSequence is the sequence number delta records later: after 2^31-1 comes
// 0, and -1 (none) stays. Kafka: DefaultRecordBatch.incrementSequence.
func addSequence(sequence, delta int32) int32 {
	if sequence < 0 {
		return -1
	}
	return int32((int64(sequence) + int64(delta)) & math.MaxInt32)
}

// FixCRC makes the CRC of an encoded v2 batch right again after a change.
func FixCRC(batch []byte) {
	be.PutUint32(batch[PosCRC:], crc32.Checksum(batch[posCRCStart:], castagnoli))
}
