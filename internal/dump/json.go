package dump

import (
	"encoding/base64"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendJSONString appends b, which is UTF-8, as a JSON string. Only what JSON
// demands is escaped.
func appendJSONString(dst, b []byte) []byte {
	dst = append(dst, '"')
	start := 0
	for i, c := range b {
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
			continue
		}
		dst = append(dst, b[start:i]...)
		start = i + 1
		switch c {
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
