package recordbatch

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// decompress reads a payload with a fresh Decompressor.
func decompress(c Codec, magic int8, payload []byte) ([]byte, error) {
	var d Decompressor
	if err := d.Reset(c, magic, payload); err != nil {
		return nil, err
	}
	return io.ReadAll(&d)
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCodecNames(t *testing.T) {
	for c, want := range []string{"none", "gzip", "snappy", "lz4", "zstd", "unknown(5)", "unknown(6)", "unknown(7)"} {
		if got := Codec(c).String(); got != want {
			t.Errorf("Codec(%d) is %q, want %q", c, got, want)
		}
		if got := Codec(c).Valid(); got != (c < 5) {
			t.Errorf("Codec(%d).Valid() = %v", c, got)
		}
	}
}

func TestBadCodec(t *testing.T) {
	var d Decompressor
	for c := Codec(5); c < 8; c++ {
		if err := d.Reset(c, 2, []byte("x")); !errors.Is(err, ErrBadCodec) {
			t.Errorf("Reset with codec %d: %v", c, err)
		}
		if n, err := d.Read(make([]byte, 9)); n != 0 || !errors.Is(err, ErrBadCodec) {
			t.Errorf("Read with codec %d: %d, %v", c, n, err)
		}
	}
	if err := d.Reset(CodecNone, 2, []byte("plain")); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(&d); string(got) != "plain" || err != nil {
		t.Errorf("after a bad codec: %q, %v", got, err)
	}
}

func TestZeroDecompressorIsEmpty(t *testing.T) {
	var d Decompressor
	if n, err := d.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("Read before Reset: %d, %v", n, err)
	}
}

// The payloads of batches whose every byte is known: one record with key "k"
// and value "v", in each framing by hand, and a v1 gzip wrapper.
func TestDecompressVectors(t *testing.T) {
	const record = "10 00 00 00 02 6b 02 76 00"
	for _, v := range []struct {
		name    string
		codec   Codec
		magic   int8
		payload string
		plain   string
	}{
		{"v1 gzip wrapper", CodecGzip, 1, `
			1f 8b 08 00 00 00 00 00 00 00 01 48 00 b7
			ff 00 00 00 00 00 00 00 00 00 00 00 18 17 8c 94
			89 01 00 00 00 01 74 87 6e 80 00 00 00 00 01 61
			00 00 00 01 31 00 00 00 00 00 00 00 01 00 00 00
			18 c9 9f 68 5d 01 00 00 00 01 74 87 6e 80 01 00
			00 00 01 62 00 00 00 01 32 c6 f1 69 4e 48 00 00
			00`, `
			00 00 00 00 00 00 00 00 00 00 00 18 17 8c 94
			89 01 00 00 00 01 74 87 6e 80 00 00 00 00 01 61
			00 00 00 01 31 00 00 00 00 00 00 00 01 00 00 00
			18 c9 9f 68 5d 01 00 00 00 01 74 87 6e 80 01 00
			00 00 01 62 00 00 00 01 32`},
		{"gzip", CodecGzip, 2, "1f 8b 08 00 00 00 00 00 00 00 01 09 00 f6 ff 10 00 00 00 02 6b 02 76 00 a3 7f cf a6 09 00 00 00", record},
		{"snappy xerial", CodecSnappy, 2, "82 53 4e 41 50 50 59 00 00 00 00 01 00 00 00 01 00 00 00 0b 09 20 10 00 00 00 02 6b 02 76 00", record},
		{"snappy raw", CodecSnappy, 2, "09 20 10 00 00 00 02 6b 02 76 00", record},
		{"lz4", CodecLZ4, 2, "04 22 4d 18 60 40 82 09 00 00 80 10 00 00 00 02 6b 02 76 00 00 00 00 00", record},
		{"lz4 of magic 0", CodecLZ4, 0, "04 22 4d 18 60 40 1a 09 00 00 80 10 00 00 00 02 6b 02 76 00 00 00 00 00", record},
		{"zstd", CodecZstd, 2, "28 b5 2f fd 00 58 49 00 00 10 00 00 00 02 6b 02 76 00", record},
	} {
		got, err := decompress(v.codec, v.magic, unhex(t, v.payload))
		if want := unhex(t, v.plain); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %x, %v, want %x", v.name, got, err, want)
		}
	}
}

// The broken header checksum of old lz4 writers is an error from magic 1 on.
func TestLZ4HeaderChecksumByMagic(t *testing.T) {
	payload := unhex(t, "04 22 4d 18 60 40 1a 00 00 00 00")
	for magic, want := range []error{nil, ErrDecompress, ErrDecompress} {
		if _, err := decompress(CodecLZ4, int8(magic), payload); !errors.Is(err, want) {
			t.Errorf("magic %d: %v, want %v", magic, err, want)
		}
	}
}

// writers are the ways in which programs frame a payload.
var writers = []struct {
	name  string
	codec Codec
	write func(plain []byte) []byte
}{
	{"none", CodecNone, bytes.Clone},
	{"gzip", CodecGzip, gzipped},
	{"gzip of three members", CodecGzip, func(p []byte) []byte {
		return joined(gzipped(p[:len(p)/3]), gzipped(nil), gzipped(p[len(p)/3:]))
	}},
	{"gzip with garbage behind", CodecGzip, func(p []byte) []byte {
		return append(gzipped(p), "not a gzip header, but long enough for one"...)
	}},
	{"snappy raw", CodecSnappy, func(p []byte) []byte { return snappy.Encode(nil, p) }},
	{"snappy xerial", CodecSnappy, func(p []byte) []byte { return xerial(p, 32<<10) }},
	{"snappy xerial 1 KiB", CodecSnappy, func(p []byte) []byte { return xerial(p, 1<<10) }},
	{"snappy xerial appended", CodecSnappy, func(p []byte) []byte {
		return joined(xerial(p[:len(p)/2], 999), xerial(p[len(p)/2:], 5000), []byte{0, 0, 0})
	}},
	{"lz4 64 KiB", CodecLZ4, func(p []byte) []byte { return lz4Framed(p, lz4.BlockSizeOption(lz4.Block64Kb)) }},
	{"lz4 256 KiB", CodecLZ4, func(p []byte) []byte { return lz4Framed(p, lz4.BlockSizeOption(lz4.Block256Kb)) }},
	{"lz4 1 MiB", CodecLZ4, func(p []byte) []byte { return lz4Framed(p, lz4.BlockSizeOption(lz4.Block1Mb)) }},
	{"lz4 4 MiB", CodecLZ4, func(p []byte) []byte { return lz4Framed(p) }},
	{"lz4 with everything", CodecLZ4, func(p []byte) []byte {
		return lz4Framed(p, lz4.BlockSizeOption(lz4.Block64Kb), lz4.BlockChecksumOption(true),
			lz4.ChecksumOption(true), lz4.SizeOption(uint64(len(p))), lz4.CompressionLevelOption(lz4.Level9))
	}},
	{"lz4 with bytes behind", CodecLZ4, func(p []byte) []byte {
		return append(lz4Framed(p, lz4.ChecksumOption(false)), "behind the end mark"...)
	}},
	{"zstd streamed", CodecZstd, func(p []byte) []byte { return zstdStreamed(p) }},
	{"zstd small window", CodecZstd, func(p []byte) []byte { return zstdStreamed(p, zstd.WithWindowSize(1<<10)) }},
	{"zstd 128 MiB window", CodecZstd, func(p []byte) []byte { return zstdWindow(zstdStreamed(p), 0x88) }},
	{"zstd with size", CodecZstd, func(p []byte) []byte { return zstdWhole(p) }},
	{"zstd single segment", CodecZstd, func(p []byte) []byte { return zstdWhole(p, zstd.WithSingleSegment(true)) }},
	{"zstd without checksum", CodecZstd, func(p []byte) []byte {
		return zstdWhole(p, zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true))
	}},
	{"zstd frames and skippable ones", CodecZstd, func(p []byte) []byte {
		skip := []byte("\x5a\x2a\x4d\x18\x05\x00\x00\x00hello")
		return joined(skip, zstdWhole(p[:len(p)/2]), skip, zstdStreamed(p[len(p)/2:]), skip)
	}},
}

// zstdWindow makes a streamed frame claim another window.
func zstdWindow(frame []byte, descriptor byte) []byte {
	const singleSegment = 1 << 5
	if len(frame) > 5 && frame[4]&singleSegment == 0 {
		frame[5] = descriptor
	}
	return frame
}

func joined(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// plains are contents around the sizes at which the framings begin a block.
func plains() map[string][]byte {
	noise := make([]byte, 300_000)
	x := uint32(1)
	for i := range noise {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	return map[string][]byte{
		"nothing": {}, "one byte": {'x'}, "short": []byte("0123456789abcdef"),
		"json 16 KiB": jsonLike(16 << 10), "json 64 KiB": jsonLike(64 << 10), "json 64 KiB + 1": jsonLike(64<<10 + 1),
		"json 1 MiB": jsonLike(1 << 20), "noise": noise, "zeros 5 MiB": make([]byte, 5<<20),
		"mixed": joined(noise[:70_000], jsonLike(200_000), make([]byte, 100_000), noise),
	}
}

func TestDecompressRoundTrips(t *testing.T) {
	var reused Decompressor
	for name, plain := range plains() {
		for _, w := range writers {
			payload := w.write(plain)
			if w.codec == CodecLZ4 && len(plain) == 0 && len(payload) == 0 {
				continue // this writer puts no frame around nothing
			}
			if got, err := decompress(w.codec, 2, payload); err != nil || !bytes.Equal(got, plain) {
				t.Errorf("%s, %s: %d bytes, %v, want %d", name, w.name, len(got), err, len(plain))
			}
			if err := reused.Reset(w.codec, 2, payload); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(iotest.HalfReader(&reused))
			if err != nil || !bytes.Equal(got, plain) {
				t.Errorf("%s, %s, reused and in short reads: %d bytes, %v, want %d", name, w.name, len(got), err, len(plain))
			}
		}
	}
}

// The limit is exact: as many bytes are fine, one more is an error that comes
// after all allowed bytes, or before a snappy block that would break it.
func TestDecompressLimit(t *testing.T) {
	plain := jsonLike(70_000)
	for _, w := range writers {
		payload := w.write(plain)
		d := Decompressor{Limit: int64(len(plain))}
		d.Reset(w.codec, 2, payload)
		if got, err := io.ReadAll(&d); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s at the limit: %d bytes, %v", w.name, len(got), err)
		}
		d.Limit--
		d.Reset(w.codec, 2, payload)
		got, err := io.ReadAll(&d)
		if !errors.Is(err, ErrDecompressLimit) || errors.Is(err, ErrDecompress) {
			t.Errorf("%s above the limit: %v", w.name, err)
		}
		if !bytes.HasPrefix(plain, got) || w.codec != CodecSnappy && int64(len(got)) != d.Limit {
			t.Errorf("%s above the limit: %d bytes that should be the first %d", w.name, len(got), d.Limit)
		}
		if n, again := d.Read(make([]byte, 10)); n != 0 || again != err {
			t.Errorf("%s: Read after the error gave %d, %v", w.name, n, again)
		}
	}
}

func TestDecompressAllocatesNothing(t *testing.T) {
	plain := jsonLike(16 << 10)
	p := make([]byte, 10_000) // too small for a block: the buffered paths
	for _, w := range writers {
		payload := w.write(plain)
		var d Decompressor
		run := func() {
			d.Reset(w.codec, 2, payload)
			for {
				if _, err := d.Read(p); err == io.EOF {
					return
				} else if err != nil {
					t.Fatal(err)
				}
			}
		}
		if n := testing.AllocsPerRun(20, run); n != 0 {
			t.Errorf("%s: %v allocations for a payload", w.name, n)
		}
	}
}

// The messages lead to the place and tell cut from damaged from unsupported.
func TestDecompressErrors(t *testing.T) {
	for _, c := range []struct {
		name    string
		codec   Codec
		payload string
		is      error
		text    string
	}{
		{"empty gzip", CodecGzip, "", io.ErrUnexpectedEOF, "gzip at byte 0 of 0: the member's header is cut: unexpected EOF"},
		{"gzip CRC", CodecGzip, "1f8b08000000000000ff 010000ffff 01000000 00000000", nil, "gzip at byte 15 of 23: the member's CRC is 0x00000001, its bytes have 0x00000000"},
		{"gzip length", CodecGzip, "1f8b08000000000000ff 010000ffff 00000000 01000000", nil, "gzip at byte 19 of 23: the member's length is 1, it decompressed to 0"},
		{"gzip method", CodecGzip, "1f8b07000000000000ff 010000ffff 00000000 00000000", nil, "gzip at byte 2 of 23: compression method 7 instead of deflate"},
		{"snappy claim", CodecSnappy, "ffffffff07 00", nil, "snappy at byte 0 of 6: a block of 6 bytes claims 2147483647 plain bytes"},
		{"xerial negative length", CodecSnappy, "82534e4150505900 00000001 00000001 ffffffff", nil, "snappy at byte 16 of 20: block length -1"},
		{"xerial huge length", CodecSnappy, "82534e4150505900 00000001 00000001 7fffffff 00", io.ErrUnexpectedEOF, "snappy at byte 16 of 21: a block is cut: unexpected EOF"},
		{"lz4 magic", CodecLZ4, "04224d19 60 40 82", nil, "lz4 at byte 0 of 7: no lz4 frame magic"},
		{"lz4 dependent", CodecLZ4, "04224d18 40 40 c0", errors.ErrUnsupported, "lz4 at byte 4 of 7: blocks that depend on each other: unsupported operation"},
		{"lz4 block too large", CodecLZ4, "04224d18 60 40 82 01000100", nil, "lz4 at byte 7 of 11: a block of 65537 bytes, but the frame's maximum is 65536"},
		{"lz4 without end", CodecLZ4, "04224d18 60 40 82", io.ErrUnexpectedEOF, "lz4 at byte 7 of 7: the end mark is missing: unexpected EOF"},
		{"zstd magic", CodecZstd, "28b52ffe", nil, "zstd at byte 0 of 4: no zstd frame begins here"},
		{"zstd window", CodecZstd, "28b52ffd 00 89 010000", errors.ErrUnsupported, "zstd at byte 4 of 9: a window of 150994944 bytes: unsupported operation"},
		{"zstd dictionary", CodecZstd, "28b52ffd 01 58 07 010000", errors.ErrUnsupported, "zstd at byte 6 of 10: a frame that needs dictionary 7: unsupported operation"},
		{"zstd checksum", CodecZstd, "28b52ffd 04 58 010000 00000000", nil, "zstd at byte 0 of 13: the frame's checksum does not match its plain bytes"},
		{"zstd size", CodecZstd, "28b52ffd 20 05 010000", nil, "zstd at byte 0 of 9: the frame's plain size is not the 5 bytes it claims"},
		{"zstd cut", CodecZstd, "28b52ffd 00 58 4900001000", io.ErrUnexpectedEOF, "zstd at byte 0 of 11: a frame is cut: unexpected EOF"},
	} {
		_, err := decompress(c.codec, 2, unhex(t, c.payload))
		if !errors.Is(err, ErrDecompress) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v is not what it should be", c.name, err)
			continue
		}
		if want := fmt.Sprintf("%v: %s", ErrDecompress, c.text); err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %v", c.name, err, want)
		}
	}
}

func TestXXHash32(t *testing.T) {
	for in, want := range map[string]uint32{
		"": 0x02cc5d05, "a": 0x550d7456, "abc": 0x32d153ff,
		"Nobody inspects the spammish repetition": 0xe2293b2f,
	} {
		if got := xxhash32([]byte(in)); got != want {
			t.Errorf("xxhash32(%q) = %#08x, want %#08x", in, got, want)
		}
	}
}
