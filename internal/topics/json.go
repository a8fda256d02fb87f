package topics

import (
	"encoding/base64"
	"strconv"

	"github.com/kafsck/kafsck/internal/message"
)

// AppendJSON appends the record as an object with type, typeId, version, key,
// value and error. Key and value are objects with the fields of Kafka's JSON, null
// where there is none, and base64 with a keyEncoding or valueEncoding beside it
// where they can't be decoded.
func (d *Decoded) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, d.Type...)
	dst = append(dst, `","typeId":`...)
	dst = appendNumber(dst, d.TypeID, d.TypeID == -1)
	dst = append(dst, `,"version":`...)
	dst = appendNumber(dst, d.Version, d.Version == -1)
	dst = append(dst, `,"key":`...)
	if d.Key != nil {
		dst = d.Key.AppendJSON(dst)
	} else {
		dst = appendRaw(dst, d.RawKey, "key")
	}
	dst = append(dst, `,"value":`...)
	switch {
	case d.Value == nil:
		dst = appendRaw(dst, d.RawValue, "value")
	default:
		dst = d.appendValue(dst)
	}
	dst = append(dst, `,"error":`...)
	if d.Err == nil {
		dst = append(dst, "null"...)
	} else {
		dst = message.AppendString(dst, []byte(d.Err.Error()))
	}
	return append(dst, '}')
}

func appendNumber(dst []byte, n int16, absent bool) []byte {
	if absent {
		return append(dst, "null"...)
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

func appendRaw(dst, b []byte, what string) []byte {
	if b == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	dst = append(dst, `","`...)
	dst = append(dst, what...)
	return append(dst, `Encoding":"base64"`...)
}
