// Package messagetest writes messages of package message's schemas, for tests.
package messagetest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/kafsck/kafsck/internal/message"
)

// Generator writes random messages.
type Generator struct {
	*rand.Rand
	// Blobs, if it isn't nil, gives the values of Bytes fields.
	Blobs func(Generator) []byte
}

// Message appends a message of a schema and version. Every value is one that
// Kafka's own writer could have been given, tagged fields come or not, and now
// and then there is a tagged field that no schema knows.
func (g Generator) Message(dst []byte, s *message.Schema, version int16) []byte {
	return g.object(dst, s.Fields, version, s.Flexible.Has(version))
}

func (g Generator) object(dst []byte, fields []message.Field, version int16, flexible bool) []byte {
	var tagged []byte
	count := uint64(0)
	add := func(tag uint32, value []byte) {
		tagged = binary.AppendUvarint(tagged, uint64(tag))
		tagged = binary.AppendUvarint(tagged, uint64(len(value)))
		tagged = append(tagged, value...)
		count++
	}
	for i := range fields {
		f := &fields[i]
		switch {
		case !f.In.Has(version):
		case !f.Tagged.Has(version):
			dst = g.field(dst, f, version, flexible)
		case g.IntN(3) > 0:
			add(f.Tag, g.field(nil, f, version, flexible))
		}
	}
	if !flexible {
		return dst
	}
	if g.IntN(4) == 0 {
		add(1000+g.Uint32N(1000), g.bytes())
	}
	return append(binary.AppendUvarint(dst, count), tagged...)
}

func (g Generator) field(dst []byte, f *message.Field, version int16, flexible bool) []byte {
	null := f.Nullable.Has(version) && g.IntN(4) == 0
	switch {
	case f.Kind == message.Object && !f.Array && f.Nullable.Has(version):
		dst = presence(dst, null, f.Tagged.Has(version))
		if null {
			return dst
		}
	case null && f.Kind == message.String && !f.Array:
		return appendLength(dst, -1, 2, flexible)
	case null:
		return appendLength(dst, -1, 4, flexible)
	case f.Array:
		n := g.IntN(4)
		dst = appendLength(dst, n, 4, flexible)
		for range n {
			dst = g.value(dst, f, version, flexible)
		}
		return dst
	}
	return g.value(dst, f, version, flexible)
}

// presence is the mark before an object that may be null.
func presence(dst []byte, null, tagged bool) []byte {
	switch {
	case null && tagged:
		return append(dst, 0)
	case null:
		return append(dst, 0xff)
	}
	return append(dst, 1)
}

// appendLength appends a length of this many bytes, or compact.
func appendLength(dst []byte, n, size int, flexible bool) []byte {
	switch {
	case flexible:
		return binary.AppendUvarint(dst, uint64(n+1))
	case size == 2:
		return binary.BigEndian.AppendUint16(dst, uint16(n))
	}
	return binary.BigEndian.AppendUint32(dst, uint32(n))
}

func (g Generator) value(dst []byte, f *message.Field, version int16, flexible bool) []byte {
	n := g.number(f)
	switch f.Kind {
	case message.Bool:
		return append(dst, byte(n&1))
	case message.Int8:
		return append(dst, byte(n))
	case message.Int16, message.Uint16:
		return binary.BigEndian.AppendUint16(dst, uint16(n))
	case message.Int32, message.Uint32:
		return binary.BigEndian.AppendUint32(dst, uint32(n))
	case message.Int64:
		return binary.BigEndian.AppendUint64(dst, uint64(n))
	case message.Float64:
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(g.float()))
	case message.UUID:
		var id [16]byte
		if g.IntN(4) > 0 {
			binary.BigEndian.PutUint64(id[:], g.Uint64())
			binary.BigEndian.PutUint64(id[8:], g.Uint64())
		}
		return append(dst, id[:]...)
	case message.String:
		text := texts[g.IntN(len(texts))]
		return append(appendLength(dst, len(text), 2, flexible), text...)
	case message.Bytes:
		b := g.bytes()
		return append(appendLength(dst, len(b), 4, flexible), b...)
	}
	return g.object(dst, f.Fields, version, flexible)
}

// texts are strings with what JSON has to escape and what isn't UTF-8.
var texts = []string{
	"", "a", "consumer", "topic-1", "group.one_2", "ünïcödé", "日本", "\U0001f600", `"quoted\"`, "a/b", "\x00\x01\x1f\x7f",
	"line\nbreak\r\ttab\b\f", "\u2028\u0085", "\xff\xfe", "a\xc3", "\xe6\x97", "\xed\xa0\x80x", "\xf0\x9f\x98", "\xc0\x80",
}

func (g Generator) number(f *message.Field) int64 {
	switch g.IntN(6) {
	case 0:
		return f.Default
	case 1:
		return -1
	case 2:
		return 0
	case 3:
		return int64(g.Uint64())
	}
	return g.Int64N(100)
}

func (g Generator) float() float64 {
	switch g.IntN(4) {
	case 0:
		return []float64{0, 1, -1, 1024, 1048576, 1e7, 1e-3, 0.1, 1.0 / 3, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 100}[g.IntN(14)]
	case 1:
		return float64(g.Int64N(1 << 40))
	}
	return g.Float64() * 1e6
}

func (g Generator) bytes() []byte {
	if g.Blobs != nil && g.IntN(4) > 0 {
		return g.Blobs(g)
	}
	b := make([]byte, g.IntN(6))
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}
