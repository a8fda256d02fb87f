package recordbatch

import (
	"encoding/binary"
	"math/bits"
)

const (
	zstdMagic     = 0xfd2fb528
	zstdSkippable = 0x184d2a50 // low four bits free

	// zstdMaxWindow is the largest window that a zstd stream reader takes
	// without being told (ZSTD_MAXWINDOWSIZE_DEFAULT).
	zstdMaxWindow = 1<<27 + 1

	// zstdMaxBlock is the most one block decodes to, whatever the window.
	zstdMaxBlock = 128 << 10
)

// zstdFrame is what the headers of a frame and of its blocks say, gathered
// without decoding: enough to bound memory by what is there.
type zstdFrame struct {
	start, end int    // bytes of the payload; of a cut frame to its last complete block
	window     uint64 // claimed window size
	content    uint64 // claimed content size
	hasContent bool
	checksum   bool
	bound      uint64 // the blocks present decode to no more than this
	ended      bool   // its last block is there
	whole      bool   // the payload holds all of it
	rawTail    int    // start of the data of a plain block that is cut, or -1
}

// zstdHeader parses the frame header at src[start:] (RFC 8878, 3.1.1.1):
//
//	0  u32  magic fd2fb528
//	4  u8   descriptor: content size flag (bits 6–7), single segment (5),
//	        reserved (3), checksum (2), dictionary id flag (0–1)
//	   u8   window descriptor, unless single segment: exponent (3–7), mantissa
//	        dictionary id: 0, 1, 2 or 4 bytes
//	        content size: 0, 1, 2, 4 or 8 bytes
//
// all little-endian. It returns the position behind the header.
func (d *Decompressor) zstdHeader(f *zstdFrame) (int, error) {
	b, pos := d.src[f.start:], f.start
	if len(b) < 5 {
		return 0, errZstdCut
	}
	desc := b[4]
	single := desc&(1<<5) != 0
	f.checksum = desc&(1<<2) != 0
	dictSize := [4]int{0, 1, 2, 4}[desc&3]
	contentSize := [4]int{0, 2, 4, 8}[desc>>6]
	if contentSize == 0 && single {
		contentSize = 1
	}
	n := 5
	if !single {
		n++
	}
	if len(b) < n+dictSize+contentSize {
		return 0, errZstdCut
	}
	if desc&(1<<3) != 0 {
		return 0, d.unsupported(pos+4, "reserved bit in the frame descriptor %#02x", desc)
	}
	if !single {
		base := uint64(1) << (10 + b[5]>>3)
		f.window = base + base/8*uint64(b[5]&7)
	}
	if id := littleEndian(b[n : n+dictSize]); id != 0 {
		return 0, d.unsupported(pos+n, "a frame that needs dictionary %d", id)
	}
	n += dictSize
	if contentSize > 0 {
		f.hasContent = true
		f.content = littleEndian(b[n : n+contentSize])
		if contentSize == 2 {
			f.content += 256
		}
		n += contentSize
	}
	if single {
		f.window = f.content
	}
	if f.window > zstdMaxWindow {
		return 0, d.unsupported(pos+4, "a window of %d bytes", f.window)
	}
	return f.start + n, nil
}

// zstdBlocks walks the block headers from pos: u24 little-endian with last
// (bit 0), type (1–2: plain, one repeated byte, compressed, reserved), size.
// It stops where a header makes no sense; decoding then tells.
func (d *Decompressor) zstdBlocks(f *zstdFrame, pos int) {
	most := min(f.window, zstdMaxBlock)
	f.end, f.rawTail = pos, -1
	damaged := func() { f.end, f.whole = len(d.src), true } // and not cut
	for {
		if len(d.src)-pos < 3 {
			return
		}
		head := uint32(d.src[pos]) | uint32(d.src[pos+1])<<8 | uint32(d.src[pos+2])<<16
		last, kind, size := head&1 != 0, head>>1&3, int(head>>3)
		pos += 3
		if uint64(size) > most {
			damaged()
			return
		}
		stored := size
		switch kind {
		case 0:
			f.bound += uint64(size)
		case 1:
			stored = 1
			if most == 0 {
				damaged()
				return
			}
			f.bound += uint64(size)
		case 2:
			f.bound += most
		default:
			damaged()
			return
		}
		if len(d.src)-pos < stored {
			if kind == 0 {
				f.rawTail = pos
			}
			return
		}
		pos += stored
		f.end = pos
		if last {
			break
		}
	}
	f.ended = true
	if f.checksum {
		if len(d.src)-pos < 4 {
			return
		}
		pos += 4
	}
	f.end, f.whole = pos, true
}

// zstdPlainHeader is a header for the same blocks as f without the claimed
// content size and with a window no larger than the blocks can fill or the
// limit lets through, because a decoder allocates the window ahead.
func zstdPlainHeader(f *zstdFrame, limit int64) (head [6]byte) {
	f.window = min(f.window, max(min(f.bound, uint64(limit)), zstdMaxBlock))
	window := f.window
	binary.LittleEndian.PutUint32(head[:], zstdMagic)
	if f.checksum && f.whole {
		head[4] = 1 << 2
	}
	exp := max(bits.Len64(window)-1, 10)
	base := uint64(1) << exp
	var eighths uint64
	if window > base {
		eighths = (window - base + base/8 - 1) / (base / 8)
	}
	head[5] = byte(uint64(exp-10)<<3 + eighths) // eight eighths carry over
	return head
}

func littleEndian(b []byte) (v uint64) {
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v
}
