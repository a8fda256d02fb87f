package recordbatch

import (
	"encoding/binary"
	"io"

	"github.com/pierrec/lz4/v4"
)

// lz4Reader reads what Kafka's Lz4BlockInputStream reads, a subset of the
// LZ4 frame format (all little-endian):
//
//	0  u32  magic 0x184d2204
//	4  u8   FLG: version (bits 6–7, 1), blocks independent (5), block
//	        checksums (4), content size (3), content checksum (2),
//	        reserved (1), dictionary id (0)
//	5  u8   BD: bits 4–6 the code 4…7 of the maximal block size, rest zero
//	6  u64  content size, if flagged; not used
//	   u8   HC: second byte of xxhash32 over FLG to here
//	blocks: u32 size (bit 31: stored plain), data, u32 xxhash32 of the data if flagged
//	end:    u32 0, u32 content checksum if flagged; read, not verified
//
// Clients of magic 0 computed HC over the magic too; it is not verified there.
// The end mark is required, what follows it is ignored. Inside a block the
// decoder is laxer than Kafka's: it does not insist that a block ends with
// five literals, which every encoder obeys.
type lz4Reader struct {
	started         bool
	maxBlock        int
	blockChecksum   bool
	contentChecksum bool
}

const (
	lz4Magic  = 0x184d2204
	lz4Stored = 1 << 31

	lz4FlagReserved        = 0b11
	lz4FlagContentChecksum = 1 << 2
	lz4FlagContentSize     = 1 << 3
	lz4FlagBlockChecksum   = 1 << 4
	lz4FlagIndependent     = 1 << 5
)

func (l *lz4Reader) reset() { *l = lz4Reader{} }

func (d *Decompressor) nextLZ4(p []byte) (int, error) {
	l := &d.lz4
	if !l.started {
		if err := d.lz4Header(); err != nil {
			return 0, err
		}
		l.started = true
	}
	rest := d.src[d.pos:]
	if len(rest) < 4 {
		return 0, d.cut(d.pos, "the end mark is missing")
	}
	word := binary.LittleEndian.Uint32(rest)
	size := word &^ lz4Stored
	if size == 0 { // with bit 31 set too
		if l.contentChecksum && len(rest) < 8 {
			return 0, d.cut(d.pos, "the content checksum is cut")
		}
		return 0, io.EOF
	}
	if int64(size) > int64(l.maxBlock) {
		return 0, d.corrupt(d.pos, "a block of %d bytes, but the frame's maximum is %d", size, l.maxBlock)
	}
	n, at := int(size), d.pos+4
	tail := 0
	if l.blockChecksum {
		tail = 4
	}
	if len(rest)-4 < n+tail {
		return 0, d.cut(d.pos, "a block is cut")
	}
	block := d.src[at : at+n]
	d.pos = at + n + tail
	if l.blockChecksum {
		if want, got := binary.LittleEndian.Uint32(rest[4+n:]), xxhash32(block); want != got {
			return 0, d.corrupt(at+n, "a block's checksum is %#08x, its bytes have %#08x", want, got)
		}
	}
	if word&lz4Stored != 0 {
		d.plain = block
		return 0, nil
	}
	return d.lz4Block(p, at, block)
}

// lz4Block decodes one compressed block, which states no plain size. A byte
// of a block yields at most 255 plain ones, so small blocks need no buffer of
// the frame's maximal size.
func (d *Decompressor) lz4Block(p []byte, at int, block []byte) (int, error) {
	most := min(d.lz4.maxBlock, 255*len(block))
	direct := most <= len(p)
	if !direct {
		p = d.scratch(most)
	}
	n, err := lz4.UncompressBlock(block, p[:most:most])
	if err != nil {
		return 0, d.corrupt(at, "a block of %d bytes is corrupt", len(block))
	}
	if direct {
		return n, nil
	}
	d.plain = p[:n]
	return 0, nil
}

func (d *Decompressor) lz4Header() error {
	b := d.src
	if len(b) < 6 {
		return d.cut(0, "the frame header is cut")
	}
	if binary.LittleEndian.Uint32(b) != lz4Magic {
		return d.corrupt(0, "no lz4 frame magic")
	}
	flg, bd := b[4], b[5]
	switch {
	case flg&lz4FlagReserved != 0:
		return d.unsupported(4, "reserved bits or a dictionary in the frame flags %#02x", flg)
	case flg&lz4FlagIndependent == 0:
		return d.unsupported(4, "blocks that depend on each other")
	case flg>>6 != 1:
		return d.unsupported(4, "version %d of the frame format", flg>>6)
	case bd&0x8f != 0:
		return d.unsupported(5, "reserved bits in the block descriptor %#02x", bd)
	case bd>>4 < 4:
		return d.unsupported(5, "block size code %d", bd>>4)
	}
	end := 6
	if flg&lz4FlagContentSize != 0 {
		end += 8
	}
	if len(b) <= end {
		return d.cut(0, "the frame header is cut")
	}
	if d.magic > 0 {
		if want := byte(xxhash32(b[4:end]) >> 8); b[end] != want {
			return d.corrupt(end, "the frame header's checksum is %#02x, its bytes have %#02x", b[end], want)
		}
	}
	d.pos = end + 1
	d.lz4.maxBlock = 1 << (8 + 2*(bd>>4))
	d.lz4.blockChecksum = flg&lz4FlagBlockChecksum != 0
	d.lz4.contentChecksum = flg&lz4FlagContentChecksum != 0
	return nil
}
