package recordbatch

import (
	"encoding/binary"
	"fmt"
)

// ControlType is the type in the key of a control record (ControlRecordType).
type ControlType int16

// The control record types that Kafka 4.4 knows.
const (
	ControlAbort          ControlType = 0
	ControlCommit         ControlType = 1
	ControlLeaderChange   ControlType = 2
	ControlSnapshotHeader ControlType = 3
	ControlSnapshotFooter ControlType = 4
	ControlKRaftVersion   ControlType = 5
	ControlKRaftVoters    ControlType = 6
)

// String is the type as Kafka spells it; UNKNOWN for the rest.
func (t ControlType) String() string {
	switch t {
	case ControlAbort:
		return "ABORT"
	case ControlCommit:
		return "COMMIT"
	case ControlLeaderChange:
		return "LEADER_CHANGE"
	case ControlSnapshotHeader:
		return "SNAPSHOT_HEADER"
	case ControlSnapshotFooter:
		return "SNAPSHOT_FOOTER"
	case ControlKRaftVersion:
		return "KRAFT_VERSION"
	case ControlKRaftVoters:
		return "KRAFT_VOTERS"
	}
	return "UNKNOWN"
}

// Control is a decoded control record.
//
//	key   = version (2), type (2)
//	value = of ABORT and COMMIT: version (2), coordinator epoch (4);
//	        of the KRaft types: a message of their own, left as bytes here
//
// Source: ControlRecordType, EndTransactionMarker.
type Control struct {
	Version          int16 // of the key
	Type             ControlType
	IsEndTransaction bool  // ABORT or COMMIT
	CoordinatorEpoch int32 // of an end-of-transaction marker
	Body             []byte
}

// ParseControl decodes a record of a control batch. Its error wraps
// ErrControl. An unknown type is no error: readers tolerate it.
func ParseControl(r *Record) (Control, error) {
	var c Control
	if len(r.Key) < 4 {
		return c, fmt.Errorf("%w: a key of %d bytes", ErrControl, r.KeySize())
	}
	c.Version = int16(binary.BigEndian.Uint16(r.Key))
	c.Type = ControlType(binary.BigEndian.Uint16(r.Key[2:]))
	c.Body = r.Value
	if c.Version < 0 {
		return c, fmt.Errorf("%w: key version %d", ErrControl, c.Version)
	}
	if c.Type != ControlAbort && c.Type != ControlCommit {
		return c, nil
	}
	c.IsEndTransaction = true
	if len(r.Value) < 6 {
		return c, fmt.Errorf("%w: a value of %d bytes", ErrControl, r.ValueSize())
	}
	if version := int16(binary.BigEndian.Uint16(r.Value)); version < 0 {
		return c, fmt.Errorf("%w: value version %d", ErrControl, version)
	}
	c.CoordinatorEpoch = int32(binary.BigEndian.Uint32(r.Value[2:]))
	return c, nil
}
