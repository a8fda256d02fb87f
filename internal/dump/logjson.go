package dump

import (
	"encoding/base64"
	"strconv"

	"github.com/kafsck/kafsck/internal/message"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/recordbatch"
)

// AppendBatch appends the object of a batch that lies in file, with a newline.
// first and count are those of the header, but of a legacy wrapper those of its
// messages.
func AppendBatch(dst []byte, file string, b *recordbatch.Batch, in recordbatch.Inspection) []byte {
	return appendBatchJSON(dst, appendText(nil, file), b, in)
}

func appendBatchJSON(dst, fileJSON []byte, b *recordbatch.Batch, in recordbatch.Inspection) []byte {
	dst = append(dst, `{"type":"batch","file":`...)
	dst = append(dst, fileJSON...)
	dst = appendField(dst, `,"position":`, b.Position)
	dst = appendField(dst, `,"size":`, b.Size)
	dst = appendField(dst, `,"baseOffset":`, in.FirstOffset)
	dst = appendField(dst, `,"lastOffset":`, b.LastOffset())
	dst = appendField(dst, `,"count":`, int64(in.Count))
	dst = appendField(dst, `,"baseSequence":`, int64(b.BaseSequence))
	dst = appendField(dst, `,"lastSequence":`, int64(b.LastSequence()))
	dst = appendField(dst, `,"producerId":`, b.ProducerID)
	dst = appendField(dst, `,"producerEpoch":`, int64(b.ProducerEpoch))
	dst = appendField(dst, `,"partitionLeaderEpoch":`, int64(b.PartitionLeaderEpoch))
	dst = appendBool(dst, `,"isTransactional":`, b.IsTransactional())
	dst = appendBool(dst, `,"isControl":`, b.IsControl())
	if ms, ok := b.DeleteHorizonMs(); ok {
		dst = appendField(dst, `,"deleteHorizonMs":`, ms)
	} else {
		dst = append(dst, `,"deleteHorizonMs":null`...)
	}
	dst = append(dst, `,"timestampType":"`...)
	dst = append(dst, b.TimestampType().String()...)
	base := b.BaseTimestamp
	if b.IsLegacy() {
		base = b.MaxTimestamp
	}
	dst = appendField(dst, `","baseTimestamp":`, base)
	dst = appendField(dst, `,"maxTimestamp":`, b.MaxTimestamp)
	dst = appendField(dst, `,"magic":`, int64(b.Magic))
	dst = append(dst, `,"codec":"`...)
	dst = append(dst, b.Codec().String()...)
	dst = appendField(dst, `","crc":`, int64(b.CRC))
	dst = appendField(dst, `,"computedCrc":`, int64(b.ComputedCRC))
	dst = appendBool(dst, `,"valid":`, in.Valid)
	return append(dst, "}\n"...)
}

// appendRecordJSON appends the object of a record, or of a control record.
func (d *logDump) appendRecordJSON(dst []byte, b *recordbatch.Batch, r *recordbatch.Record, decoded *topics.Decoded) []byte {
	if b.IsControl() {
		return d.appendControlJSON(dst, b, r)
	}
	dst = append(dst, `{"type":"record","file":`...)
	dst = append(dst, d.fileJSON...)
	dst = appendField(dst, `,"batchPosition":`, b.Position)
	dst = appendField(dst, `,"offset":`, r.Offset)
	dst = appendField(dst, `,"timestamp":`, r.Timestamp)
	dst = appendField(dst, `,"sequence":`, int64(r.Sequence))
	dst = appendField(dst, `,"keySize":`, int64(r.KeySize()))
	dst = appendField(dst, `,"valueSize":`, int64(r.ValueSize()))
	dst = d.ValueFormat.appendBytes(dst, `,"key":`, r.Key, r.HasKey && d.PrintData, `,"keyEncoding":`)
	dst = d.ValueFormat.appendBytes(dst, `,"value":`, r.Value, r.HasValue && d.PrintData, `,"valueEncoding":`)
	dst = append(dst, `,"headers":[`...)
	comma := ""
	for h := range r.Headers() {
		dst = append(dst, comma...)
		comma = ","
		dst = ValueDecoded.appendBytes(dst, `{"key":`, h.Key, true, `,"keyEncoding":`)
		dst = d.ValueFormat.appendBytes(dst, `,"value":`, h.Value, h.HasValue && d.PrintData, `,"encoding":`)
		dst = append(dst, '}')
	}
	dst = append(dst, ']')
	if decoded != nil {
		dst = decoded.AppendJSON(append(dst, `,"decoded":`...))
	}
	return append(dst, "}\n"...)
}

func (d *logDump) appendControlJSON(dst []byte, b *recordbatch.Batch, r *recordbatch.Record) []byte {
	c, err := recordbatch.ParseControl(r)
	dst = append(dst, `{"type":"control","file":`...)
	dst = append(dst, d.fileJSON...)
	dst = appendField(dst, `,"batchPosition":`, b.Position)
	dst = appendField(dst, `,"offset":`, r.Offset)
	dst = appendField(dst, `,"timestamp":`, r.Timestamp)
	dst = append(dst, `,"controlType":"`...)
	dst = append(dst, c.Type.String()...)
	dst = appendField(dst, `","version":`, int64(c.Version))
	if c.IsEndTransaction && err == nil {
		dst = appendField(dst, `,"coordinatorEpoch":`, int64(c.CoordinatorEpoch))
		return append(dst, "}\n"...)
	}
	dst = append(dst, `,"coordinatorEpoch":null,"controlTypeId":`...)
	dst = strconv.AppendInt(dst, int64(c.Type), 10)
	dst = append(dst, `,"body":`...)
	if err == nil {
		if body, err := message.ControlBody(int16(c.Type), c.Body); err == nil {
			dst = append(dst, body...)
			return append(dst, "}\n"...)
		}
	}
	if !r.HasValue {
		return append(dst, "null}\n"...)
	}
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, r.Value)
	return append(dst, `","encoding":"base64"}`+"\n"...)
}
