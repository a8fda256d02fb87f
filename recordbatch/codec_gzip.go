package recordbatch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

// gzipReader reads what java.util.zip.GZIPInputStream reads: one or more
// members (RFC 1952), each verified against its trailer (CRC-32 and length,
// both little-endian). Bytes behind a trailer that do not begin another
// member are ignored.
type gzipReader struct {
	in      bytes.Reader
	deflate io.ReadCloser // also a flate.Resetter
	member  bool          // inside a member's deflate data
	members int           // complete members
	crc     uint32
	probe   [1]byte
	size    uint32 // modulo 2^32, as in the trailer
}

const (
	gzipTrailerSize = 8 // u32 CRC-32, u32 length

	// gzipMinRest is the fewest bytes behind a trailer for which
	// GZIPInputStream looks for another member: its header and trailer.
	// What is shorter is ignored, be it the beginning of one.
	gzipMinRest = 10 + gzipTrailerSize + 1
)

// gzipForget is deflate data of no bytes, in one block with its own codes.
// When a block defines no distance codes and uses some, the decoder takes
// those of an earlier block, even one of another payload. Decoding this ahead
// of each member makes what a damaged payload gives depend on it alone.
var gzipForget = []byte("\x05\xc0\x81\x00\x00\x00\x00\x00\x90\xff\x6b\x00")

func (g *gzipReader) reset() {
	g.member, g.members = false, 0
}

// begin points the decoder at the deflate data of a member.
func (g *gzipReader) begin(deflate []byte) error {
	if g.deflate == nil {
		g.deflate = flate.NewReader(&g.in)
	}
	r := g.deflate.(flate.Resetter)
	g.in.Reset(gzipForget)
	if err := r.Reset(&g.in, nil); err != nil {
		return err
	}
	if _, err := g.deflate.Read(g.probe[:]); err != io.EOF {
		return err
	}
	g.in.Reset(deflate)
	g.member, g.crc, g.size = true, 0, 0
	return r.Reset(&g.in, nil)
}

func (d *Decompressor) nextGzip(p []byte) (int, error) {
	g := &d.gzip
	if !g.member {
		rest := d.src[d.pos:]
		if g.members > 0 && (len(rest) < gzipMinRest || rest[0] != 0x1f || rest[1] != 0x8b) {
			return 0, io.EOF
		}
		n, err := d.gzipHeader(rest)
		if err != nil {
			if g.members > 0 {
				err = io.EOF
			}
			return 0, err
		}
		d.pos += n
		if err := g.begin(d.src[d.pos:]); err != nil {
			return 0, d.corrupt(d.pos, "%v", err)
		}
	}
	n, err := g.deflate.Read(p)
	g.crc = crc32.Update(g.crc, crc32.IEEETable, p[:n])
	g.size += uint32(n)
	if err == nil {
		return n, nil
	}
	d.pos = len(d.src) - g.in.Len()
	switch {
	case err == io.EOF:
		return n, d.gzipTrailer()
	case errors.Is(err, io.ErrUnexpectedEOF):
		return n, d.cut(d.pos, "the deflate data ends early")
	}
	return n, d.corrupt(d.pos, "invalid deflate data")
}

func (d *Decompressor) gzipTrailer() error {
	g := &d.gzip
	rest := d.src[d.pos:]
	if len(rest) < gzipTrailerSize {
		return d.cut(d.pos, "the member's trailer is cut")
	}
	if crc := binary.LittleEndian.Uint32(rest); crc != g.crc {
		return d.corrupt(d.pos, "the member's CRC is %#08x, its bytes have %#08x", crc, g.crc)
	}
	if size := binary.LittleEndian.Uint32(rest[4:]); size != g.size {
		return d.corrupt(d.pos+4, "the member's length is %d, it decompressed to %d", size, g.size)
	}
	d.pos += gzipTrailerSize
	g.member = false
	g.members++
	return nil
}

// Flags of a member's header that announce more fields.
const (
	gzipHeaderCRC = 1 << 1
	gzipExtra     = 1 << 2
	gzipName      = 1 << 3
	gzipComment   = 1 << 4
)

// gzipHeader returns the length of the member header at the start of b:
//
//	0  u16  1f 8b
//	2  u8   method, 8 = deflate
//	3  u8   flags
//	4  u32  mtime; u8 extra flags; u8 operating system
//	10      extra field (u16 length), name and comment (to a zero byte), u16 header CRC
func (d *Decompressor) gzipHeader(b []byte) (int, error) {
	if len(b) < 10 {
		return 0, d.cut(d.pos, "the member's header is cut")
	}
	if b[0] != 0x1f || b[1] != 0x8b {
		return 0, d.corrupt(d.pos, "no gzip magic")
	}
	if b[2] != 8 {
		return 0, d.corrupt(d.pos+2, "compression method %d instead of deflate", b[2])
	}
	flags, n := b[3], 10
	if flags&gzipExtra != 0 {
		if len(b)-n < 2 {
			return 0, d.cut(d.pos, "the member's header is cut")
		}
		n += 2 + int(binary.LittleEndian.Uint16(b[n:]))
	}
	for _, text := range []byte{gzipName, gzipComment} {
		if flags&text == 0 {
			continue
		}
		end := -1
		if n < len(b) {
			end = bytes.IndexByte(b[n:], 0)
		}
		if end < 0 {
			return 0, d.cut(d.pos, "the member's header is cut")
		}
		n += end + 1
	}
	if flags&gzipHeaderCRC != 0 {
		if len(b)-n < 2 {
			return 0, d.cut(d.pos, "the member's header is cut")
		}
		if binary.LittleEndian.Uint16(b[n:]) != uint16(crc32.ChecksumIEEE(b[:n])) {
			return 0, d.corrupt(d.pos+n, "the member's header does not match its CRC")
		}
		n += 2
	}
	if n > len(b) {
		return 0, d.cut(d.pos, "the member's header is cut")
	}
	return n, nil
}
