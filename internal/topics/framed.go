package topics

import (
	"errors"
	"fmt"
	"math"

	"github.com/kafsck/kafsck/internal/message"
)

// framed decodes a record without a key, whose value is uvarint 1 (the version
// of this frame), uvarint type, uvarint version, message
// (AbstractApiMessageSerde).
func (d *Decoded) framed() {
	if d.RawValue == nil {
		d.fail("value", errNoValue, "%s", d.noValue())
		return
	}
	rest := d.RawValue
	var frame [3]int16
	for i, what := range []string{"frame version", "type", "version"} {
		n, size, err := message.Uvarint(rest)
		switch {
		case err != nil:
			d.fail("value", fmt.Errorf("%s: %w", what, err), "Error while reading %s", what)
			return
		case n > math.MaxInt16:
			d.fail("value", fmt.Errorf("%s %d is too large", what, n), "Value for %s was too large.", what)
			return
		}
		frame[i], rest = int16(n), rest[size:]
		if i == 0 && !d.knownFrame(frame[0]) {
			return
		}
	}
	d.TypeID, d.Version = frame[1], frame[2]
	t, ok := types[d.Topic][d.TypeID]
	if !ok {
		d.Err = &UnknownTypeError{d.TypeID}
		d.reason = fmt.Sprintf("org.apache.kafka.common.errors.UnsupportedVersionException: Unknown metadata id %d", d.TypeID)
		return
	}
	d.Type = t.name
	d.framedValue(t, rest)
}

func (d *Decoded) framedValue(t recordType, rest []byte) {
	m, n, err := t.value.Read(rest, d.Version)
	switch left := len(rest) - n; {
	case err != nil:
		d.fail("value", err, "Failed to deserialize record with type %d", d.TypeID)
	case left > 0:
		d.fail("value", fmt.Errorf("%d bytes are left over", left), "Found %d byte(s) of garbage after %d", left, d.TypeID)
	default:
		d.printed = &m
	}
	switch {
	case !t.value.Valid.Has(d.Version):
		d.Err = &message.UnknownVersionError{Type: t.name, Version: d.Version}
	case d.Err == nil:
		d.Value = &m
	}
}

func (d *Decoded) knownFrame(version int16) bool {
	cause := fmt.Errorf("frame version %d is not known", version)
	switch version {
	case 1:
		return true
	case 0:
		d.fail("value", errors.New("frame version 0, of the preview of 2.8, is not supported"), "Could not deserialize metadata record with frame version 0. "+
			"Note that upgrades from the preview release of KRaft in 2.8 to newer versions are not supported.")
	default:
		d.fail("value", cause, "Could not deserialize metadata record due to unknown frame version %d(only frame version 1 is supported)", version)
	}
	return false
}

// noValue is what Kafka's tool says of null.
func (d *Decoded) noValue() string {
	if d.Topic == ClusterMetadata {
		return "Error while reading frame version"
	}
	return `Cannot invoke "java.nio.ByteBuffer.remaining()" because the return value of "org.apache.kafka.common.record.internal.Record.value()" is null`
}
