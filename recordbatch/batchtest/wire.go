package batchtest

import (
	"encoding/binary"
	"hash/crc32"
)

var be = binary.BigEndian

// castagnoli is the polynomial of v2 batches and producer snapshots; v0 and
// v1 messages use the IEEE one.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func append16[T ~int16 | ~uint16](dst []byte, v T) []byte { return be.AppendUint16(dst, uint16(v)) }
func append32[T ~int32 | ~uint32](dst []byte, v T) []byte { return be.AppendUint32(dst, uint32(v)) }
func append64(dst []byte, v int64) []byte                 { return be.AppendUint64(dst, uint64(v)) }

// AppendVarint appends v as zig-zag base-128 groups, the encoding of every
// length, count and delta inside a v2 record. It serves varint and varlong
// alike, which differ only in how many bytes a reader accepts.
func AppendVarint(dst []byte, v int64) []byte {
	return AppendUvarint(dst, uint64(v<<1)^uint64(v>>63))
}

// AppendUvarint appends v as plain base-128 groups, low group first.
func AppendUvarint(dst []byte, v uint64) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

// appendVarBytes appends a varint length and the bytes; nil is length -1.
func appendVarBytes(dst, b []byte) []byte {
	if b == nil {
		return AppendVarint(dst, -1)
	}
	return append(AppendVarint(dst, int64(len(b))), b...)
}

// appendBytes32 appends an int32 length and the bytes; nil is length -1.
func appendBytes32(dst, b []byte) []byte {
	if b == nil {
		return append32(dst, int32(-1))
	}
	return append(append32(dst, int32(len(b))), b...)
}
