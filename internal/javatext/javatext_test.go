package javatext

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// testdata/java17.txt is the output of testdata/Generate.java on Java 17.
func TestAppendUTF8IsJavas(t *testing.T) {
	data, err := os.ReadFile("testdata/java17.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) < 500 {
		t.Fatalf("only %d cases", len(lines))
	}
	for _, line := range lines {
		in, want, _ := strings.Cut(line, " ")
		raw, err := hex.DecodeString(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(AppendUTF8(nil, raw)); got != want {
			t.Errorf("%s: got %s, Java has %s", in, got, want)
		}
	}
}

func FuzzAppendUTF8(f *testing.F) {
	f.Add([]byte("a\xf0\x9f\x98\x80\xed\xa0\x80\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := AppendUTF8(nil, b)
		if !utf8.Valid(got) {
			t.Fatalf("%x gives %x, which isn't UTF-8", b, got)
		}
		if utf8.Valid(b) && string(got) != string(b) {
			t.Fatalf("valid %q became %q", b, got)
		}
	})
}
