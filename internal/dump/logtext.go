package dump

import (
	"strconv"

	"github.com/kafsck/kafsck/internal/message"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/recordbatch"
)

func appendInt(dst []byte, label string, n int64) []byte {
	dst = append(dst, label...)
	return strconv.AppendInt(dst, n, 10)
}

func appendBool(dst []byte, label string, v bool) []byte {
	dst = append(dst, label...)
	return strconv.AppendBool(dst, v)
}

// appendBatchText appends the line of a batch, as DumpLogSegments of 4.4.0
// prints it.
func appendBatchText(dst []byte, b *recordbatch.Batch) []byte {
	if b.IsLegacy() {
		dst = appendInt(dst, "offset: ", b.LastOffset())
	} else {
		dst = appendInt(dst, "baseOffset: ", b.BaseOffset())
		dst = appendInt(dst, " lastOffset: ", b.LastOffset())
		dst = appendInt(dst, " count: ", int64(b.Count))
		dst = appendInt(dst, " baseSequence: ", int64(b.BaseSequence))
		dst = appendInt(dst, " lastSequence: ", int64(b.LastSequence()))
		dst = appendInt(dst, " producerId: ", b.ProducerID)
		dst = appendInt(dst, " producerEpoch: ", int64(b.ProducerEpoch))
		dst = appendInt(dst, " partitionLeaderEpoch: ", int64(b.PartitionLeaderEpoch))
		dst = appendBool(dst, " isTransactional: ", b.IsTransactional())
		dst = appendBool(dst, " isControl: ", b.IsControl())
		if ms, ok := b.DeleteHorizonMs(); ok {
			dst = appendInt(dst, " deleteHorizonMs: OptionalLong[", ms)
			dst = append(dst, ']')
		} else {
			dst = append(dst, " deleteHorizonMs: OptionalLong.empty"...)
		}
	}
	dst = appendInt(dst, " position: ", b.Position)
	dst = append(dst, ' ')
	dst = append(dst, b.TimestampType().String()...)
	dst = appendInt(dst, ": ", b.MaxTimestamp)
	dst = appendInt(dst, " size: ", b.Size)
	dst = appendInt(dst, " magic: ", int64(b.Magic))
	dst = append(dst, " compresscodec: "...)
	dst = append(dst, b.Codec().String()...)
	dst = appendInt(dst, " crc: ", int64(b.CRC))
	dst = appendBool(dst, " isvalid: ", b.Valid())
	return append(dst, '\n')
}

// appendRecordText appends the line of a record. decoded is nil where its topic
// is none of Kafka's own.
func (d *logDump) appendRecordText(dst []byte, b *recordbatch.Batch, r *recordbatch.Record, decoded *topics.Decoded) []byte {
	prefix := " "
	if d.SkipRecordMetadata {
		prefix = "| "
	} else {
		dst = appendInt(dst, "| offset: ", r.Offset)
		dst = append(dst, ' ')
		dst = append(dst, b.TimestampType().String()...)
		dst = appendInt(dst, ": ", r.Timestamp)
		dst = appendInt(dst, " keySize: ", int64(r.KeySize()))
		dst = appendInt(dst, " valueSize: ", int64(r.ValueSize()))
		if r.Legacy {
			dst = appendBool(dst, " isValid: ", r.Valid())
			dst = appendInt(dst, " crc: ", int64(r.CRC))
		} else {
			dst = appendInt(dst, " sequence: ", int64(r.Sequence))
			dst = append(dst, " headerKeys: ["...)
			first := true
			for h := range r.Headers() {
				if !first {
					dst = append(dst, ',')
				}
				first = false
				dst = d.headerText(dst, h.Key)
			}
			dst = append(dst, ']')
		}
		if b.IsControl() {
			dst = d.appendControlText(dst, r)
		}
	}
	if decoded != nil {
		dst = d.appendDecodedText(dst, prefix, decoded)
	} else if d.PrintData && !b.IsControl() {
		if r.HasKey {
			dst = append(dst, prefix...)
			dst = append(dst, "key: "...)
			dst = d.keyText(dst, r.Key)
			prefix = " "
		}
		if r.HasValue {
			dst = append(dst, prefix...)
			dst = append(dst, "payload: "...)
			dst = d.valueText(dst, r.Value)
		}
	}
	return append(dst, '\n')
}

func (d *logDump) appendControlText(dst []byte, r *recordbatch.Record) []byte {
	c, err := recordbatch.ParseControl(r)
	if err != nil {
		return append(dst, " controlType: (malformed)"...)
	}
	if c.IsEndTransaction {
		dst = append(dst, " endTxnMarker: "...)
		dst = append(dst, c.Type.String()...)
		return appendInt(dst, " coordinatorEpoch: ", int64(c.CoordinatorEpoch))
	}
	if with, err := message.ControlText(dst, int16(c.Type), c.Body); err == nil {
		return with
	}
	dst = append(dst, " controlType: "...)
	dst = append(dst, c.Type.String()...)
	dst = appendInt(dst, "(", int64(c.Type))
	return append(dst, ')')
}
