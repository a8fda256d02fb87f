package indexfile

import (
	"encoding/binary"
	"io"
)

// TimeEntry is an entry of a .timeindex: no record before the batch that
// holds Offset has a larger timestamp than Timestamp, and that batch has it.
type TimeEntry struct {
	Timestamp      int64 // milliseconds since 1970
	Offset         int64 // base offset + RelativeOffset
	RelativeOffset int32 // as stored
}

// NewTimeEntry makes an entry, or gives [ErrOffsetOverflow] if the offset
// cannot be told relative to the base offset.
func NewTimeEntry(baseOffset, timestamp, offset int64) (TimeEntry, error) {
	rel, ok := relative(baseOffset, offset)
	if !ok {
		return TimeEntry{}, ErrOffsetOverflow
	}
	return TimeEntry{Timestamp: timestamp, Offset: offset, RelativeOffset: rel}, nil
}

// AppendTimeEntry appends the twelve bytes of e to dst. What is stored is the
// relative offset; Offset is not looked at.
func AppendTimeEntry(dst []byte, e TimeEntry) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(e.Timestamp))
	return binary.BigEndian.AppendUint32(dst, uint32(e.RelativeOffset))
}

// ParseTimeEntry reads an entry from the start of src; false if src is shorter
// than one. Any twelve bytes are an entry.
func ParseTimeEntry(src []byte, baseOffset int64) (TimeEntry, bool) {
	if len(src) < TimeEntrySize {
		return TimeEntry{}, false
	}
	return parseTime(src, baseOffset), true
}

func parseTime(b []byte, base int64) TimeEntry {
	_ = b[TimeEntrySize-1]
	rel := int32(binary.BigEndian.Uint32(b[8:]))
	return TimeEntry{
		Timestamp:      int64(binary.BigEndian.Uint64(b)),
		Offset:         base + int64(rel),
		RelativeOffset: rel,
	}
}

// TimeReader reads a .timeindex.
type TimeReader struct{ Reader[TimeEntry] }

// NewTimeReader reads size bytes of src as the .timeindex of the segment with
// this base offset. Nothing is read yet.
func NewTimeReader(src io.ReaderAt, size, baseOffset int64) *TimeReader {
	return &TimeReader{newReader(Time, src, size, baseOffset, parseTime)}
}

// Lookup finds the largest timestamp ≤ target among the first entries slots,
// as TimeIndex.lookup does; see [OffsetReader.Lookup] for entries and
// compared.
func (r *TimeReader) Lookup(target int64, entries int, compared []int32) (Search[TimeEntry], error) {
	s, err := r.search(target, entries, largestLower, timestampKey, compared)
	return r.finish(s, TimeEntry{Timestamp: NoTimestamp, Offset: r.base}, err)
}

func timestampKey(b []byte, _ int64) int64 { return int64(binary.BigEndian.Uint64(b)) }
