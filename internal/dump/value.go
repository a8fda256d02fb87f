package dump

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kafsck/kafsck/internal/javatext"
)

// TextFunc appends the text of a key or value. It stands for a class that
// implements Kafka's Decoder.
type TextFunc func(dst, b []byte) []byte

// StringText is Kafka's StringDecoder.
func StringText(dst, b []byte) []byte { return javatext.AppendUTF8(dst, b) }

func integerText(dst, b []byte) []byte {
	if len(b) < 4 {
		return tooShort(dst, b, 4)
	}
	return strconv.AppendInt(dst, int64(int32(binary.BigEndian.Uint32(b))), 10)
}

func longText(dst, b []byte) []byte {
	if len(b) < 8 {
		return tooShort(dst, b, 8)
	}
	return strconv.AppendInt(dst, int64(binary.BigEndian.Uint64(b)), 10)
}

// Kafka's decoder would end the whole dump here with an exception.
func tooShort(dst, b []byte, want int) []byte {
	return fmt.Appendf(dst, "(%d bytes instead of %d: %x)", len(b), want, b)
}

func hexText(dst, b []byte) []byte { return hex.AppendEncode(dst, b) }

var decoders = map[string]TextFunc{
	"string":    StringText,
	"integer":   integerText,
	"long":      longText,
	"bytearray": hexText,
}

// DecoderByName is the decoder for a class name of Kafka's, or a short name. ok
// is false where there is none.
func DecoderByName(name string) (f TextFunc, ok bool) {
	short := name[strings.LastIndexByte(name, '.')+1:]
	short = strings.ToLower(short)
	for _, suffix := range []string{"decoder", "deserializer"} {
		short = strings.TrimSuffix(short, suffix)
	}
	switch short {
	case "default", "bytes": // DefaultDecoder hands the bytes on
		short = "bytearray"
	case "int":
		short = "integer"
	}
	f, ok = decoders[short]
	return f, ok
}

// DecoderNames lists what DecoderByName accepts.
func DecoderNames() []string {
	names := []string{
		"org.apache.kafka.tools.api.StringDecoder",
		"org.apache.kafka.tools.api.IntegerDecoder",
		"org.apache.kafka.tools.api.LongDecoder",
		"org.apache.kafka.tools.api.DefaultDecoder",
	}
	for name := range decoders {
		names = append(names, name)
	}
	sort.Strings(names[4:])
	return names
}

// ValueFormat is how keys, values and header values are shown.
type ValueFormat uint8

// The value formats. ValueDecoded is what the decoder classes say in text, and
// strings or base64 in JSON.
const (
	ValueDecoded ValueFormat = iota
	ValueUTF8
	ValueHex
	ValueBase64
	ValueRedacted
)

// ParseValueFormat is the value format of that name.
func ParseValueFormat(name string) (ValueFormat, error) {
	switch name {
	case "":
		return ValueDecoded, nil
	case "utf8":
		return ValueUTF8, nil
	case "hex":
		return ValueHex, nil
	case "base64":
		return ValueBase64, nil
	case "redacted":
		return ValueRedacted, nil
	}
	return 0, fmt.Errorf("unknown value format %q: utf8, hex, base64 or redacted", name)
}

// text is the TextFunc of a format, where it isn't the decoder's.
func (v ValueFormat) text(decoder TextFunc) TextFunc {
	switch v {
	case ValueUTF8:
		return StringText
	case ValueHex:
		return hexText
	case ValueBase64:
		return func(dst, b []byte) []byte { return base64.StdEncoding.AppendEncode(dst, b) }
	case ValueRedacted:
		return appendRedacted
	}
	return decoder
}

// appendRedacted shows a value's length and SHA-256 instead of the value.
func appendRedacted(dst, b []byte) []byte {
	sum := sha256.Sum256(b)
	dst = append(dst, "<redacted "...)
	dst = strconv.AppendInt(dst, int64(len(b)), 10)
	dst = append(dst, " bytes sha256:"...)
	dst = hex.AppendEncode(dst, sum[:])
	return append(dst, '>')
}

// quoted wraps a TextFunc for terminals: control and other invisible
// characters are shown, not sent.
func quoted(f TextFunc) TextFunc {
	return func(dst, b []byte) []byte {
		start := len(dst)
		dst = f(dst, b)
		if printable(dst[start:]) {
			return dst
		}
		text := string(dst[start:])
		return AppendQuoted(dst[:start], text)
	}
}

func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// AppendQuoted appends s with every character that a terminal might act on
// written as an escape.
func AppendQuoted(dst []byte, s string) []byte {
	for _, r := range s {
		switch {
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r < ' ' || r == 0x7f:
			dst = fmt.Appendf(dst, `\x%02x`, r)
		case unicode.IsPrint(r):
			dst = utf8.AppendRune(dst, r)
		case r > 0xffff:
			dst = fmt.Appendf(dst, `\U%08x`, r)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
	}
	return dst
}
