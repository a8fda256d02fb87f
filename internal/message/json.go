package message

import (
	"encoding/base64"
	"math"
	"strconv"

	"github.com/kafsck/kafsck/internal/javatext"
)

// AppendJSON appends the message as Kafka's JSON of it: the fields that its
// version has, in the order of the schema, without tagged ones at their default.
// UUIDs are 22 characters of URL-safe base64, bytes are padded standard base64.
// What isn't UTF-8 in a string becomes U+FFFD.
func (m *Message) AppendJSON(dst []byte) []byte { return m.AppendJSONFunc(dst, nil) }

// AppendJSONFunc does the same, and lets replace write the value of a field in
// another way. Where that returns false the value is written as it is.
func (m *Message) AppendJSONFunc(dst []byte, replace func(dst []byte, f *Field, v *Value) ([]byte, bool)) []byte {
	w := jsonWriter{m.Version, replace}
	return w.object(dst, &m.Value)
}

type jsonWriter struct {
	version int16
	replace func(dst []byte, f *Field, v *Value) ([]byte, bool)
}

func (w *jsonWriter) object(dst []byte, v *Value) []byte {
	dst = append(dst, '{')
	comma := false
	for i := range v.Fields {
		f, item := &v.Fields[i], &v.Items[i]
		if !f.In.Has(w.version) || f.Tagged.Has(w.version) && item.isDefault(f) {
			continue
		}
		if comma {
			dst = append(dst, ',')
		}
		comma = true
		dst = append(dst, '"')
		dst = append(dst, f.Name...)
		dst = append(dst, '"', ':')
		if w.replace != nil {
			var done bool
			if dst, done = w.replace(dst, f, item); done {
				continue
			}
		}
		dst = w.value(dst, item)
	}
	return append(dst, '}')
}

func (w *jsonWriter) value(dst []byte, v *Value) []byte {
	switch {
	case v.Null:
		return append(dst, "null"...)
	case v.Array:
		dst = append(dst, '[')
		for i := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = w.value(dst, &v.Items[i])
		}
		return append(dst, ']')
	}
	switch v.Kind {
	case Bool:
		return strconv.AppendBool(dst, v.Bool())
	case Float64:
		return appendFloat(dst, v.Float())
	case UUID:
		dst = append(dst, '"')
		dst = base64.RawURLEncoding.AppendEncode(dst, v.Bytes)
		return append(dst, '"')
	case Bytes:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, v.Bytes)
		return append(dst, '"')
	case String:
		return AppendString(dst, v.Bytes)
	case Object:
		return w.object(dst, v)
	default:
		return strconv.AppendInt(dst, v.Int, 10)
	}
}

// AppendString appends a JSON string as Jackson writes it: quotes, backslashes
// and control characters escaped, everything else as it is.
func AppendString(dst, s []byte) []byte {
	const hex = "0123456789ABCDEF"
	dst = append(dst, '"')
	start := len(dst)
	dst = javatext.AppendUTF8(dst, s)
	if !needsEscape(dst[start:]) {
		return append(dst, '"')
	}
	text := string(dst[start:])
	dst = dst[:start]
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= ' ':
			dst = append(dst, c)
		case shortEscape[c] != 0:
			dst = append(dst, '\\', shortEscape[c])
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(dst, '"')
}

var shortEscape = [' ']byte{'\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r'}

func needsEscape(s []byte) bool {
	for _, c := range s {
		if c < ' ' || c == '"' || c == '\\' {
			return true
		}
	}
	return false
}

// appendFloat appends a number as Java's Double.toString gives it: at least one
// digit on both sides of the point, an exponent below 10^-3 and from 10^7 on.
// Jackson quotes what isn't finite.
func appendFloat(dst []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(dst, `"-Infinity"`...)
	}
	if a := math.Abs(x); a == 0 || a >= 1e-3 && a < 1e7 {
		start := len(dst)
		dst = strconv.AppendFloat(dst, x, 'f', -1, 64)
		for _, c := range dst[start:] {
			if c == '.' {
				return dst
			}
		}
		return append(dst, '.', '0')
	}
	return appendExponent(dst, x)
}

// appendExponent appends d.dddE±n. Java wants two digits or more, the nearest.
func appendExponent(dst []byte, x float64) []byte {
	text := strconv.AppendFloat(nil, x, 'e', -1, 64)
	if digits(text) == 1 {
		text = strconv.AppendFloat(text[:0], x, 'e', 1, 64)
	}
	for i, c := range text {
		if c != 'e' {
			continue
		}
		exponent, _ := strconv.Atoi(string(text[i+1:]))
		dst = append(dst, text[:i]...)
		dst = append(dst, 'E')
		return strconv.AppendInt(dst, int64(exponent), 10)
	}
	return append(dst, text...)
}

// digits counts the digits before the exponent.
func digits(text []byte) int {
	n := 0
	for _, c := range text {
		if c == 'e' {
			break
		}
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n
}
