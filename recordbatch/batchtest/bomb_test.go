package batchtest

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// expanded counts the bytes that a payload expands to; all but the first few
// hundred have to be zeros.
func expanded(t *testing.T, codec Codec, payload []byte) int64 {
	t.Helper()
	var r io.Reader
	var err error
	switch codec {
	case Gzip:
		r, err = gzip.NewReader(bytes.NewReader(payload))
	case Lz4:
		r = lz4.NewReader(bytes.NewReader(payload))
	case Zstd:
		r, err = zstd.NewReader(bytes.NewReader(payload))
	case Snappy:
		var all []byte
		for rest := payload[16:]; len(rest) > 0; {
			n := 4 + int(be.Uint32(rest))
			block, err := snappy.Decode(nil, rest[4:n])
			if err != nil {
				t.Fatal(err)
			}
			all, rest = append(all, block...), rest[n:]
		}
		r = bytes.NewReader(all)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, r, 300); err != nil {
		t.Fatal(err)
	}
	n, buf := int64(300), make([]byte, 1<<20)
	for {
		k, err := r.Read(buf)
		if len(bytes.Trim(buf[:k], "\x00")) > 0 {
			t.Fatal("not all zeros")
		}
		n += int64(k)
		if err == io.EOF {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestBombsExpand(t *testing.T) {
	for _, codec := range Codecs[1:] {
		for _, n := range []int64{1000, 20<<20 + 5} {
			value := n
			data := Bomb(codec, 0, value).Encode()
			head := int64(len(AppendVarint(nil, value+9)) + 4 + len(AppendVarint(nil, value)) + 1)
			if got := expanded(t, codec, data[PosRecords:]); got != value+head {
				t.Errorf("%s expands to %d bytes, want %d", codec, got, value+head)
			}
			if codec != Snappy && n > 1<<20 && len(data) > 200_000 {
				t.Errorf("%s: %d bytes are no small payload", codec, len(data))
			}
		}
		franzAgrees(t, NewSegment(0, bombWithContent(codec, 5000)))
	}
}

// A bomb is a sound batch with one record.
func bombWithContent(codec Codec, n int64) Entry {
	b := Bomb(codec, 3, n)
	b.Records = []Record{{Value: make([]byte, n)}}
	return b
}

// Bombs of many gigabytes are made at once.
func TestLargeBombs(t *testing.T) {
	for codec, limit := range map[Codec]int{Gzip: 5 << 20, Lz4: 20 << 20, Zstd: 200 << 10} {
		if n := len(Bomb(codec, 0, 4<<30).Encode()); n > limit {
			t.Errorf("%s: %d bytes", codec, n)
		}
	}
}

func TestWrapperBomb(t *testing.T) {
	for _, magic := range []int8{0, 1} {
		m := WrapperBomb(magic, Gzip, 9, 1<<20)
		overhead := int64(len(Message{Magic: magic}.Append(nil)))
		if got := expanded(t, Gzip, m.Value); got != overhead+1<<20 {
			t.Errorf("magic %d expands to %d bytes", magic, got)
		}
	}
}

func TestNestedWrappers(t *testing.T) {
	w := NestedWrappers(7, 5)
	depth := 0
	for m := w.Append(nil); ; depth++ {
		if Codec(m[17]&attrCodec) == None {
			break
		}
		r, err := gzip.NewReader(bytes.NewReader(m[34:]))
		if err != nil {
			t.Fatal(err)
		}
		if m, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	if depth != 5 {
		t.Errorf("%d wrappers, want 5", depth)
	}
}
