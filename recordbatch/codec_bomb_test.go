package recordbatch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"testing"

	"github.com/pierrec/lz4/v4"
)

// zstdRLE is a frame of n blocks of 128 KiB zeros, four bytes each.
func zstdRLE(window byte, n int) []byte {
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, window}
	for i := range n {
		head := uint32(128<<10)<<3 | 1<<1
		if i == n-1 {
			head |= 1
		}
		b = append(b, byte(head), byte(head>>8), byte(head>>16), 0)
	}
	return b
}

// Payloads of far more plain bytes than the limit end at the limit, in memory
// that neither the plain bytes nor the payload's claims decide.
func TestDecompressBombs(t *testing.T) {
	const limit = 48 << 20
	const mib = 1 << 20
	block := lz4Framed(make([]byte, 4*mib), lz4.ChecksumOption(false))
	header, blocks := block[:7], block[7:len(block)-4]
	raw := xerial(make([]byte, 512<<10), 512<<10)[xerialHeaderSize:]
	for _, bomb := range []struct {
		name    string
		codec   Codec
		payload []byte
		memory  uint64
	}{
		{"gzip members", CodecGzip, bytes.Repeat(gzipped(make([]byte, 8*mib)), 128), 1 * mib},
		{"snappy blocks", CodecSnappy, joined(xerial(nil, 1), bytes.Repeat(raw, 2048)), 2 * mib},
		{"lz4 blocks", CodecLZ4, joined(header, bytes.Repeat(blocks, 256)), 5 * mib},
		{"zstd 8 MiB window", CodecZstd, zstdRLE(0x68, 8192), 10 * mib},
		{"zstd 128 MiB window", CodecZstd, zstdRLE(0x88, 8192), limit + 20*mib},
		{"zstd large window, then small ones", CodecZstd, joined(zstdRLE(0x88, 200), bytes.Repeat(zstdRLE(0x38, 1), 1024)), 30 * mib},
		{"zstd small frames", CodecZstd, bytes.Repeat(zstdRLE(0x88, 8), 1024), 4 * mib},
	} {
		d := Decompressor{Limit: limit}
		p := make([]byte, 32<<10)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d.Reset(bomb.codec, 2, bomb.payload)
		var size int64
		var err error
		for err == nil {
			var n int
			n, err = d.Read(p)
			size += int64(n)
		}
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrDecompressLimit) || size > limit || size < limit-mib {
			t.Errorf("%s: %d bytes, %v", bomb.name, size, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > bomb.memory {
			t.Errorf("%s: allocated %d bytes, more than %d", bomb.name, used, bomb.memory)
		}
		d.Reset(CodecNone, 2, nil)
		if (d.zstd.stream == nil) != (d.zstd.window == 0) {
			t.Errorf("%s: a window of %d bytes is noted for stream %v", bomb.name, d.zstd.window, d.zstd.stream)
		}
		if cap(d.buf) > keptScratch || d.zstd.window > zstdKeptWindow {
			t.Errorf("%s: memory is kept for the next payload", bomb.name)
		}
	}
}

// What a payload claims is no reason to allocate.
func TestDecompressClaims(t *testing.T) {
	single := binary.LittleEndian.AppendUint32([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0}, 100<<20)
	for name, c := range map[string]struct {
		codec   Codec
		payload []byte
	}{
		"snappy claims 2 GiB":                 {CodecSnappy, []byte("\xff\xff\xff\xff\x07 a block that is far too small for it")},
		"xerial block claims 2 GiB":           {CodecSnappy, []byte(xerialMagic + "\x00\x00\x00\x01\x00\x00\x00\x01\x7f\xff\xff\xff..")},
		"lz4 4 MiB blocks of a byte":          {CodecLZ4, unhex(t, "04224d18 60 70 73 01000000 00 00000000")},
		"zstd 128 MiB window for a byte":      {CodecZstd, unhex(t, "28b52ffd 00 88 090000 61")},
		"zstd window for a byte, frame cut":   {CodecZstd, unhex(t, "28b52ffd 00 88 100000 6162")},
		"zstd single segment claims 100 MiB":  {CodecZstd, append(single, 9, 0, 0, 'a')},
		"zstd skippable frame claims 4 GiB":   {CodecZstd, unhex(t, "502a4d18 ffffffff")},
		"gzip extra field claims 64 KiB":      {CodecGzip, unhex(t, "1f8b08 04 00000000 00ff ffff")},
		"gzip with a name that does not stop": {CodecGzip, append(unhex(t, "1f8b08 08 00000000 00ff"), "name"...)},
	} {
		var d Decompressor
		d.Reset(c.codec, 2, nil)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d.Reset(c.codec, 2, c.payload)
		n, _ := io.CopyBuffer(io.Discard, onlyReader{&d}, make([]byte, 512))
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 || n > 2 {
			t.Errorf("%s: allocated %d bytes for %d", name, used, n)
		}
	}
}

type onlyReader struct{ io.Reader }

func TestDefaultDecompressLimit(t *testing.T) {
	var d Decompressor
	d.Reset(CodecZstd, 2, zstdRLE(0x58, DefaultDecompressLimit>>17+1))
	if d.room() != DefaultDecompressLimit {
		t.Fatalf("without a limit there is room for %d bytes", d.room())
	}
	d.produced = DefaultDecompressLimit - 1<<20 // as if most had been read
	n, err := io.CopyBuffer(io.Discard, onlyReader{&d}, make([]byte, 32<<10))
	if n != 1<<20 || !errors.Is(err, ErrDecompressLimit) {
		t.Errorf("%d more bytes, %v", n, err)
	}
}
