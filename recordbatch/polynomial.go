package recordbatch

import (
	"hash/crc32"
	"sync"
)

// polynomial is one of the two checksums of Kafka's formats, with what it takes
// to compute with checksums instead of bytes.
//
// A CRC is the remainder of a polynomial over GF(2). So that of two ranges, one
// behind the other, follows from those of the two: the first times x^8 for each
// byte of the second, plus the second; and that of the second from those of the
// first and of both.
//
// Polynomials are written as hash/crc32 does, reversed: bit 31 is x^0.
type polynomial struct {
	table    *crc32.Table
	reversed uint32
	// powers gives x^(8·d·256^k) for digit d at place k of a number of bytes.
	powers func() *[4][256]uint32
}

var (
	crc32C    = newPolynomial(castagnoli, crc32.Castagnoli)
	crc32IEEE = newPolynomial(crc32.IEEETable, crc32.IEEE)
)

func newPolynomial(table *crc32.Table, reversed uint32) *polynomial {
	p := &polynomial{table: table, reversed: reversed}
	p.powers = sync.OnceValue(func() *[4][256]uint32 {
		powers := new([4][256]uint32)
		unit := uint32(1) << (31 - 8)
		for k := range powers {
			power := uint32(1) << 31
			for d := range powers[k] {
				powers[k][d] = power
				power = p.times(power, unit)
			}
			unit = power
		}
		return powers
	})
	return p
}

// covering is the polynomial of the format, and where in an entry the bytes
// that it covers begin.
func covering(magic int8) (p *polynomial, start int64) {
	if magic < 2 {
		return crc32IEEE, legacyCRCStart
	}
	return crc32C, crcStart
}

// times multiplies, without branches that depend on the bits.
func (p *polynomial) times(a, b uint32) uint32 {
	product := uint32(0)
	for range 32 {
		product ^= b & -(a >> 31)
		a <<= 1
		b = b>>1 ^ p.reversed&-(b&1)
	}
	return product
}

// shift is crc times x^8 for each of n bytes, less than 2^32.
func (p *polynomial) shift(crc uint32, n int64) uint32 {
	powers := p.powers()
	for k := 0; n > 0; k++ {
		if d := n & 0xff; d != 0 {
			crc = p.times(powers[k][d], crc)
		}
		n >>= 8
	}
	return crc
}

// zeros is the checksum of what crc is that of, followed by n zero bytes.
func (p *polynomial) zeros(crc uint32, n int64) uint32 { return ^p.shift(^crc, n) }
