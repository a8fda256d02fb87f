package recordbatch

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// Sizes and positions within an entry of a log, in bytes.
const (
	// LogOverhead is what precedes the counted part of every entry: the
	// offset (8) and the length (4).
	LogOverhead = 12
	// MagicPosition is where the magic byte stands in every format.
	MagicPosition = 16
	// HeaderSize is the size of a v2 batch without records.
	HeaderSize = 61
	// crcStart is the first byte that the checksum of a v2 batch covers.
	crcStart = 21
	// legacyCRCStart is the first byte that the checksum of a v0 or v1 entry
	// covers.
	legacyCRCStart = 16
	// minMessageV0 and minMessageV1 are the smallest counted parts of legacy
	// entries: no key, no value.
	minMessageV0 = 14
	minMessageV1 = 22
	minLengthV2  = HeaderSize - LogOverhead
	// minHeader is what a scan needs to see of an entry: offset, length, and
	// up to the magic (FileLogInputStream.HEADER_SIZE_UP_TO_MAGIC).
	minHeader = MagicPosition + 1
	// maxHeader is as much of an entry as any header takes.
	maxHeader = HeaderSize
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Batch is one entry of a log: a v2 record batch, or a v0 or v1 message, which
// may be a wrapper around compressed messages. Fields that a format lacks hold
// what Kafka's own classes answer for it: −1, or false.
type Batch struct {
	Position int64 // of its first byte in the file
	Size     int64 // all of it, in bytes
	Magic    int8

	// Offset is the first eight bytes: the base offset of a v2 batch, the
	// offset of a legacy message, the offset of the last message of a legacy
	// wrapper.
	Offset               int64
	PartitionLeaderEpoch int32
	CRC                  uint32 // as stored
	Attributes           Attributes
	LastOffsetDelta      int32 // v2
	BaseTimestamp        int64 // v2; the delete horizon where the attributes say so
	MaxTimestamp         int64 // v2; a legacy message's timestamp (v0: −1)
	ProducerID           int64
	ProducerEpoch        int16
	BaseSequence         int32
	Count                int32 // v2: number of records as stored; legacy: −1

	// ComputedCRC is the checksum over the bytes that are there. It is set
	// only where the scan computed it.
	ComputedCRC uint32
	Checked     bool

	// Data are all bytes of the batch. They belong to the scanner and are
	// valid until its next step (or the release of the chunk). nil where only
	// the header was read.
	Data []byte
}

// IsLegacy says whether this is a v0 or v1 message. Kafka's own test: every
// magic below 2.
func (b *Batch) IsLegacy() bool { return b.Magic < 2 }

// Codec is how the records are compressed.
func (b *Batch) Codec() Codec { return b.Attributes.Codec() }

// BaseOffset is the offset field. For a legacy wrapper that is the offset of
// its last message; Decoder.Inspect knows the first.
func (b *Batch) BaseOffset() int64 { return b.Offset }

// LastOffset is the offset of the last record that was ever in the batch:
// compaction keeps it.
func (b *Batch) LastOffset() int64 {
	if b.IsLegacy() {
		return b.Offset
	}
	return b.Offset + int64(b.LastOffsetDelta)
}

// EndPosition is the position behind the batch's last byte.
func (b *Batch) EndPosition() int64 { return b.Position + b.Size }

// LastSequence is the sequence of the last record, −1 where there is none.
func (b *Batch) LastSequence() int32 {
	if b.IsLegacy() || b.BaseSequence == -1 {
		return -1
	}
	return AddSequence(b.BaseSequence, b.LastOffsetDelta)
}

// TimestampType says who set the timestamps.
func (b *Batch) TimestampType() TimestampType {
	switch {
	case b.Magic == 0:
		return NoTimestampType
	case b.Attributes&logAppendTimeBit != 0:
		return LogAppendTime
	}
	return CreateTime
}

// IsTransactional says whether the batch belongs to a transaction.
func (b *Batch) IsTransactional() bool { return !b.IsLegacy() && b.Attributes.IsTransactional() }

// IsControl says whether the batch holds control records.
func (b *Batch) IsControl() bool { return !b.IsLegacy() && b.Attributes.IsControl() }

// DeleteHorizonMs is the time from which the cleaner may drop the tombstones
// of the batch, in epoch milliseconds.
func (b *Batch) DeleteHorizonMs() (ms int64, ok bool) {
	if b.IsLegacy() || !b.Attributes.HasDeleteHorizon() {
		return 0, false
	}
	return b.BaseTimestamp, true
}

// Valid says whether the checksum was computed and is the stored one. As with
// Kafka's isValid, a v2 batch shorter than its header is never valid.
func (b *Batch) Valid() bool {
	return b.Checked && b.CRC == b.ComputedCRC && (b.IsLegacy() || b.Size >= HeaderSize)
}

// AddSequence adds to a sequence number, which wraps from 2^31−1 to 0
// (DefaultRecordBatch.incrementSequence).
func AddSequence(sequence, increment int32) int32 {
	if sequence > math.MaxInt32-increment {
		return increment - (math.MaxInt32 - sequence) - 1
	}
	return sequence + increment
}

// parseHeader decodes as much of an entry's header as data holds; data has at
// least minHeader bytes. Fields past the end of data keep their "none" value.
// Nothing is judged here.
func parseHeader(b *Batch, data []byte, position int64) {
	length := int32(binary.BigEndian.Uint32(data[8:]))
	*b = Batch{
		Position:             position,
		Size:                 LogOverhead + int64(length),
		Magic:                int8(data[MagicPosition]),
		Offset:               int64(binary.BigEndian.Uint64(data)),
		PartitionLeaderEpoch: -1,
		BaseTimestamp:        -1,
		MaxTimestamp:         -1,
		ProducerID:           -1,
		ProducerEpoch:        -1,
		BaseSequence:         -1,
		Count:                -1,
	}
	if b.Magic < 2 {
		b.CRC = binary.BigEndian.Uint32(data[12:])
		if len(data) > 17 {
			b.Attributes = Attributes(data[17])
		}
		if b.Magic == 1 && len(data) >= 26 {
			b.MaxTimestamp = int64(binary.BigEndian.Uint64(data[18:]))
		}
		return
	}
	b.PartitionLeaderEpoch = int32(binary.BigEndian.Uint32(data[12:]))
	if len(data) < HeaderSize {
		return
	}
	b.CRC = binary.BigEndian.Uint32(data[17:])
	b.Attributes = Attributes(binary.BigEndian.Uint16(data[21:]))
	b.LastOffsetDelta = int32(binary.BigEndian.Uint32(data[23:]))
	b.BaseTimestamp = int64(binary.BigEndian.Uint64(data[27:]))
	b.MaxTimestamp = int64(binary.BigEndian.Uint64(data[35:]))
	b.ProducerID = int64(binary.BigEndian.Uint64(data[43:]))
	b.ProducerEpoch = int16(binary.BigEndian.Uint16(data[51:]))
	b.BaseSequence = int32(binary.BigEndian.Uint32(data[53:]))
	b.Count = int32(binary.BigEndian.Uint32(data[57:]))
}

// checksum computes the checksum of a whole entry: CRC-32C from byte 21 in
// v2, CRC-32 (IEEE) from byte 16 in v0 and v1.
func checksum(magic int8, data []byte) uint32 {
	if magic < 2 {
		return crc32.ChecksumIEEE(data[legacyCRCStart:])
	}
	if len(data) < crcStart {
		return 0
	}
	return crc32.Update(0, castagnoli, data[crcStart:])
}

// smallestLength is the smallest legal value of the length field.
func smallestLength(magic int8) int64 {
	switch magic {
	case 0:
		return minMessageV0
	case 1:
		return minMessageV1
	}
	return minLengthV2
}

// isFormat says whether the format is a known one, and allows the length.
func (b *Batch) isFormat() bool {
	return b.Magic >= 0 && b.Magic <= 2 && b.Size-LogOverhead >= smallestLength(b.Magic)
}

// plausible says whether the header could be one that a broker wrote. It is
// used only where framing was lost and the checksum alone is not enough to go
// by or too dear to compute: a sound batch is never judged by it.
func plausible(b *Batch, data []byte) bool {
	if b.Size-LogOverhead < smallestLength(b.Magic) || b.Offset < 0 {
		return false
	}
	switch b.Magic {
	case 0, 1:
		return plausibleMessage(b, data)
	case 2:
		return len(data) >= HeaderSize &&
			b.PartitionLeaderEpoch >= -1 &&
			b.Attributes.Unknown() == 0 && b.Codec().Valid() &&
			b.LastOffsetDelta >= 0 &&
			b.Count >= 0 && int64(b.Count) <= int64(b.LastOffsetDelta)+1 &&
			b.ProducerID >= -1 && b.ProducerEpoch >= -1 && b.BaseSequence >= -1
	}
	return false
}

// plausibleMessage checks that the key length of a legacy message fits into
// it, and, where data reaches so far, that key and value fill it exactly.
func plausibleMessage(b *Batch, data []byte) bool {
	if b.Attributes&^(codecMask|logAppendTimeBit) != 0 || b.Codec() > CodecLZ4 {
		return false
	}
	keyAt := int64(18)
	if b.Magic == 1 {
		keyAt = 26
	}
	if int64(len(data)) < keyAt+4 {
		return false
	}
	key := int64(int32(binary.BigEndian.Uint32(data[keyAt:])))
	if key < -1 {
		return false
	}
	valueAt := keyAt + 4 + max(key, 0)
	if valueAt+4 > b.Size {
		return false
	}
	if valueAt+4 > int64(len(data)) {
		return true
	}
	value := int64(int32(binary.BigEndian.Uint32(data[valueAt:])))
	return value >= -1 && valueAt+4+max(value, 0) == b.Size
}

// ParseHeader decodes the header of the entry that data begins with, and that
// stands at position in its file, without judging anything: for readers with
// rules of their own. data holds at least the 17 bytes up to the magic; fields
// past its end keep their "none" value. b.Data is not set.
func ParseHeader(b *Batch, data []byte, position int64) { parseHeader(b, data, position) }
