package recordbatch

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// zstdReader reads what ZstdInputStreamNoFinalizer of zstd-jni reads: frames
// and skippable frames one after another, none of them at all included.
// Frames are streamed through a window no larger than their blocks can fill,
// which costs as little as decoding small frames in one go.
type zstdReader struct {
	frames int // complete frames

	stream    *zstd.Decoder
	window    uint64 // the largest that stream has had to allocate
	streaming bool
	in        zstdSource
	frame     zstdFrame
	decoded   uint64 // plain bytes of the frame so far
}

const (
	// zstdKeptWindow is the largest window kept for the next payload.
	zstdKeptWindow = 4 << 20

	// zstdChunk is how much zstd-jni reads of its input at a time
	// (ZSTD_DStreamInSize).
	zstdChunk = 128<<10 + 3
)

// errZstdCut is the internal mark of a payload that ends inside a frame.
var errZstdCut = errors.New("cut")

func (z *zstdReader) reset() {
	if z.stream != nil && z.window > zstdKeptWindow {
		z.stream.Close()
		z.stream, z.window = nil, 0
	}
	z.frames, z.streaming, z.frame = 0, false, zstdFrame{}
}

func (d *Decompressor) nextZstd(p []byte) (int, error) {
	if d.zstd.streaming {
		return d.zstdStream(p)
	}
	if d.pos == len(d.src) {
		return 0, io.EOF
	}
	err := d.zstdFrameAt()
	if errors.Is(err, errZstdCut) {
		err = d.zstdCut()
	}
	return 0, err
}

// zstdCut is the end of a payload inside a frame. zstd-jni notices it in the
// first frame, and in a later one only if the input it read together with the
// end of the frame before did not reach the payload's end; otherwise it takes
// what decoded for all there is.
func (d *Decompressor) zstdCut() error {
	if d.zstd.frames > 0 && (d.pos-1)/zstdChunk == (len(d.src)-1)/zstdChunk {
		return io.EOF
	}
	return d.cut(d.pos, "a frame is cut")
}

// zstdFrameAt starts the frame at d.pos.
func (d *Decompressor) zstdFrameAt() error {
	rest := d.src[d.pos:]
	var magic [4]byte
	copy(magic[:], "\x28\xb5\x2f\xfd")
	if rest[0]&0xf0 == zstdSkippable&0xff {
		copy(magic[:], "\x50\x2a\x4d\x18")
		magic[0] = rest[0]
	}
	if got := rest[:min(4, len(rest))]; string(got) != string(magic[:len(got)]) {
		return d.corrupt(d.pos, "no zstd frame begins here")
	}
	if magic[0] == rest[0] && magic[1] == 0x2a {
		return d.zstdSkip(rest)
	}
	f := zstdFrame{start: d.pos}
	blocks, err := d.zstdHeader(&f)
	if err != nil {
		return err
	}
	d.zstdBlocks(&f, blocks)
	z := &d.zstd
	if z.stream == nil {
		if z.stream, err = newZstd(); err != nil {
			return err
		}
	}
	z.in = zstdSource{head: zstdPlainHeader(&f, d.limit), body: d.src[blocks:f.end]}
	if !f.whole && !f.ended {
		z.in.tail = zstdLastBlock
	}
	if err := z.stream.Reset(&z.in); err != nil {
		return d.corrupt(d.pos, "%v", err)
	}
	z.streaming, z.frame, z.decoded = true, f, 0
	z.window = max(z.window, f.window)
	return nil
}

func (d *Decompressor) zstdSkip(rest []byte) error {
	if len(rest) < 8 {
		return errZstdCut
	}
	size := int64(binary.LittleEndian.Uint32(rest[4:]))
	if size > int64(len(rest)-8) {
		return errZstdCut
	}
	d.pos += 8 + int(size)
	d.zstd.frames++
	return nil
}

// zstdStream goes on with a frame that is streamed.
func (d *Decompressor) zstdStream(p []byte) (int, error) {
	z := &d.zstd
	f := &z.frame
	n, err := z.stream.Read(p)
	z.decoded += uint64(n)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF) && !f.whole:
		// zstd hands out the part of a plain block that is there.
		if f.rawTail >= 0 {
			d.plain = d.src[f.rawTail:]
		}
		z.streaming = false
		return n, d.zstdCut()
	case !errors.Is(err, io.EOF):
		return n, d.zstdCorrupt(f, err)
	case f.hasContent && z.decoded != f.content:
		return n, d.zstdCorrupt(f, zstd.ErrFrameSizeMismatch)
	}
	d.pos, z.streaming = f.end, false
	z.frames++
	return n, nil
}

func (d *Decompressor) zstdCorrupt(f *zstdFrame, err error) error {
	switch {
	case errors.Is(err, zstd.ErrCRCMismatch):
		return d.corrupt(f.start, "the frame's checksum does not match its plain bytes")
	case errors.Is(err, zstd.ErrFrameSizeMismatch), errors.Is(err, zstd.ErrFrameSizeExceeded):
		return d.corrupt(f.start, "the frame's plain size is not the %d bytes it claims", f.content)
	}
	return d.corrupt(f.start, "a block of the frame is corrupt")
}

// newZstd makes a decoder without goroutines. Windows have been checked
// before it sees them; the bound here leaves room for rounding them up.
func newZstd() (*zstd.Decoder, error) {
	return zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true),
		zstd.WithDecodeBuffersBelow(0),
		zstd.WithDecoderMaxWindow(1<<28))
}

// zstdLastBlock is an empty plain block that ends a frame.
const zstdLastBlock = "\x01\x00\x00"

// zstdSource feeds one frame to the stream decoder: a header of ours, the
// complete blocks of the payload, and where the payload cuts the frame an end
// of ours, so that whatever fails then is damage.
type zstdSource struct {
	head [6]byte
	sent int
	body []byte
	tail string
}

func (s *zstdSource) Read(p []byte) (int, error) {
	if s.sent < len(s.head) {
		n := copy(p, s.head[s.sent:])
		s.sent += n
		return n, nil
	}
	if len(s.body) > 0 {
		n := copy(p, s.body)
		s.body = s.body[n:]
		return n, nil
	}
	if len(s.tail) > 0 {
		n := copy(p, s.tail)
		s.tail = s.tail[n:]
		return n, nil
	}
	return 0, io.EOF
}
