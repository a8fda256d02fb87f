package recordbatch

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// jsonLike returns about n bytes of what people put into topics.
func jsonLike(n int) []byte {
	var b []byte
	for i := 0; len(b) < n; i++ {
		b = fmt.Appendf(b, `{"id":%d,"user":"u-%05d","action":"%s","amount":%d.%02d,"ts":%d,"tags":["a%d","b"]}`,
			100000+i, i*7919%65536, []string{"view", "click", "purchase", "refund"}[i*5%4], i*31%997, i%100, 1700000000000+int64(i)*137, i%9)
	}
	return b[:n]
}

// xerial builds the xerial framing with blocks of size plain bytes.
func xerial(plain []byte, size int) []byte {
	b := []byte(xerialMagic + "\x00\x00\x00\x01\x00\x00\x00\x01")
	for len(plain) > 0 {
		n := min(size, len(plain))
		block := snappy.Encode(nil, plain[:n])
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(block))), block...)
		plain = plain[n:]
	}
	return b
}

func gzipped(plain []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(plain)
	w.Close()
	return b.Bytes()
}

func lz4Framed(plain []byte, options ...lz4.Option) []byte {
	var b bytes.Buffer
	w := lz4.NewWriter(&b)
	if err := w.Apply(options...); err != nil {
		panic(err)
	}
	w.Write(plain)
	w.Close()
	return b.Bytes()
}

// zstdStreamed writes without announcing the size, as the Java client does.
func zstdStreamed(plain []byte, options ...zstd.EOption) []byte {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, options...)
	if err != nil {
		panic(err)
	}
	w.Write(plain[:len(plain)/2])
	w.Write(plain[len(plain)/2:])
	w.Flush()
	w.Close()
	return b.Bytes()
}

func zstdWhole(plain []byte, options ...zstd.EOption) []byte {
	w, err := zstd.NewWriter(nil, options...)
	if err != nil {
		panic(err)
	}
	return w.EncodeAll(plain, nil)
}

func BenchmarkDecompress(b *testing.B) {
	plain := jsonLike(16 << 10)
	for _, bench := range []struct {
		name    string
		codec   Codec
		payload []byte
	}{
		{"none", CodecNone, plain},
		{"gzip", CodecGzip, gzipped(plain)},
		{"snappy", CodecSnappy, xerial(plain, 32<<10)},
		{"snappy-raw", CodecSnappy, snappy.Encode(nil, plain)},
		{"lz4", CodecLZ4, lz4Framed(plain, lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(false))},
		{"zstd", CodecZstd, zstdStreamed(plain, zstd.WithEncoderCRC(false), zstd.WithWindowSize(2<<20))},
		{"zstd-sized", CodecZstd, zstdWhole(plain)},
		{"zstd-4MiB", CodecZstd, zstdStreamed(jsonLike(4<<20), zstd.WithWindowSize(2<<20))},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var d Decompressor
			p := make([]byte, 64<<10)
			var size int64
			b.ReportAllocs()
			for b.Loop() {
				if err := d.Reset(bench.codec, 2, bench.payload); err != nil {
					b.Fatal(err)
				}
				size = 0
				for {
					n, err := d.Read(p)
					size += int64(n)
					if err == io.EOF {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.SetBytes(size)
		})
	}
}
