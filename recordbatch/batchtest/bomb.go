package batchtest

import (
	"bytes"
	"fmt"

	"github.com/golang/snappy"
	"github.com/pierrec/lz4/v4"
)

// Bomb returns a batch with one record whose value is about expanded zeros,
// compressed to a thousandth or less; with snappy to a twentieth. The record
// is legal up to 2^31-1 bytes, beyond it is a stream without a record. The
// batch is made without expanding it.
func Bomb(codec Codec, baseOffset, expanded int64) Batch {
	b := NewBatch(baseOffset, 1600000000000, Record{})
	body := []byte{0, 0, 0, 1} // attributes, deltas, null key
	body = AppendVarint(body, expanded)
	head := AppendVarint(nil, int64(len(body))+expanded+1)
	b.Payload = zeros(codec, append(head, body...), expanded+1) // one zero for no headers
	return b.WithCodec(codec, Compression{})
}

// WrapperBomb is a v0 or v1 wrapper that expands likewise.
func WrapperBomb(magic int8, codec Codec, offset, expanded int64) Message {
	inner := V0(offset, nil, nil)
	if magic == 1 {
		inner = V1(0, 1600000000000, nil, nil)
	}
	inner.Size = new(int32(min(int64(len(inner.Append(nil))-logOverhead)+expanded, 1<<31-1)))
	head := inner.Append(nil)
	be.PutUint32(head[len(head)-4:], uint32(min(expanded, 1<<31-1)))
	return Message{
		Offset: offset, Magic: magic, Attributes: int8(codec), Timestamp: 1600000000000,
		Value: zeros(codec, head, expanded),
	}
}

// SnappyClaim is a batch whose raw snappy block says that it expands to n
// bytes, and holds next to nothing.
func SnappyClaim(baseOffset int64, n uint32) Batch {
	b := NewBatch(baseOffset, 1600000000000, Record{})
	b.Payload = append(AppendUvarint(nil, uint64(n)), 0, 'x')
	return b.WithCodec(Snappy, Compression{})
}

// zeros compresses head and n zeros.
func zeros(codec Codec, head []byte, n int64) []byte {
	switch codec {
	case Gzip: // members of 16 MiB
		return repeated(appendStoredGzip(nil, head), n, 16<<20, func(n int) []byte {
			return appendGzip(nil, make([]byte, n))
		})
	case Snappy: // xerial blocks of 1 MiB
		how := Compression{SnappyBlock: 1 << 20}
		return repeated(how.appendSnappy(nil, head), n, 1<<20, func(n int) []byte {
			return appendBytes32(nil, snappy.Encode(nil, make([]byte, n)))
		})
	case Lz4: // blocks of 4 MiB
		how := Compression{Lz4BlockID: 7, Stored: true}
		frame := how.appendLz4Block(how.appendLz4Header(nil, 0), head)
		frame = repeated(frame, n, 4<<20, func(n int) []byte {
			buf := make([]byte, lz4.CompressBlockBound(n))
			var c lz4.Compressor
			size, err := c.CompressBlock(make([]byte, n), buf)
			must(size, err)
			if size == 0 { // too short to compress
				return how.appendLz4Block(nil, make([]byte, n))
			}
			return append(le.AppendUint32(nil, uint32(size)), buf[:size]...)
		})
		return le.AppendUint32(frame, 0)
	case Zstd: // blocks of one repeated byte, 128 KiB each
		frame := append(appendZstdBlock(bytes.Clone(zstdHeader), zstdRaw, len(head), false), head...)
		frame = repeated(frame, n, 128<<10, func(n int) []byte {
			return append(appendZstdBlock(nil, zstdRLE, n, false), 0)
		})
		return appendZstdBlock(frame, zstdRaw, 0, true)
	}
	panic(fmt.Sprintf("no bomb for %s", codec))
}

// repeated appends as many blocks as n zeros need; equal ones are made once.
func repeated(dst []byte, n int64, block int, compress func(n int) []byte) []byte {
	if whole := n / int64(block); whole > 0 {
		dst = append(dst, bytes.Repeat(compress(block), int(whole))...)
	}
	if rest := int(n % int64(block)); rest > 0 {
		dst = append(dst, compress(rest)...)
	}
	return dst
}

// NestedWrappers is a v1 gzip wrapper in a wrapper in a wrapper, depth times.
// Kafka allows one level.
func NestedWrappers(offset int64, depth int) Wrapper {
	m := V1(0, 1600000000000, nil, []byte("innermost"))
	var w Wrapper
	for range depth {
		w = NewWrapper(1, Gzip, Compression{Stored: true}, m)
		m = w.Message
		m.Value = w.Compression.Append([]byte{}, Gzip, w.Inner[0].Append(nil))
	}
	w.Offset = offset
	return w
}
