package batchtest

import (
	"encoding/binary"
	"hash/crc32"
)

var le = binary.LittleEndian

// appendStoredGzip appends a gzip member (RFC 1952) whose deflate blocks are
// stored.
func appendStoredGzip(dst, data []byte) []byte {
	dst = append(dst, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0)
	rest := data
	for {
		n := min(len(rest), 65535)
		last := byte(0)
		if n == len(rest) {
			last = 1
		}
		dst = append(dst, last)
		dst = le.AppendUint16(dst, uint16(n))
		dst = le.AppendUint16(dst, ^uint16(n))
		dst = append(dst, rest[:n]...)
		if rest = rest[n:]; len(rest) == 0 {
			break
		}
	}
	dst = le.AppendUint32(dst, crc32.ChecksumIEEE(data))
	return le.AppendUint32(dst, uint32(len(data)))
}

// appendStoredSnappy appends a raw snappy block that is one literal.
func appendStoredSnappy(dst, data []byte) []byte {
	dst = AppendUvarint(dst, uint64(len(data)))
	switch n := len(data) - 1; {
	case n < 0:
		return dst
	case n < 60:
		dst = append(dst, byte(n)<<2)
	case n < 1<<16:
		dst = le.AppendUint16(append(dst, 61<<2), uint16(n))
	default:
		dst = le.AppendUint32(append(dst, 63<<2), uint32(n))
	}
	return append(dst, data...)
}

// appendStoredZstd appends a zstd frame (RFC 8878) of raw blocks: no content
// size, no checksum, a window of 2 MiB.
func appendStoredZstd(dst, data []byte) []byte {
	dst = append(dst, zstdHeader...)
	for {
		n := min(len(data), 128<<10)
		dst = appendZstdBlock(dst, zstdRaw, n, n == len(data))
		dst = append(dst, data[:n]...)
		if data = data[n:]; len(data) == 0 {
			return dst
		}
	}
}

var zstdHeader = []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58}

const (
	zstdRaw = 0
	zstdRLE = 1
)

// appendZstdBlock appends a block header: last bit, two bits of type, size.
func appendZstdBlock(dst []byte, blockType, size int, last bool) []byte {
	h := uint32(size)<<3 | uint32(blockType)<<1
	if last {
		h |= 1
	}
	return append(dst, byte(h), byte(h>>8), byte(h>>16))
}
