package dump

import (
	"encoding/base64"
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendJSONString appends b, which is UTF-8, as a JSON string. Only what JSON
// demands is escaped.
func appendJSONString(dst, b []byte) []byte {
	dst = append(dst, '"')
	start := 0
	for i := plainJSON(b, 0); i < len(b); i = plainJSON(b, i+1) {
		dst = append(dst, b[start:i]...)
		start = i + 1
		switch c := b[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
		}
	}
	dst = append(dst, b[start:]...)
	return append(dst, '"')
}

// plainJSON is the index of the first byte from i on that isn't the same in a
// JSON string; len(b) where there is none. Eight bytes are looked at in one go.
func plainJSON(b []byte, i int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; len(b)-i >= 8; i += 8 {
		word := binary.LittleEndian.Uint64(b[i:])
		// The high bit of each byte below 0x20, or equal to one of the three.
		// Behind the first such byte others may be marked falsely.
		low := word - ones*' '
		quote := (word ^ ones*'"') - ones
		backslash := (word ^ ones*'\\') - ones
		del := (word ^ ones*0x7f) - ones
		if found := (low | quote | backslash | del) &^ word & high; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < ' ' || c == '"' || c == '\\' || c == 0x7f {
			return i
		}
	}
	return len(b)
}

// appendText appends a field for a Go string, whatever bytes it has.
func appendText(dst []byte, s string) []byte {
	if utf8.ValidString(s) {
		return appendJSONString(dst, []byte(s))
	}
	return appendJSONString(dst, []byte(string([]rune(s))))
}

// appendBytes appends the fields for a key or a value: a string where it is
// UTF-8, else base64 with a sibling that says so. name and encoding are the
// names of the two, with their quotes, commas and colons.
func (v ValueFormat) appendBytes(dst []byte, name string, b []byte, present bool, encoding string) []byte {
	dst = append(dst, name...)
	if !present {
		return append(dst, "null"...)
	}
	switch v {
	case ValueHex, ValueRedacted, ValueUTF8:
		return appendJSONString(dst, v.text(nil)(nil, b))
	case ValueBase64:
	default:
		if utf8.Valid(b) {
			return appendJSONString(dst, b)
		}
	}
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	dst = append(dst, '"')
	dst = append(dst, encoding...)
	return append(dst, `"base64"`...)
}

func appendField(dst []byte, name string, n int64) []byte {
	dst = append(dst, name...)
	return strconv.AppendInt(dst, n, 10)
}
