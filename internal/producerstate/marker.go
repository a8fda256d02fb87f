package producerstate

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/recordbatch"
)

// marker is an ABORT or COMMIT marker (EndTransactionMarker).
type marker struct {
	Aborted          bool
	CoordinatorEpoch int32
	Timestamp        int64 // of the record, epoch milliseconds
}

// decodeMarker decodes the marker of a control batch, whose Data must be
// there, as EndTransactionMarker.deserialize does: it looks at the first
// record only. ok is false where the batch has no records, because compaction
// removed the whole transaction. The error is an *indexfile.KafkaError.
func decodeMarker(b *recordbatch.Batch, d *recordbatch.Decoder, version kafkaversion.Version) (m marker, ok bool, err error) {
	if b.Count == 0 {
		return m, false, nil
	}
	if b.Count < 0 {
		return m, false, invalid("Found invalid record count %d in magic v%d batch", b.Count, b.Magic)
	}
	d.Reset(b)
	if !d.Next() {
		return m, false, recordFault(b, d.Err())
	}
	r := *d.Record()
	// Kafka's iterator looks for bytes behind the last record when it hands
	// that record out.
	if b.Count == 1 {
		m, err := parseMarker(&r, version)
		d.Next()
		if d.Err() != nil {
			return m, false, recordFault(b, d.Err())
		}
		return m, err == nil, err
	}
	m, err = parseMarker(&r, version)
	return m, err == nil, err
}

// parseMarker decodes key and value:
//
//	key   = version (2), type (2)
//	value = version (2), coordinator epoch (4)
//
// Since 4.1 a broker reads the value without looking at its size before. What
// it throws on a short one is not caught by a recovery, unlike earlier.
func parseMarker(r *recordbatch.Record, version kafkaversion.Version) (marker, error) {
	m := marker{Timestamp: r.Timestamp}
	if !r.HasKey {
		return m, &indexfile.KafkaError{Class: classNullPointer}
	}
	if len(r.Key) < 4 {
		return m, invalid("Invalid value size found for end control record key. Must have at least 4 bytes, but found only %d", len(r.Key))
	}
	if version := int16(binary.BigEndian.Uint16(r.Key)); version < 0 {
		return m, invalid("Invalid version found for control record: %d. May indicate data corruption", version)
	}
	kind := recordbatch.ControlType(binary.BigEndian.Uint16(r.Key[2:]))
	if kind != recordbatch.ControlAbort && kind != recordbatch.ControlCommit {
		return m, &indexfile.KafkaError{Class: classIllegalArgument, Message: fmt.Sprintf("Invalid control record type for end transaction marker %s", kind)}
	}
	m.Aborted = kind == recordbatch.ControlAbort
	if !r.HasValue {
		return m, &indexfile.KafkaError{Class: classNullPointer}
	}
	switch size := len(r.Value); {
	case size < 6 && version.Before(4, 1):
		return m, invalid("Invalid value size found for end transaction marker. Must have at least 6 bytes, but found only %d", size)
	case size >= 2 && int16(binary.BigEndian.Uint16(r.Value)) < 0:
		return m, invalid("Invalid version found for end transaction marker: %d. May indicate data corruption", int16(binary.BigEndian.Uint16(r.Value)))
	case size < 6:
		return m, &indexfile.KafkaError{Class: classBufferUnderflow}
	}
	m.CoordinatorEpoch = int32(binary.BigEndian.Uint32(r.Value[2:]))
	return m, nil
}

// recordFault is what Kafka throws where the record can't be decoded: one
// class, whatever is wrong, but for what lies in the compression.
func recordFault(b *recordbatch.Batch, err error) error {
	if !b.Codec().Valid() {
		return &indexfile.KafkaError{Class: classIllegalArgument, Message: fmt.Sprintf("Unknown compression type id: %d", b.Codec())}
	}
	if errors.Is(err, recordbatch.ErrDecompress) || errors.Is(err, recordbatch.ErrDecompressLimit) {
		return &indexfile.KafkaError{Class: classKafka, Message: "Failed to decompress record stream"}
	}
	var fault *recordbatch.CorruptError
	message := "Found invalid record structure"
	if errors.As(err, &fault) {
		message = fault.Detail
	}
	return invalid("%s", message)
}

func invalid(message string, args ...any) error {
	return &indexfile.KafkaError{Class: classInvalidRecord, Message: fmt.Sprintf(message, args...)}
}
