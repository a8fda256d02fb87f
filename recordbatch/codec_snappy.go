package recordbatch

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/golang/snappy"
)

// snappyReader reads what snappy-java's SnappyInputStream (1.1.10) reads,
// either of two framings. A payload of at least 16 bytes that begins with
// xerialMagic is a xerial stream:
//
//	0   8 bytes  magic
//	8   i32      version, not looked at in the first header
//	12  i32      minimum compatible version, never looked at
//	16  blocks: i32 compressed length, raw snappy block
//
// All integers are big-endian. A length equal to the first four bytes of the
// magic begins another such header, of an appended stream. Anything else is
// one raw snappy block.
type snappyReader struct {
	started bool
}

const (
	xerialMagic      = "\x82SNAPPY\x00"
	xerialMagicHead  = 0x82534e41
	xerialHeaderSize = 16
)

func (s *snappyReader) reset() { s.started = false }

func (d *Decompressor) nextSnappy(p []byte) (int, error) {
	if !d.snappy.started {
		d.snappy.started = true
		if len(d.src) == 0 {
			return 0, d.cut(0, "an empty payload is no snappy block")
		}
		if len(d.src) < xerialHeaderSize || string(d.src[:len(xerialMagic)]) != xerialMagic {
			d.pos = len(d.src)
			return d.snappyBlock(p, 0, d.src)
		}
		d.pos = xerialHeaderSize
	}
	rest := d.src[d.pos:]
	if len(rest) < 4 {
		return 0, io.EOF // snappy-java takes a fragment of a length for the end
	}
	size := binary.BigEndian.Uint32(rest)
	if size == xerialMagicHead {
		return 0, d.xerialHeader(rest)
	}
	if size > math.MaxInt32 {
		return 0, d.corrupt(d.pos, "block length %d", int32(size))
	}
	if int64(size) > int64(len(rest)-4) {
		return 0, d.cut(d.pos, "a block is cut")
	}
	at := d.pos + 4
	d.pos = at + int(size)
	return d.snappyBlock(p, at, d.src[at:d.pos])
}

// xerialHeader steps over the header of an appended stream. SnappyInputStream
// looks at the version of these alone. What has only the first half of the
// magic it passes over, or takes for the end if nothing came before.
func (d *Decompressor) xerialHeader(rest []byte) error {
	if len(rest) < xerialHeaderSize {
		return d.cut(d.pos, "the header of an appended stream is cut")
	}
	if string(rest[:len(xerialMagic)]) == xerialMagic {
		if v := int32(binary.BigEndian.Uint32(rest[8:])); v < 1 {
			return d.unsupported(d.pos+8, "version %d of the xerial framing", v)
		}
	} else if d.produced == 0 {
		return io.EOF
	}
	d.pos += xerialHeaderSize
	return nil
}

// snappyBlock decodes one raw block: uvarint decoded length, then literals
// and copies. The length is a claim; three bytes of a copy yield at most 64,
// so it is held against the block's size before anything is allocated.
func (d *Decompressor) snappyBlock(p []byte, at int, block []byte) (int, error) {
	claim, n := binary.Uvarint(block)
	if n <= 0 || n > 5 || claim > math.MaxInt32 {
		return 0, d.corrupt(at, "a block has no valid length of its plain bytes")
	}
	if most := uint64(len(block)-n)/3*64 + 11; claim > most {
		return 0, d.corrupt(at, "a block of %d bytes claims %d plain bytes", len(block), claim)
	}
	if int64(claim) > d.room() {
		return 0, d.overLimit()
	}
	size := int(claim)
	direct := size <= len(p)
	if !direct {
		p = d.scratch(size)
	}
	if _, err := snappy.Decode(p[:size:size], block); err != nil {
		return 0, d.corrupt(at, "a block of %d bytes is corrupt", len(block))
	}
	if direct {
		return size, nil
	}
	d.plain = p
	return 0, nil
}
