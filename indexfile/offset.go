package indexfile

import (
	"encoding/binary"
	"io"
	"math"
)

// OffsetEntry is an entry of an .index: the batch with Offset in it, or one
// behind, is found by scanning the .log from Position. Which offset of a
// batch it is depends on the Kafka that wrote it: the first one up to 1.1, the
// last one since 2.0 (of the batch, or of the whole append up to 4.0.0).
type OffsetEntry struct {
	Offset         int64 // base offset + RelativeOffset
	RelativeOffset int32 // as stored
	Position       int32 // bytes from the start of the .log
}

// NewOffsetEntry makes an entry, or gives [ErrOffsetOverflow] if the offset
// cannot be told relative to the base offset.
func NewOffsetEntry(baseOffset, offset int64, position int32) (OffsetEntry, error) {
	rel, ok := relative(baseOffset, offset)
	if !ok {
		return OffsetEntry{}, ErrOffsetOverflow
	}
	return OffsetEntry{Offset: offset, RelativeOffset: rel, Position: position}, nil
}

// AppendOffsetEntry appends the eight bytes of e to dst. What is stored is the
// relative offset; Offset is not looked at.
func AppendOffsetEntry(dst []byte, e OffsetEntry) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(e.RelativeOffset))
	return binary.BigEndian.AppendUint32(dst, uint32(e.Position))
}

// ParseOffsetEntry reads an entry from the start of src; false if src is
// shorter than one. Any eight bytes are an entry.
func ParseOffsetEntry(src []byte, baseOffset int64) (OffsetEntry, bool) {
	if len(src) < OffsetEntrySize {
		return OffsetEntry{}, false
	}
	return parseOffset(src, baseOffset), true
}

func parseOffset(b []byte, base int64) OffsetEntry {
	v := binary.BigEndian.Uint64(b)
	rel := int32(v >> 32)
	return OffsetEntry{Offset: base + int64(rel), RelativeOffset: rel, Position: int32(v)}
}

// relative is AbstractIndex.toRelative. The difference wraps around as Java's
// does.
func relative(baseOffset, offset int64) (int32, bool) {
	d := offset - baseOffset
	if d < 0 || d > math.MaxInt32 {
		return 0, false
	}
	return int32(d), true
}

// OffsetReader reads an .index.
type OffsetReader struct{ Reader[OffsetEntry] }

// NewOffsetReader reads size bytes of src as the .index of the segment with
// this base offset. Nothing is read yet.
func NewOffsetReader(src io.ReaderAt, size, baseOffset int64) *OffsetReader {
	return &OffsetReader{newReader(Offset, src, size, baseOffset, parseOffset)}
}

// Lookup finds the largest offset ≤ target among the first entries slots, as
// OffsetIndex.lookup does. A broker searches all [Reader.Slots] of a closed
// index, and the used ones ([Layout].Entries) of one that it is writing. The
// slots compared are appended to compared (nil is fine), which the result then
// holds.
func (r *OffsetReader) Lookup(target int64, entries int, compared []int32) (Search[OffsetEntry], error) {
	s, err := r.search(target, entries, largestLower, offsetKey, compared)
	return r.finish(s, OffsetEntry{Offset: r.base}, err)
}

// UpperBound finds the first entry behind a fetch of fetchSize bytes from
// position on (OffsetIndex.fetchUpperBoundOffset): the smallest position above
// their sum, or one equal to it if a midpoint of the search hits it. Slot -1 means that the next segment's base offset or
// the log end offset bounds the fetch. The sum wraps around at 2³¹, as it does
// in the broker. A broker asks this to know which aborted transactions belong
// to a fetch.
func (r *OffsetReader) UpperBound(position, fetchSize int32, entries int, compared []int32) (Search[OffsetEntry], error) {
	s, err := r.search(int64(position+fetchSize), entries, smallestUpper, positionKey, compared)
	return r.finish(s, OffsetEntry{Offset: r.base}, err)
}

func offsetKey(b []byte, base int64) int64   { return parseOffset(b, base).Offset }
func positionKey(b []byte, base int64) int64 { return int64(parseOffset(b, base).Position) }
