package batchtest

import (
	"bytes"
	"hash/crc32"
	"math"
	"testing"
)

// Varints as in protobuf's sint32 and sint64.
func TestVarintVectors(t *testing.T) {
	for _, v := range []struct {
		value int64
		hex   string
	}{
		{0, "00"}, {-1, "01"}, {1, "02"}, {-2, "03"}, {63, "7e"}, {64, "80 01"}, {-64, "7f"}, {-65, "81 01"},
		{127, "fe 01"}, {128, "80 02"}, {300, "d8 04"},
		{math.MaxInt32, "fe ff ff ff 0f"}, {math.MinInt32, "ff ff ff ff 0f"},
		{math.MaxInt64, "fe ff ff ff ff ff ff ff ff 01"}, {math.MinInt64, "ff ff ff ff ff ff ff ff ff 01"},
	} {
		wantBytes(t, AppendVarint(nil, v.value), v.hex)
	}
	wantBytes(t, AppendUvarint(nil, 300), "ac 02")
	wantBytes(t, AppendUvarint(nil, math.MaxInt32), "ff ff ff ff 07")
}

// v0 writers computed the header checksum of an lz4 frame over its magic too;
// readers know the two bytes.
func TestLz4HeaderChecksum(t *testing.T) {
	right := Compression{}.Append(nil, Lz4, []byte("x"))
	broken := NewWrapper(0, Lz4, Compression{}, V0(0, nil, []byte("x"))).Compression.Append(nil, Lz4, []byte("x"))
	if right[6] != 0x82 || broken[6] != 0x1a {
		t.Errorf("checksum bytes %#x and %#x, want 0x82 and 0x1a", right[6], broken[6])
	}
}

// The published check values of xxHash with seed 0.
func TestXXH32(t *testing.T) {
	for text, want := range map[string]uint32{
		"": 0x02cc5d05, "a": 0x550d7456, "abc": 0x32d153ff,
		"Nobody inspects the spammish repetition": 0xe2293b2f,
	} {
		if got := xxh32([]byte(text)); got != want {
			t.Errorf("xxh32(%q) = %#x, want %#x", text, got, want)
		}
	}
}

func TestOverrides(t *testing.T) {
	b := NewBatch(5, ts, KV("k", "v"))
	plain := b.Encode()
	b.Magic, b.Length, b.CRC, b.Count = new(int8(7)), new(int32(-3)), new(uint32(0xdeadbeef)), new(int32(1<<31-1))
	got := b.Encode()
	for position, want := range map[int]uint32{PosLength: 0xfffffffd, PosCRC: 0xdeadbeef, PosCount: 0x7fffffff} {
		if v := be.Uint32(got[position:]); v != want {
			t.Errorf("at %d: %#x, want %#x", position, v, want)
		}
	}
	if got[PosMagic] != 7 {
		t.Errorf("magic %d, want 7", got[PosMagic])
	}
	if !bytes.Equal(got[PosAttributes:PosCount], plain[PosAttributes:PosCount]) {
		t.Error("fields that were not overridden changed")
	}
}

func TestSequenceWraps(t *testing.T) {
	for _, c := range [][3]int32{{5, 3, 8}, {math.MaxInt32, 1, 0}, {math.MaxInt32 - 1, 3, 1}, {-1, 4, -1}} {
		if got := addSequence(c[0], c[1]); got != c[2] {
			t.Errorf("sequence %d + %d = %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

// A wrapper at offset 0 counts from 0, whatever its last inner offset says.
func TestWrapperContent(t *testing.T) {
	w := NewWrapper(1, Gzip, Compression{}, V1(40, 9, nil, nil), V1(45, 3, nil, nil))
	c, _ := w.Content()
	if c.BaseOffset != 40 || c.LastOffset != 45 || c.MaxTimestamp != 9 || c.Records[1].Timestamp != 3 {
		t.Errorf("content %+v", c)
	}
	w.Offset = 0
	if c, _ = w.Content(); c.Records[0].Offset != 0 || c.Records[1].Offset != 5 {
		t.Errorf("wrapper offset 0: records at %d and %d, want 0 and 5", c.Records[0].Offset, c.Records[1].Offset)
	}
	if c, _ = w.LogAppendTime(77).Content(); c.Records[1].Timestamp != 77 {
		t.Errorf("stamped by the broker: timestamp %d, want 77", c.Records[1].Timestamp)
	}
}

func TestSegmentLayout(t *testing.T) {
	s := NewSegment(0, V0(0, nil, []byte("a")), Raw(make([]byte, 7)), NewBatch(1, ts, KV("k", "v")))
	l := &s.Layout
	if len(l.Batches) != 2 || l.Size != int64(len(s.Data)) || l.NextOffset() != 2 {
		t.Fatalf("layout %+v", l)
	}
	second := &l.Batches[1]
	if second.Position != l.Batches[0].End()+7 || l.Covering(second.Position+3) != 1 || l.Covering(second.Position-1) != -1 {
		t.Errorf("second batch at %d of %d", second.Position, l.Size)
	}
	if want := crc32.Checksum(l.Bytes(s.Data, 1)[PosAttributes:], castagnoli); second.CRC != want {
		t.Errorf("CRC %#x, want %#x", second.CRC, want)
	}
}
