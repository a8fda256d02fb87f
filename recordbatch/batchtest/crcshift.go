package batchtest

import "hash/crc32"

// crcShift carries a change of CRC-32C over a fixed number of bytes that stay
// the same. A CRC is linear: if two messages differ in front of n equal bytes,
// their CRCs differ by the difference at that point, shifted by n zero bytes.
// Entry i of the shift is what becomes of bit i.
type crcShift [32]uint32

func newCRCShift(n int) crcShift {
	var s crcShift
	zeros := make([]byte, min(max(n, 0), 64<<10))
	for i := range s {
		crc := uint32(1) << i
		for rest := n; rest > 0; rest -= len(zeros) {
			// crc32.Update inverts before and after.
			crc = ^crc32.Update(^crc, castagnoli, zeros[:min(rest, len(zeros))])
		}
		s[i] = crc
	}
	return s
}

func (s *crcShift) apply(difference uint32) uint32 {
	out := uint32(0)
	for i, v := range s {
		if difference>>i&1 != 0 {
			out ^= v
		}
	}
	return out
}
