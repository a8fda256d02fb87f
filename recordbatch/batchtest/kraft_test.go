package batchtest

import "testing"

// Offsets of a KRaft checkpoint are dense from 0, header first, footer last,
// and every batch has the epoch of the file's name.
func TestKRaftCheckpoint(t *testing.T) {
	s := NewSegment(0, KRaftCheckpoint(9, ts, [][]byte{[]byte("a"), []byte("b")}, [][]byte{[]byte("c")})...)
	batches := s.Layout.Batches
	next := int64(0)
	for i, b := range batches {
		if b.BaseOffset != next || b.LeaderEpoch != 9 {
			t.Errorf("batch %d: offset %d epoch %d, want %d and 9", i, b.BaseOffset, b.LeaderEpoch, next)
		}
		next = b.LastOffset + 1
	}
	first, _ := batches[0].MarkerType()
	last, _ := batches[len(batches)-1].MarkerType()
	if first != ControlSnapshotHeader || last != ControlSnapshotFooter || next != 5 {
		t.Errorf("begins with control type %d, ends with %d at %d", first, last, next)
	}
	franzAgrees(t, s)
}

// The layout of VotersRecord v0, field by field.
func TestKRaftVoters(t *testing.T) {
	v := Voter{ID: 1, DirectoryID: [16]byte{15: 0xee}, Listener: "C", Host: "h", Port: 9093}
	wantBytes(t, KRaftVoters(v),
		"00 00 02 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ee "+
			"02 02 43 02 68 23 85 00 00 00 00 01 00 00 00")
}
