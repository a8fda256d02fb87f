package recordbatch

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Field is one field of a header: where it stands in the entry, its name, and
// its value in words.
type Field struct {
	Start, Size int // bytes from the start of the entry
	Name        string
	Value       string
}

// layoutV2 and layoutLegacy are the headers as tables; docs/format.md and
// HeaderFields are made from them.
var layoutV2 = []Field{
	{0, 8, "baseOffset", ""}, {8, 4, "length", ""}, {12, 4, "partitionLeaderEpoch", ""},
	{16, 1, "magic", ""}, {17, 4, "crc", ""}, {21, 2, "attributes", ""}, {23, 4, "lastOffsetDelta", ""},
	{27, 8, "baseTimestamp", ""}, {35, 8, "maxTimestamp", ""}, {43, 8, "producerId", ""},
	{51, 2, "producerEpoch", ""}, {53, 4, "baseSequence", ""}, {57, 4, "count", ""},
}

var layoutV0 = []Field{
	{0, 8, "offset", ""}, {8, 4, "length", ""}, {12, 4, "crc", ""}, {16, 1, "magic", ""}, {17, 1, "attributes", ""},
}

var layoutV1 = append(layoutV0[:len(layoutV0):len(layoutV0)], Field{18, 8, "timestamp", ""})

// Layout is the header of the given format as a table, values empty.
func Layout(magic int8) []Field {
	switch {
	case magic == 0:
		return layoutV0
	case magic < 2:
		return layoutV1
	}
	return layoutV2
}

// HeaderFields are the fields of b's header with their values in words. b.Data
// must hold the header.
func HeaderFields(b *Batch) []Field {
	layout := Layout(b.Magic)
	fields := make([]Field, 0, len(layout))
	for _, f := range layout {
		if f.Start+f.Size > len(b.Data) {
			break
		}
		f.Value = fieldValue(b, f)
		fields = append(fields, f)
	}
	return fields
}

func fieldValue(b *Batch, f Field) string {
	n := signed(b.Data[f.Start : f.Start+f.Size])
	switch f.Name {
	case "length":
		return fmt.Sprintf("%d, so %d bytes in all", n, b.Size)
	case "crc":
		verdict := "right"
		if !b.Valid() {
			verdict = fmt.Sprintf("wrong, computed %d", b.ComputedCRC)
		}
		return fmt.Sprintf("%d, %s", b.CRC, verdict)
	case "attributes":
		return attributesText(b)
	case "lastOffsetDelta":
		return fmt.Sprintf("%d, so the last offset is %d", n, b.LastOffset())
	case "baseTimestamp":
		if b.Attributes.HasDeleteHorizon() {
			return fmt.Sprintf("%d, the delete horizon", n)
		}
	}
	return fmt.Sprint(n)
}

func attributesText(b *Batch) string {
	words := []string{"codec " + b.Codec().String(), b.TimestampType().String()}
	if !b.IsLegacy() {
		if b.IsTransactional() {
			words = append(words, "transactional")
		}
		if b.IsControl() {
			words = append(words, "control")
		}
		if b.Attributes.HasDeleteHorizon() {
			words = append(words, "delete horizon")
		}
		if unknown := b.Attributes.Unknown(); unknown != 0 {
			words = append(words, fmt.Sprintf("unknown bits %#x", uint16(unknown)))
		}
	}
	return strings.Join(words, ", ")
}

// signed is a big-endian two's complement number of 1, 2, 4 or 8 bytes.
func signed(b []byte) int64 {
	switch len(b) {
	case 1:
		return int64(int8(b[0]))
	case 2:
		return int64(int16(binary.BigEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(b)))
	}
	return int64(binary.BigEndian.Uint64(b))
}
