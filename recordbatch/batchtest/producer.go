package batchtest

import (
	"cmp"
	"hash/crc32"
	"maps"
	"slices"
)

// ProducerEntry is one producer in a .snapshot, 46 bytes on disk in this
// order.
type ProducerEntry struct {
	ProducerID            int64
	ProducerEpoch         int16
	LastSequence          int32 // -1 if known only from a marker
	LastOffset            int64 // likewise
	OffsetDelta           int32 // of the last batch
	Timestamp             int64 // of the last batch or marker
	CoordinatorEpoch      int32 // of the last marker, -1 if none
	CurrentTxnFirstOffset int64 // -1 if no transaction is open
}

// Snapshot returns a .snapshot file: i16 version 1, u32 CRC-32C of what
// follows it, i32 count, entries.
func Snapshot(entries ...ProducerEntry) []byte {
	dst := append32(append16(nil, int16(1)), uint32(0))
	dst = append32(dst, int32(len(entries)))
	for _, e := range entries {
		dst = append16(append64(dst, e.ProducerID), e.ProducerEpoch)
		dst = append64(append32(dst, e.LastSequence), e.LastOffset)
		dst = append64(append32(dst, e.OffsetDelta), e.Timestamp)
		dst = append64(append32(dst, e.CoordinatorEpoch), e.CurrentTxnFirstOffset)
	}
	FixSnapshotCRC(dst)
	return dst
}

// FixSnapshotCRC makes the CRC of a changed snapshot right again.
func FixSnapshotCRC(snapshot []byte) {
	be.PutUint32(snapshot[2:], crc32.Checksum(snapshot[6:], castagnoli))
}

// Producers is the producer state that a broker keeps while batches are
// appended (ProducerStateManager), and the aborted transactions it saw.
type Producers struct {
	entries map[int64]ProducerEntry
	Aborted []AbortedTxn
}

// Entries returns the state of every producer, by producer id.
func (p *Producers) Entries() []ProducerEntry {
	return slices.SortedFunc(maps.Values(p.entries), func(a, b ProducerEntry) int {
		return cmp.Compare(a.ProducerID, b.ProducerID)
	})
}

// Append updates the state with a batch that was appended to the log.
func (p *Producers) Append(b *Content) {
	if b.Magic < 2 || b.ProducerID < 0 {
		return
	}
	if p.entries == nil {
		p.entries = map[int64]ProducerEntry{}
	}
	e, known := p.entries[b.ProducerID]
	if !known {
		e = ProducerEntry{ProducerID: b.ProducerID, CoordinatorEpoch: -1, CurrentTxnFirstOffset: -1, ProducerEpoch: -1}
	}
	if b.ProducerEpoch > e.ProducerEpoch {
		e.LastSequence, e.LastOffset, e.OffsetDelta = -1, -1, 0
	}
	if b.Control() {
		if !p.end(&e, b) {
			return
		}
	} else {
		e.LastSequence, e.LastOffset = b.LastSequence, b.LastOffset
		e.OffsetDelta, e.Timestamp = int32(b.LastOffset-b.BaseOffset), b.MaxTimestamp
		if b.Transactional() && e.CurrentTxnFirstOffset < 0 {
			e.CurrentTxnFirstOffset = b.BaseOffset
		}
	}
	e.ProducerEpoch = b.ProducerEpoch
	p.entries[b.ProducerID] = e
}

// end applies a transaction marker; false for other control batches.
func (p *Producers) end(e *ProducerEntry, b *Content) bool {
	kind, ok := b.MarkerType()
	if !ok || kind != ControlAbort && kind != ControlCommit {
		return false
	}
	marker := b.Records[0]
	if first := e.CurrentTxnFirstOffset; first >= 0 && kind == ControlAbort {
		p.Aborted = append(p.Aborted, AbortedTxn{
			ProducerID: b.ProducerID, FirstOffset: first, LastOffset: marker.Offset,
			LastStableOffset: p.lastStable(b.ProducerID, marker.Offset+1),
		})
	}
	e.Timestamp, e.CurrentTxnFirstOffset = marker.Timestamp, -1
	e.CoordinatorEpoch = int32(be.Uint32(marker.Value[2:]))
	return true
}

// lastStable is the first offset of the oldest transaction that others than
// producerID have open, or next.
func (p *Producers) lastStable(producerID, next int64) int64 {
	for id, e := range p.entries {
		if id != producerID && e.CurrentTxnFirstOffset >= 0 {
			next = min(next, e.CurrentTxnFirstOffset)
		}
	}
	return next
}
