package recordbatch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
)

// Record is one record of a batch, or one legacy message. Its slices belong
// to the decoder and are valid until its next step.
type Record struct {
	Offset    int64
	Timestamp int64 // epoch milliseconds; −1 none
	Sequence  int32 // −1 none
	Key       []byte
	Value     []byte
	HasKey    bool // false: the key is null, which differs from empty
	HasValue  bool // false: the value is null, a tombstone

	// HeaderCount and the raw headers of a v2 record; see Headers.
	HeaderCount int
	headers     []byte

	// Of a v0 or v1 message, inner or not: its own magic and checksum.
	Legacy      bool
	Magic       int8
	CRC         uint32
	ComputedCRC uint32
}

// Header is a header of a v2 record. The key is UTF-8 by Kafka's writers, but
// nothing guarantees it.
type Header struct {
	Key      []byte
	Value    []byte
	HasValue bool // false: the value is null
}

// KeySize is the size of the key in bytes, −1 for null.
func (r *Record) KeySize() int {
	if !r.HasKey {
		return -1
	}
	return len(r.Key)
}

// ValueSize is the size of the value in bytes, −1 for null.
func (r *Record) ValueSize() int {
	if !r.HasValue {
		return -1
	}
	return len(r.Value)
}

// Valid says whether a legacy message's own checksum is right; a v2 record
// has none and is always valid.
func (r *Record) Valid() bool { return !r.Legacy || r.CRC == r.ComputedCRC }

// Headers yields the record's headers in order. They were checked when the
// record was decoded.
func (r *Record) Headers() iter.Seq[Header] {
	return func(yield func(Header) bool) {
		rest := r.headers
		for range r.HeaderCount {
			h, n, err := parseRecordHeader(rest)
			if err != nil || !yield(h) {
				return
			}
			rest = rest[n:]
		}
	}
}

var (
	errShortRecord   = errors.New("the record ends too early")
	errLongVarint    = errors.New("a variable-length number has too many bytes")
	errRecordLeft    = errors.New("bytes are left behind the record's last field")
	errHeaderCount   = errors.New("wrong number of headers")
	errHeaderKeySize = errors.New("a header key has a negative size")
)

// takeVarint is varint as a step of a parser.
func takeVarint(b []byte, at *int) (int32, error) {
	if *at > len(b) {
		return 0, errShortRecord
	}
	v, n := varint(b[*at:])
	switch {
	case n > 0:
		*at += n
		return v, nil
	case n < 0:
		return 0, errLongVarint
	}
	return 0, errShortRecord
}

// takeBytes reads a length and so many bytes; present is false where the
// length is negative, which stands for null.
func takeBytes(b []byte, at *int) (value []byte, present bool, err error) {
	size, err := takeVarint(b, at)
	if err != nil {
		return nil, false, err
	}
	if size < 0 {
		return nil, false, nil
	}
	if int(size) > len(b)-*at {
		return nil, false, errShortRecord
	}
	value = b[*at : *at+int(size) : *at+int(size)]
	*at += int(size)
	return value, true, nil
}

func parseRecordHeader(b []byte) (h Header, n int, err error) {
	at := 0
	key, ok, err := takeBytes(b, &at)
	if err != nil {
		return h, 0, err
	}
	if !ok {
		return h, 0, errHeaderKeySize
	}
	h.Key = key
	h.Value, h.HasValue, err = takeBytes(b, &at)
	return h, at, err
}

// parseRecord decodes the body of a v2 record, which follows its length:
//
//	attributes (1), timestamp delta (varlong), offset delta (varint),
//	key length (varint) and key, value length (varint) and value,
//	header count (varint) and headers
//
// A negative key or value length is null. Source: DefaultRecord.readFrom.
func parseRecord(r *Record, body []byte, b *Batch) error {
	if len(body) < 1 {
		return errShortRecord
	}
	at := 1 // the attributes of a record are unused
	timestampDelta, n := varlong(body[at:])
	if n <= 0 {
		if n < 0 {
			return errLongVarint
		}
		return errShortRecord
	}
	at += n
	offsetDelta, err := takeVarint(body, &at)
	if err != nil {
		return err
	}
	r.Offset = b.Offset + int64(offsetDelta)
	if b.Attributes&logAppendTimeBit != 0 {
		r.Timestamp = b.MaxTimestamp
	} else {
		r.Timestamp = b.BaseTimestamp + timestampDelta
	}
	r.Sequence = -1
	if b.BaseSequence >= 0 {
		r.Sequence = AddSequence(b.BaseSequence, offsetDelta)
	}
	if r.Key, r.HasKey, err = takeBytes(body, &at); err != nil {
		return err
	}
	if r.Value, r.HasValue, err = takeBytes(body, &at); err != nil {
		return err
	}
	count, err := takeVarint(body, &at)
	if err != nil {
		return err
	}
	// A header takes at least two bytes; the count is a claim until then.
	if count < 0 || int(count) > len(body)-at {
		return fmt.Errorf("%w: %d", errHeaderCount, count)
	}
	r.HeaderCount = int(count)
	r.headers = body[at:]
	for range r.HeaderCount {
		_, n, err := parseRecordHeader(body[at:])
		if err != nil {
			return err
		}
		at += n
	}
	if at != len(body) {
		return fmt.Errorf("%w: %d", errRecordLeft, len(body)-at)
	}
	return nil
}

// parseMessage decodes the body of a v0 or v1 message, data[12:] of its
// entry:
//
//	crc (4), magic (1), attributes (1), [timestamp (8), v1],
//	key length (4) and key, value length (4) and value
//
// A negative length is null. Source: LegacyRecord.
func parseMessage(r *Record, message []byte) error {
	if len(message) < minMessageV0 {
		return errShortRecord
	}
	*r = Record{
		Offset: r.Offset, Timestamp: -1, Sequence: -1,
		Legacy: true, Magic: int8(message[4]),
		CRC:         binary.BigEndian.Uint32(message),
		ComputedCRC: crc32.ChecksumIEEE(message[legacyCRCStart-LogOverhead:]),
	}
	at := 6
	if r.Magic == 1 {
		if len(message) < minMessageV1 {
			return errShortRecord
		}
		r.Timestamp = int64(binary.BigEndian.Uint64(message[at:]))
		at += 8
	}
	var err error
	if r.Key, r.HasKey, at, err = takeSized(message, at); err != nil {
		return err
	}
	if r.Value, r.HasValue, at, err = takeSized(message, at); err != nil {
		return err
	}
	if at != len(message) {
		return fmt.Errorf("%w: %d", errRecordLeft, len(message)-at)
	}
	return nil
}

// takeSized reads a 4-byte length and so many bytes.
func takeSized(b []byte, at int) (value []byte, present bool, next int, err error) {
	if len(b)-at < 4 {
		return nil, false, at, errShortRecord
	}
	size := int(int32(binary.BigEndian.Uint32(b[at:])))
	at += 4
	if size < 0 {
		return nil, false, at, nil
	}
	if size > len(b)-at {
		return nil, false, at, errShortRecord
	}
	return b[at : at+size : at+size], true, at + size, nil
}
