package recordbatch

// varint decodes a zig-zag base-128 number of at most five bytes from the
// start of b. n is the number of bytes taken; 0 where b ends too early, −1
// where the fifth byte goes on. Over-long encodings and excess bits of the
// fifth byte are accepted, as ByteUtils.readVarint accepts them.
func varint(b []byte) (value int32, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		u := uint32(b[0])
		return int32(u>>1) ^ -int32(u&1), 1
	}
	return longVarint(b)
}

// longVarint is varint where the first byte isn't the last. Most of these have
// two bytes.
func longVarint(b []byte) (value int32, n int) {
	if len(b) > 1 && b[1] < 0x80 {
		u := uint32(b[0]&0x7f) | uint32(b[1])<<7
		return int32(u>>1) ^ -int32(u&1), 2
	}
	var u uint32
	for i := range 5 {
		if i >= len(b) {
			return 0, 0
		}
		u |= uint32(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			return int32(u>>1) ^ -int32(u&1), i + 1
		}
	}
	return 0, -1
}

// varlong is varint for 64 bits: at most ten bytes.
func varlong(b []byte) (value int64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		u := uint64(b[0])
		return int64(u>>1) ^ -int64(u&1), 1
	}
	return longVarlong(b)
}

func longVarlong(b []byte) (value int64, n int) {
	var u uint64
	for i := range 10 {
		if i >= len(b) {
			return 0, 0
		}
		u |= uint64(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			return int64(u>>1) ^ -int64(u&1), i + 1
		}
	}
	return 0, -1
}
