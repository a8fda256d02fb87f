package batchtest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"sync"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
)

// Codec is a compression codec, numbered as in the attribute bits.
type Codec int8

// The codecs. Numbers 5 to 7 fit into the bits and mean nothing.
const (
	None Codec = iota
	Gzip
	Snappy
	Lz4
	Zstd
)

// Codecs is every codec that a v2 batch may have.
var Codecs = []Codec{None, Gzip, Snappy, Lz4, Zstd}

// String is Kafka's name of the codec.
func (c Codec) String() string {
	if names := [...]string{"none", "gzip", "snappy", "lz4", "zstd"}; c >= 0 && int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("codec %d", int8(c))
}

// Compression says how a codec writes, as the clients differ. The zero value
// writes as the Java client does.
type Compression struct {
	// Stored makes frames whose blocks are not compressed, byte for byte the
	// same whatever compression library is used.
	Stored bool
	// Parts above 1 makes that many gzip members or zstd frames, one behind
	// the other. Snappy and lz4 ignore it.
	Parts int
	// Tail is appended behind the frame.
	Tail []byte

	SnappyRaw          bool // one raw block, as librdkafka and Go clients write
	SnappyBlock        int  // bytes of input in a xerial block; 0 is 32 KiB
	SnappyLittleEndian bool // version fields of the xerial header as Redpanda wrote them

	Lz4BrokenChecksum  bool // header checksum over the magic too, as in v0
	Lz4BlockChecksum   bool
	Lz4ContentSize     bool
	Lz4ContentChecksum bool
	Lz4BlockID         int // 4 (64 KiB) to 7 (4 MiB); 0 is 4

	ZstdContentSize bool // one-shot frame, as librdkafka writes
	ZstdChecksum    bool
}

// Append appends data compressed with codec c; an unknown codec copies it.
func (o Compression) Append(dst []byte, c Codec, data []byte) []byte {
	parts := [][]byte{data}
	if o.Parts > 1 && (c == Gzip || c == Zstd) {
		parts = split(data, o.Parts)
	}
	for _, part := range parts {
		switch {
		case c == Gzip && o.Stored:
			dst = appendStoredGzip(dst, part)
		case c == Gzip:
			dst = appendGzip(dst, part)
		case c == Snappy:
			dst = o.appendSnappy(dst, part)
		case c == Lz4:
			dst = o.appendLz4(dst, part)
		case c == Zstd && o.Stored:
			dst = appendStoredZstd(dst, part)
		case c == Zstd:
			dst = o.appendZstd(dst, part)
		default:
			dst = append(dst, part...)
		}
	}
	return append(dst, o.Tail...)
}

// split cuts data into n parts of about the same size.
func split(data []byte, n int) [][]byte {
	parts := make([][]byte, n)
	for i := range parts {
		parts[i] = data[i*len(data)/n : (i+1)*len(data)/n]
	}
	return parts
}

var gzipWriters = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

func appendGzip(dst, data []byte) []byte {
	buf := bytes.NewBuffer(dst)
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(buf)
	must(w.Write(data))
	must(0, w.Close())
	return buf.Bytes()
}

// xerialMagic begins the stream format of snappy-java.
var xerialMagic = []byte{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0}

func (o Compression) appendSnappy(dst, data []byte) []byte {
	block := func(b []byte) []byte {
		if o.Stored {
			return appendStoredSnappy(nil, b)
		}
		return snappy.Encode(nil, b)
	}
	if o.SnappyRaw {
		return append(dst, block(data)...)
	}
	dst = append(dst, xerialMagic...)
	for range 2 { // version, oldest compatible version
		if o.SnappyLittleEndian {
			dst = append(dst, 1, 0, 0, 0)
		} else {
			dst = append(dst, 0, 0, 0, 1)
		}
	}
	size := o.SnappyBlock
	if size == 0 {
		size = 32 << 10
	}
	for len(data) > 0 {
		n := min(size, len(data))
		dst = appendBytes32(dst, block(data[:n]))
		data = data[n:]
	}
	return dst
}

// zstdEncoders holds one encoder for each way to write, as an encoder is
// costly to make. They are shared, hence the lock.
var zstdEncoders = struct {
	sync.Mutex
	byChecksum map[bool]*zstd.Encoder
}{byChecksum: map[bool]*zstd.Encoder{}}

func (o Compression) appendZstd(dst, data []byte) []byte {
	zstdEncoders.Lock()
	defer zstdEncoders.Unlock()
	enc := zstdEncoders.byChecksum[o.ZstdChecksum]
	if enc == nil {
		var err error
		enc, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true),
			zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(o.ZstdChecksum))
		must(0, err)
		zstdEncoders.byChecksum[o.ZstdChecksum] = enc
	}
	if o.ZstdContentSize {
		return enc.EncodeAll(data, dst)
	}
	buf := bytes.NewBuffer(dst)
	enc.Reset(buf)
	must(enc.Write(data))
	must(0, enc.Flush()) // as in Java: no content size, an empty last block
	must(0, enc.Close())
	return buf.Bytes()
}

func must(_ int, err error) {
	if err != nil {
		panic(err)
	}
}
