package render

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoteRunes writes what cannot be seen as Go writes it in strings; a byte
// that is no UTF-8 as \xNN.
func quoteRunes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x`)
			b.WriteByte("0123456789abcdef"[s[i]>>4])
			b.WriteByte("0123456789abcdef"[s[i]&15])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
		i += size
	}
	return b.String()
}

func writeInt(b *strings.Builder, n int64) { b.WriteString(strconv.FormatInt(n, 10)) }
