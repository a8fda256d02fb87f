package recordbatch

// Attributes is the attributes field of a batch: 16 bits in v2, of which Kafka
// looks at the low eight, and 8 bits in v0 and v1.
//
//	bits 0–2  codec: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd
//	bit  3    timestamp type: 0 CreateTime, 1 LogAppendTime (v1 and v2)
//	bit  4    transactional (v2)
//	bit  5    control batch (v2)
//	bit  6    the base timestamp field is a delete horizon (v2, since 3.1)
//	bits 7–15 unused
//
// Source: DefaultRecordBatch, LegacyRecord.
type Attributes uint16

const (
	codecMask          Attributes = 0x07
	logAppendTimeBit   Attributes = 1 << 3
	transactionalBit   Attributes = 1 << 4
	controlBit         Attributes = 1 << 5
	deleteHorizonBit   Attributes = 1 << 6
	knownAttributeBits Attributes = 0x7f
)

// Codec is how the records are compressed.
func (a Attributes) Codec() Codec { return Codec(a & codecMask) }

// IsTransactional says whether the batch belongs to a transaction.
func (a Attributes) IsTransactional() bool { return a&transactionalBit != 0 }

// IsControl says whether the batch holds control records instead of data.
func (a Attributes) IsControl() bool { return a&controlBit != 0 }

// HasDeleteHorizon says whether the base timestamp field holds the time from
// which the cleaner may drop the batch's tombstones.
func (a Attributes) HasDeleteHorizon() bool { return a&deleteHorizonBit != 0 }

// Unknown are the bits that no Kafka version gives a meaning.
func (a Attributes) Unknown() Attributes { return a &^ knownAttributeBits }

// TimestampType says who set the timestamps of a batch.
type TimestampType int8

// The timestamp types of Kafka's TimestampType.
const (
	NoTimestampType TimestampType = -1 // v0 messages carry no time
	CreateTime      TimestampType = 0  // the producer's clock
	LogAppendTime   TimestampType = 1  // the broker's clock
)

// String is the type as Kafka spells it.
func (t TimestampType) String() string {
	switch t {
	case CreateTime:
		return "CreateTime"
	case LogAppendTime:
		return "LogAppendTime"
	}
	return "NoTimestampType"
}
