package batchtest

import (
	"math/bits"

	"github.com/pierrec/lz4/v4"
)

var lz4Magic = []byte{0x04, 0x22, 0x4d, 0x18}

// The flags of an lz4 frame descriptor.
const (
	lz4Version         = 1 << 6
	lz4Independent     = 1 << 5
	lz4BlockChecksum   = 1 << 4
	lz4ContentSize     = 1 << 3
	lz4ContentChecksum = 1 << 2
)

// appendLz4 appends an lz4 frame of independent blocks: magic, descriptor
// with its checksum byte, blocks with a size word whose top bit says stored,
// end mark.
func (o Compression) appendLz4(dst, data []byte) []byte {
	dst = o.appendLz4Header(dst, len(data))
	for rest := data; len(rest) > 0; {
		n := min(o.lz4BlockSize(), len(rest))
		dst = o.appendLz4Block(dst, rest[:n])
		rest = rest[n:]
	}
	dst = le.AppendUint32(dst, 0)
	if o.Lz4ContentChecksum {
		dst = le.AppendUint32(dst, xxh32(data))
	}
	return dst
}

func (o Compression) lz4BlockSize() int {
	if o.Lz4BlockID == 0 {
		return 64 << 10
	}
	return 1 << (8 + 2*o.Lz4BlockID)
}

func (o Compression) appendLz4Header(dst []byte, size int) []byte {
	start := len(dst)
	flags := byte(lz4Version | lz4Independent)
	for _, f := range []struct {
		on   bool
		flag byte
	}{
		{o.Lz4BlockChecksum, lz4BlockChecksum},
		{o.Lz4ContentSize, lz4ContentSize},
		{o.Lz4ContentChecksum, lz4ContentChecksum},
	} {
		if f.on {
			flags |= f.flag
		}
	}
	id := o.Lz4BlockID
	if id == 0 {
		id = 4
	}
	dst = append(append(dst, lz4Magic...), flags, byte(id<<4))
	if o.Lz4ContentSize {
		dst = le.AppendUint64(dst, uint64(size))
	}
	checked := dst[start+len(lz4Magic):]
	if o.Lz4BrokenChecksum {
		checked = dst[start:]
	}
	return append(dst, byte(xxh32(checked)>>8))
}

func (o Compression) appendLz4Block(dst, data []byte) []byte {
	block, word := data, uint32(len(data))|1<<31
	if !o.Stored {
		buf := make([]byte, lz4.CompressBlockBound(len(data)))
		var c lz4.Compressor // a new one, so that nothing but data decides
		n, err := c.CompressBlock(data, buf)
		must(n, err)
		if n > 0 && n < len(data) {
			block, word = buf[:n], uint32(n)
		}
	}
	dst = append(le.AppendUint32(dst, word), block...)
	if o.Lz4BlockChecksum {
		dst = le.AppendUint32(dst, xxh32(block))
	}
	return dst
}

const (
	xxPrime1 uint32 = 2654435761
	xxPrime2 uint32 = 2246822519
	xxPrime3 uint32 = 3266489917
	xxPrime4 uint32 = 668265263
	xxPrime5 uint32 = 374761393
)

// xxh32 is the 32-bit xxHash of b with seed 0, the checksum of lz4 frames.
func xxh32(b []byte) uint32 {
	h, n := xxPrime5, uint32(len(b))
	if len(b) >= 16 {
		prime1 := xxPrime1 // a variable, so that the sums below wrap
		v := [4]uint32{prime1 + xxPrime2, xxPrime2, 0, -prime1}
		for len(b) >= 16 {
			for i := range v {
				v[i] = bits.RotateLeft32(v[i]+le.Uint32(b[4*i:])*xxPrime2, 13) * xxPrime1
			}
			b = b[16:]
		}
		h = bits.RotateLeft32(v[0], 1) + bits.RotateLeft32(v[1], 7) +
			bits.RotateLeft32(v[2], 12) + bits.RotateLeft32(v[3], 18)
	}
	h += n
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h+le.Uint32(b)*xxPrime3, 17) * xxPrime4
	}
	for _, c := range b {
		h = bits.RotateLeft32(h+uint32(c)*xxPrime5, 11) * xxPrime1
	}
	h = (h ^ h>>15) * xxPrime2
	h = (h ^ h>>13) * xxPrime3
	return h ^ h>>16
}
