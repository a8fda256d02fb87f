package batchtest

// The sizes of index entries in bytes.
const (
	IndexEntrySize     = 8
	TimeIndexEntrySize = 12
	TxnIndexEntrySize  = 34
)

// IndexEntry is an entry of an .index: a batch position and an offset. On
// disk: i32 offset relative to the segment's base, i32 position.
type IndexEntry struct {
	Offset   int64
	Position int64
}

// TimeEntry is an entry of a .timeindex: the largest timestamp up to an
// offset. On disk: i64 timestamp, i32 relative offset.
type TimeEntry struct {
	Timestamp int64
	Offset    int64
}

// AbortedTxn is an entry of a .txnindex. On disk: i16 version, four i64. The
// last offset is that of the abort marker.
type AbortedTxn struct {
	Version          int16
	ProducerID       int64
	FirstOffset      int64
	LastOffset       int64
	LastStableOffset int64
}

// AppendIndex appends entries of an .index. What does not fit into 32 bits
// is cut off, as in the old brokers whose relative offsets overflowed.
func AppendIndex(dst []byte, baseOffset int64, entries ...IndexEntry) []byte {
	for _, e := range entries {
		dst = append32(append32(dst, int32(e.Offset-baseOffset)), int32(e.Position))
	}
	return dst
}

// AppendTimeIndex appends entries of a .timeindex.
func AppendTimeIndex(dst []byte, baseOffset int64, entries ...TimeEntry) []byte {
	for _, e := range entries {
		dst = append32(append64(dst, e.Timestamp), int32(e.Offset-baseOffset))
	}
	return dst
}

// AppendTxnIndex appends entries of a .txnindex.
func AppendTxnIndex(dst []byte, entries ...AbortedTxn) []byte {
	for _, e := range entries {
		dst = append16(dst, e.Version)
		for _, v := range []int64{e.ProducerID, e.FirstOffset, e.LastOffset, e.LastStableOffset} {
			dst = append64(dst, v)
		}
	}
	return dst
}

// Preallocate pads an index with zeros to what a broker allocates for an
// active segment: as many whole entries as fit into maxSize.
func Preallocate(index []byte, entrySize, maxSize int) []byte {
	size := max(maxSize/entrySize*entrySize, len(index))
	return append(index[:len(index):len(index)], make([]byte, size-len(index))...)
}
