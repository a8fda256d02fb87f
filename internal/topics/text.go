package topics

import (
	"errors"
	"strconv"
)

// AppendKey appends what Kafka 4.4.0's dump tool prints behind "key: ", and
// says whether it prints a key at all. Of records that it can't decode it says
// so there.
func (d *Decoded) AppendKey(dst []byte) ([]byte, bool) {
	var unknown *UnknownTypeError
	switch {
	case d.Topic.unkeyed() || errors.Is(d.Err, ErrNoKey):
		return dst, false
	case errors.As(d.Err, &unknown):
		dst = append(dst, "Unknown record type "...)
		dst = strconv.AppendInt(dst, int64(unknown.TypeID), 10)
		dst = append(dst, " at offset "...)
		dst = strconv.AppendInt(dst, d.Offset, 10)
		return append(dst, ", skipping."...), true
	case d.Err != nil:
		return d.appendError(dst, "Error at offset "), true
	}
	dst = append(dst, `{"type":"`...)
	dst = strconv.AppendInt(dst, int64(d.TypeID), 10)
	dst = append(dst, `","data":`...)
	dst = d.Key.AppendJSON(dst)
	return append(dst, '}'), true
}

// AppendPayload appends what Kafka 4.4.0's dump tool prints behind "payload: ",
// and says whether it prints a payload at all.
func (d *Decoded) AppendPayload(dst []byte) ([]byte, bool) {
	switch d.Topic {
	case ClusterMetadata:
		return d.appendMetadata(dst), true
	case RemoteLogMetadata:
		return d.appendRemote(dst), true
	}
	switch {
	case d.Err != nil:
		return dst, false
	case d.RawValue == nil:
		return append(dst, "<DELETE>"...), true
	}
	dst = append(dst, `{"version":"`...)
	dst = strconv.AppendInt(dst, int64(d.Version), 10)
	dst = append(dst, `","data":`...)
	dst = d.appendValue(dst)
	return append(dst, '}'), true
}

func (t Topic) unkeyed() bool { return t == ClusterMetadata || t == RemoteLogMetadata }

func (d *Decoded) appendMetadata(dst []byte) []byte {
	if d.printed == nil {
		return d.appendError(dst, "Error at ")
	}
	dst = append(dst, `{"type":"`...)
	dst = append(dst, d.Type...)
	dst = append(dst, `","version":`...)
	dst = strconv.AppendInt(dst, int64(d.Version), 10)
	dst = append(dst, `,"data":`...)
	dst = d.printed.AppendJSON(dst)
	return append(dst, '}')
}

func (d *Decoded) appendError(dst []byte, start string) []byte {
	dst = append(dst, start...)
	dst = strconv.AppendInt(dst, d.Offset, 10)
	dst = append(dst, ", skipping. "...)
	return append(dst, d.reason...)
}
