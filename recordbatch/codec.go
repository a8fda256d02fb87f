package recordbatch

import (
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Codec is the compression codec of a batch: bits 0–2 of its attributes
// (Kafka's CompressionType).
type Codec uint8

// The codecs by their id on disk. CodecZstd exists in magic 2 only.
const (
	CodecNone Codec = iota
	CodecGzip
	CodecSnappy
	CodecLZ4
	CodecZstd
)

var codecNames = [...]string{"none", "gzip", "snappy", "lz4", "zstd"}

// Valid reports whether Kafka knows the codec. Ids 5–7 fit the three bits
// but mean nothing.
func (c Codec) Valid() bool { return int(c) < len(codecNames) }

// String gives Kafka's name of the codec, or "unknown(5)" and the like.
func (c Codec) String() string {
	if c.Valid() {
		return codecNames[c]
	}
	return "unknown(" + strconv.Itoa(int(c)) + ")"
}

// DefaultDecompressLimit bounds how many bytes one batch may decompress to.
const DefaultDecompressLimit = 1 << 30

var (
	// ErrDecompress says that a payload is not what its codec claims: no
	// valid stream, or one that Kafka's readers refuse. Where the payload
	// merely ends too early the error is io.ErrUnexpectedEOF as well, and
	// where it asks for a feature that Kafka does not read (dictionaries,
	// dependent lz4 blocks, huge zstd windows) it is errors.ErrUnsupported
	// as well.
	ErrDecompress = errors.New("payload does not decompress")

	// ErrDecompressLimit says that a payload would decompress to more bytes
	// than the limit allows. It tells nothing about the payload's validity.
	ErrDecompressLimit = errors.New("payload decompresses to more than the limit")

	// ErrBadCodec says that the attributes name codec 5, 6 or 7.
	ErrBadCodec = errors.New("unknown compression codec")
)

// keptScratch is the most scratch memory a Decompressor carries over to the
// next payload: one lz4 block of the largest kind.
const keptScratch = 4 << 20

// Decompressor streams the plain bytes of one compressed payload after
// another (the records of a v2 batch, the value of a v0 or v1 wrapper) and
// reuses its state, so that decompressing allocates nothing once it is warm.
// It accepts exactly what the readers of Kafka accept: GZIPInputStream,
// SnappyInputStream of snappy-java, Lz4BlockInputStream, and
// ZstdInputStreamNoFinalizer of zstd-jni.
//
// Memory does not follow claims of the payload. Between payloads at most a
// few MiB are held. While one is read, a snappy block is held whole (at most
// 22 times its compressed size), and of zstd no more history than the
// frame's window (at most 128 MiB, and not more than its blocks can fill).
//
// The zero value is ready. A Decompressor serves one goroutine at a time.
type Decompressor struct {
	// Limit bounds the plain bytes of one payload; 0 means
	// DefaultDecompressLimit. Set it before Reset.
	Limit int64

	codec    Codec
	magic    int8
	src      []byte // the payload
	pos      int    // first byte of src not consumed yet
	plain    []byte // decoded but not handed out; part of buf or src
	buf      []byte // scratch for decoded blocks
	limit    int64
	produced int64 // bytes handed out
	err      error // what follows plain, once known
	probe    [1]byte

	gzip   gzipReader
	snappy snappyReader
	lz4    lz4Reader
	zstd   zstdReader
}

// Reset points d at the payload of one batch; src must not change until the
// next Reset. magic is that of the batch: with magic 0 the checksum of an lz4
// frame header is not verified, because old clients computed it wrongly.
// The only error is ErrBadCodec, which later Reads repeat; damage of the
// payload is reported by Read.
func (d *Decompressor) Reset(c Codec, magic int8, src []byte) error {
	d.codec, d.magic, d.src = c, magic, src
	d.pos, d.plain, d.produced, d.err = 0, nil, 0, nil
	d.limit = d.Limit
	if d.limit <= 0 {
		d.limit = DefaultDecompressLimit
	}
	if cap(d.buf) > keptScratch {
		d.buf = nil
	}
	d.gzip.reset()
	d.snappy.reset()
	d.lz4.reset()
	d.zstd.reset()
	if !c.Valid() {
		d.err = fmt.Errorf("%w: id %d", ErrBadCodec, uint8(c))
	}
	return d.err
}

// Read hands out the next plain bytes and io.EOF at the clean end of the
// payload. It may use all of p as scratch space. What decodes ahead of some
// damage is handed out first, then an error that is ErrDecompress or
// ErrDecompressLimit and stays. How a payload is cut into Reads changes
// neither its bytes nor its error.
func (d *Decompressor) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	room := d.limit - d.produced
	if room <= 0 {
		return 0, d.endAtLimit()
	}
	if int64(len(p)) > room {
		p = p[:room]
	}
	for {
		if len(d.plain) > 0 {
			n := copy(p, d.plain)
			d.plain = d.plain[n:]
			d.produced += int64(n)
			return n, nil
		}
		if d.err != nil {
			return 0, d.err
		}
		if n := d.next(p); n > 0 {
			d.produced += int64(n)
			return n, nil
		}
	}
}

// endAtLimit tells, with all allowed bytes handed out, whether they were all
// there is. One more byte decides.
func (d *Decompressor) endAtLimit() error {
	for d.err == nil && len(d.plain) == 0 {
		if d.next(d.probe[:]) > 0 {
			_ = d.overLimit() // it stays in d.err
		}
	}
	if len(d.plain) > 0 {
		d.plain = nil
		_ = d.overLimit()
	}
	return d.err
}

// next decodes a bit further: it either puts n > 0 bytes into p, or sets
// d.plain, d.err or both, or only consumes input (an empty block).
func (d *Decompressor) next(p []byte) (n int) {
	switch d.codec {
	case CodecGzip:
		n, d.err = d.nextGzip(p)
	case CodecSnappy:
		n, d.err = d.nextSnappy(p)
	case CodecLZ4:
		n, d.err = d.nextLZ4(p)
	case CodecZstd:
		n, d.err = d.nextZstd(p)
	default:
		d.plain, d.pos, d.err = d.src[d.pos:], len(d.src), io.EOF
	}
	return n
}

// scratch returns n bytes of reused memory. Callers bound n by what the
// payload can yield.
func (d *Decompressor) scratch(n int) []byte {
	if cap(d.buf) < n {
		d.buf = make([]byte, n)
	}
	return d.buf[:n]
}

// room is how many more bytes the limit allows. At the start of a block
// everything before it has been handed out.
func (d *Decompressor) room() int64 { return d.limit - d.produced }

func (d *Decompressor) overLimit() error {
	d.err = fmt.Errorf("%w: %v, more than %d bytes", ErrDecompressLimit, d.codec, d.limit)
	return d.err
}

// corrupt, cut and unsupported build the three kinds of ErrDecompress; pos is
// the byte of the payload they are about.
func (d *Decompressor) corrupt(pos int, format string, args ...any) error {
	return fmt.Errorf("%w: %v at byte %d of %d: %s", ErrDecompress, d.codec, pos, len(d.src), fmt.Sprintf(format, args...))
}

func (d *Decompressor) cut(pos int, what string) error {
	return fmt.Errorf("%w: %v at byte %d of %d: %s: %w", ErrDecompress, d.codec, pos, len(d.src), what, io.ErrUnexpectedEOF)
}

func (d *Decompressor) unsupported(pos int, format string, args ...any) error {
	return fmt.Errorf("%w: %v at byte %d of %d: %s: %w", ErrDecompress, d.codec, pos, len(d.src), fmt.Sprintf(format, args...), errors.ErrUnsupported)
}
