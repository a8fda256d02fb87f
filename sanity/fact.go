package sanity

import "github.com/kafsck/kafsck/recordbatch"

// fact is what the checks across batches keep of one sound batch: the header
// without the bytes.
type fact struct {
	position, end  int64
	base, last     int64 // offsets; base of a wrapper is that of its first message where that was decoded, else last
	lastRecord     int64 // offset of the last record, −1 unknown
	maxTimestamp   int64
	producerID     int64
	crc            uint32
	epoch          int32 // partition leader epoch
	baseSequence   int32
	lastSequence   int32
	offsetDelta    int32
	count          int32
	coordinator    int32 // coordinator epoch of an end-of-transaction marker
	marker         recordbatch.ControlType
	producerEpoch  int16
	magic          int8
	transactional  bool
	control        bool
	hasMarker      bool
	thinned        bool // fewer records than offsets: compaction was here
	lastDisproved  bool // the header's last offset is not to be relied on
	unopened       bool // a wrapper that was not decoded: its first offset isn't known
	doubtful       bool // its content is wrong, and its header may be
	suspectOffsets bool // the offsets contradict those of the batches around
}

func (f *fact) set(b *recordbatch.Batch, p *probe) {
	*f = fact{
		position: b.Position, end: b.EndPosition(),
		base: b.Offset, last: b.LastOffset(), lastRecord: p.last,
		maxTimestamp: b.MaxTimestamp, producerID: b.ProducerID, crc: b.CRC,
		epoch: b.PartitionLeaderEpoch, baseSequence: b.BaseSequence, lastSequence: b.LastSequence(),
		offsetDelta: b.LastOffsetDelta, count: b.Count,
		coordinator: p.coordinator, marker: p.marker, hasMarker: p.hasMarker,
		producerEpoch: b.ProducerEpoch, magic: b.Magic,
		transactional: b.IsTransactional(), control: b.IsControl(),
		lastDisproved: p.lastDisproved, doubtful: p.doubtful(),
	}
	if b.IsLegacy() {
		if p.first >= 0 {
			f.base = p.first
		} else {
			f.unopened = b.Codec() != recordbatch.CodecNone
		}
		return
	}
	f.thinned = int64(b.Count) <= int64(b.LastOffsetDelta)
	if f.last < f.base {
		f.last = f.base
	}
}

// doubtful says whether something inside of the batch is wrong in a way that
// lets its header be wrong as well.
func (o *probe) doubtful() bool {
	for i := range o.faults {
		if o.faults[i].Severity == Error {
			return true
		}
	}
	return false
}

// indexed says whether the offset is one that an index of any Kafka version may
// name for this batch: its first (up to 1.1), its last (since 2.0), or that of
// the last record that the cleaner left in it.
func (f *fact) indexed(offset int64) bool {
	return offset == f.last || offset == f.base || offset == f.lastRecord ||
		f.unopened && offset > f.base && offset < f.last
}
