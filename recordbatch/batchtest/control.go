package batchtest

// The types of control records.
const (
	ControlAbort          int16 = 0
	ControlCommit         int16 = 1
	ControlLeaderChange   int16 = 2
	ControlSnapshotHeader int16 = 3
	ControlSnapshotFooter int16 = 4
	ControlKRaftVersion   int16 = 5
	ControlKRaftVoters    int16 = 6
)

// ControlRecord returns a control record of any type, known or not. Its key
// is i16 version 0 and the i16 type.
func ControlRecord(controlType int16, value []byte) Record {
	return Record{Key: append16(append16(nil, int16(0)), controlType), Value: value}
}

// ControlBatch returns a batch without a producer whose records are control
// records, as KRaft writes them.
func ControlBatch(baseOffset, timestamp int64, records ...Record) Batch {
	return NewBatch(baseOffset, timestamp, records...).WithAttributes(AttrControl)
}

// Marker returns the batch that ends a transaction: 78 bytes, transactional
// and control bits, one record, no sequence. Its value is i16 version 0 and
// the i32 coordinator epoch.
func Marker(baseOffset, timestamp, producerID int64, producerEpoch int16, commit bool, coordinatorEpoch int32) Batch {
	controlType := ControlAbort
	if commit {
		controlType = ControlCommit
	}
	value := append32(append16(nil, int16(0)), coordinatorEpoch)
	return ControlBatch(baseOffset, timestamp, ControlRecord(controlType, value)).
		WithAttributes(AttrTransactional).
		WithProducer(producerID, producerEpoch, -1)
}

// SnapshotHeader is the value of a SnapshotHeaderRecord v0.
func SnapshotHeader(lastContainedLogTimestamp int64) []byte {
	return append(append64(append16(nil, int16(0)), lastContainedLogTimestamp), 0)
}

// SnapshotFooter is the value of a SnapshotFooterRecord v0.
func SnapshotFooter() []byte { return []byte{0, 0, 0} }

// KRaftVersion is the value of a KRaftVersionRecord v0.
func KRaftVersion(version int16) []byte {
	return append(append16(append16(nil, int16(0)), version), 0)
}

// LeaderChange is the value of a LeaderChangeMessage v0.
func LeaderChange(leader int32, voters, granting []int32) []byte {
	v := append32(append16(nil, int16(0)), leader)
	for _, ids := range [][]int32{voters, granting} {
		v = AppendUvarint(v, uint64(len(ids))+1) // compact array: length + 1
		for _, id := range ids {
			v = append(append32(v, id), 0)
		}
	}
	return append(v, 0)
}

// Voter is one voter of a KRaft quorum.
type Voter struct {
	ID          int32
	DirectoryID [16]byte
	Listener    string
	Host        string
	Port        uint16
}

// KRaftVoters is the value of a VotersRecord v0, for voters that support
// kraft.version 0 to 1.
func KRaftVoters(voters ...Voter) []byte {
	v := AppendUvarint(append16(nil, int16(0)), uint64(len(voters))+1)
	for _, voter := range voters {
		v = append(append32(v, voter.ID), voter.DirectoryID[:]...)
		v = AppendUvarint(v, 2) // one endpoint
		v = appendCompactString(v, voter.Listener)
		v = appendCompactString(v, voter.Host)
		v = append(append16(v, voter.Port), 0)
		v = append(append16(append16(v, int16(0)), int16(1)), 0) // min, max, no tags
		v = append(v, 0)
	}
	return append(v, 0)
}

func appendCompactString(dst []byte, s string) []byte {
	return append(AppendUvarint(dst, uint64(len(s))+1), s...)
}

// KRaftCheckpoint returns the batches of a KRaft snapshot file: a control
// batch with the header, the values as data batches, a control batch with the
// footer. Offsets are counted from 0 in the file; every batch has the
// snapshot's epoch.
func KRaftCheckpoint(epoch int32, timestamp int64, batches ...[][]byte) []Entry {
	entries := []Entry{
		ControlBatch(0, timestamp, ControlRecord(ControlSnapshotHeader, SnapshotHeader(timestamp))).WithEpoch(epoch),
	}
	next := int64(1)
	for _, values := range batches {
		records := make([]Record, len(values))
		for i, v := range values {
			records[i] = Record{Value: v}
		}
		b := NewBatch(next, timestamp, records...).WithEpoch(epoch)
		entries = append(entries, b)
		next = b.LastOffset() + 1
	}
	return append(entries,
		ControlBatch(next, timestamp, ControlRecord(ControlSnapshotFooter, SnapshotFooter())).WithEpoch(epoch))
}
