package message

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Error says why a message can't be read.
type Error struct {
	Position int    // bytes from the start of the message, about where reading stopped
	Kafka    string // what Kafka's reader throws: the text of its exception, "null" if it has none
	// TooLarge is set where Kafka might go on: the limit is the program's own.
	TooLarge bool
}

func (e *Error) Error() string {
	what := e.Kafka
	if what == underflow {
		what = "the bytes end inside a field"
	}
	return fmt.Sprintf("position %d: %s", e.Position, what)
}

// underflow is the text of java.nio.BufferUnderflowException, which has none.
const underflow = "null"

// UnknownVersionError says that a message is newer than the tables. It is no
// damage: only its bytes can be shown.
type UnknownVersionError struct {
	Type    string
	Version int16
}

func (e *UnknownVersionError) Error() string {
	return fmt.Sprintf("version %d of %s is not known", e.Version, e.Type)
}

// Limits of Kafka's readers.
const (
	maxString = math.MaxInt16
	maxItems  = 1_000_000
	maxTagged = 10_000
)

// reader takes values off a message. The first error stays, and everything
// after it reads as zero.
type reader struct {
	buf []byte
	pos int
	err *Error
}

func (r *reader) remaining() int { return len(r.buf) - r.pos }

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Position: r.pos, Kafka: fmt.Sprintf(format, args...)}
	}
}

func (r *reader) tooLarge() {
	r.fail("more than %d values in one message", maxValues)
	r.err.TooLarge = true
}

// take returns the next n bytes, or nil.
func (r *reader) take(n int) []byte {
	if r.err != nil {
		return nil
	}
	if n > r.remaining() {
		r.fail(underflow)
		return nil
	}
	b := r.buf[r.pos : r.pos+n : r.pos+n]
	r.pos += n
	return b
}

func (r *reader) int8() int8 {
	if b := r.take(1); b != nil {
		return int8(b[0])
	}
	return 0
}

func (r *reader) int16() int16 {
	if b := r.take(2); b != nil {
		return int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (r *reader) int32() int32 {
	if b := r.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (r *reader) int64() int64 {
	if b := r.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// uvarint reads an unsigned varint of at most 5 bytes into Java's int: what is
// above 31 bits is negative, what is above 32 is lost.
func (r *reader) uvarint() int32 {
	var n uint32
	for shift := 0; ; shift += 7 {
		b := r.take(1)
		if b == nil {
			return 0
		}
		if shift == 28 {
			n |= uint32(b[0]) << shift
			if b[0] >= 0x80 {
				r.fail("Varint is too long, the most significant bit in the 5th byte is set, converted value: %x", n)
				return 0
			}
			return int32(n)
		}
		n |= uint32(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			return int32(n)
		}
	}
}

// bytes reads n bytes as Kafka's readArray.
func (r *reader) bytes(n int32) []byte {
	switch {
	case r.err != nil:
		return nil
	case int64(n) > int64(r.remaining()):
		r.fail("Error reading byte array of %d byte(s): only %d byte(s) available", n, r.remaining())
		return nil
	case n < 0: // java.lang.NegativeArraySizeException
		r.fail("%d", n)
		return nil
	}
	return r.take(int(n))
}

// Uvarint reads an unsigned varint of at most 5 bytes from the start of b as
// Java's int, which is negative above 31 bits, and returns the bytes it took.
func Uvarint(b []byte) (n int32, size int, err error) {
	r := reader{buf: b}
	n = r.uvarint()
	if r.err != nil {
		return 0, 0, r.err
	}
	return n, r.pos, nil
}
