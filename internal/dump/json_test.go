package dump

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// slowJSON escapes byte by byte.
func slowJSON(b []byte) []byte {
	dst := []byte{'"'}
	for _, c := range b {
		if i := bytes.IndexByte([]byte("\"\\\n\r\t"), c); i >= 0 {
			dst = append(dst, '\\', "\"\\nrt"[i])
		} else if c < ' ' || c == 0x7f {
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

func checkJSON(t *testing.T, b []byte) {
	t.Helper()
	got := appendJSONString([]byte("x"), b)
	if want := slowJSON(b); !bytes.Equal(got[1:], want) || got[0] != 'x' {
		t.Fatalf("%q becomes %s, want %s", b, got, want)
	}
	if !utf8.Valid(b) {
		return
	}
	var back string
	if err := json.Unmarshal(got[1:], &back); err != nil || back != string(b) {
		t.Fatalf("%q reads back as %q, %v", b, back, err)
	}
}

// Every byte at every place of a word, alone and among others.
func TestJSONStringOfEveryByte(t *testing.T) {
	for c := range 256 {
		for n := range 20 {
			for _, fill := range []byte{'a', 0x21, 0x23, 0x7e, 0x80, 0xff, 0} {
				b := bytes.Repeat([]byte{fill}, 20)
				b[n] = byte(c)
				checkJSON(t, b)
				checkJSON(t, b[:n+1])
			}
		}
	}
}

func FuzzJSONString(f *testing.F) {
	f.Add([]byte("a \"quoted\" text\n, \x7f and \x00, ü and \xff"))
	f.Add([]byte(`{"id":1,"name":"kafka"}`))
	f.Fuzz(func(t *testing.T, b []byte) { checkJSON(t, b) })
}

func BenchmarkJSONString(b *testing.B) {
	for name, value := range map[string]string{
		"text": "the quick brown fox jumps over the lazy dog, and over again, until it is tired of all that",
		"json": `{"id":100000,"user":"u-12345","action":"purchase","amount":17.25,"tags":["a1","b"]}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(value)))
			var dst []byte
			for b.Loop() {
				dst = appendJSONString(dst[:0], []byte(value))
			}
		})
	}
}
