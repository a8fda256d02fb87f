package recordbatch

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// FuzzDecompress holds any payload to the laws of Decompressor: it ends in
// io.EOF or one of the declared errors, gives no more than the limit, and
// neither an earlier payload nor the size of the reads changes what it gives.
func FuzzDecompress(f *testing.F) {
	for i, c := range kafkaCases(f) {
		if i%5 == 0 {
			f.Add(uint8(c.codec), c.magic, c.payload, uint32(1<<20))
		}
	}
	plain := jsonLike(3000)
	for _, w := range writers {
		f.Add(uint8(w.codec), int8(2), w.write(plain), uint32(len(plain)))
	}
	used := new(Decompressor)
	large := make([]byte, 5<<20) // every block fits
	f.Fuzz(func(t *testing.T, id uint8, magic int8, payload []byte, limit uint32) {
		codec := Codec(id % 8)
		limit = limit%(1<<20) + 1
		given := bytes.Clone(payload)

		fresh := Decompressor{Limit: int64(limit)}
		resetErr := fresh.Reset(codec, magic, payload)
		if codec.Valid() != (resetErr == nil) {
			t.Fatalf("Reset with %v: %v", codec, resetErr)
		}
		want, wantErr := io.ReadAll(&fresh)
		if len(want) > int(limit) {
			t.Fatalf("%d bytes, the limit is %d", len(want), limit)
		}
		if wantErr != nil && !errors.Is(wantErr, ErrDecompress) && !errors.Is(wantErr, ErrDecompressLimit) && !errors.Is(wantErr, ErrBadCodec) {
			t.Fatalf("undeclared error %v", wantErr)
		}
		if _, again := fresh.Read(make([]byte, 1)); wantErr != nil && again != wantErr || wantErr == nil && again != io.EOF {
			t.Fatalf("ended with %v, then with %v", wantErr, again)
		}
		for _, size := range []int{1, 700, len(large)} {
			used.Limit = int64(limit)
			used.Reset(codec, magic, payload)
			got, err := readBy(used, large[:size])
			if !bytes.Equal(got, want) || errText(err) != errText(wantErr) {
				t.Fatalf("read by %d: %d bytes, %v; before %d bytes, %v", size, len(got), err, len(want), wantErr)
			}
		}
		if !bytes.Equal(payload, given) {
			t.Fatal("the payload was changed")
		}
	})
}

// readBy reads to the end through p.
func readBy(r io.Reader, p []byte) (got []byte, err error) {
	for {
		n, err := r.Read(p)
		got = append(got, p[:n]...)
		if err == io.EOF {
			return got, nil
		}
		if err != nil {
			return got, err
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
