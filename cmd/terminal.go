package cmd

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// terminalWriter writes to a terminal, and escapes what JSON leaves as it is
// and a terminal acts upon: DEL, the C1 controls (U+009B begins a sequence as
// ESC [ does) and what turns the direction of text. \uXXXX means the same in
// JSON; other formats have quoted these before.
type terminalWriter struct {
	w    io.Writer
	rest []byte // the begin of a rune that is not complete yet
	out  []byte
}

func (t *terminalWriter) Write(b []byte) (int, error) {
	data := append(t.rest, b...)
	t.out = t.out[:0]
	for len(data) > 0 && utf8.FullRune(data) {
		r, n := utf8.DecodeRune(data)
		if actsOnTerminal(r) {
			t.out = fmt.Appendf(t.out, `\u%04x`, r)
		} else {
			t.out = append(t.out, data[:n]...)
		}
		data = data[n:]
	}
	t.rest = append([]byte(nil), data...)
	if _, err := t.w.Write(t.out); err != nil {
		return 0, err
	}
	return len(b), nil
}

func actsOnTerminal(r rune) bool {
	switch {
	case 0x7f <= r && r <= 0x9f, r == 0x61c, r == 0x200e, r == 0x200f, 0x2028 <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069:
		return true
	}
	return false
}
