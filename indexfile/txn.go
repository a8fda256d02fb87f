package indexfile

import (
	"encoding/binary"
	"io"
)

// TxnEntry is an entry of a .txnindex: an aborted transaction whose abort
// marker is in the segment. Committed ones have none.
type TxnEntry struct {
	Version          int16 // TxnVersion
	ProducerID       int64
	FirstOffset      int64 // may lie in an earlier segment
	LastOffset       int64 // of the abort marker
	LastStableOffset int64 // once the marker was written
}

// AppendTxnEntry appends the 34 bytes of e to dst.
func AppendTxnEntry(dst []byte, e TxnEntry) []byte {
	dst = binary.BigEndian.AppendUint16(dst, uint16(e.Version))
	dst = binary.BigEndian.AppendUint64(dst, uint64(e.ProducerID))
	dst = binary.BigEndian.AppendUint64(dst, uint64(e.FirstOffset))
	dst = binary.BigEndian.AppendUint64(dst, uint64(e.LastOffset))
	return binary.BigEndian.AppendUint64(dst, uint64(e.LastStableOffset))
}

// ParseTxnEntry reads an entry from the start of src; false if src is shorter
// than one. Any 34 bytes are an entry.
func ParseTxnEntry(src []byte) (TxnEntry, bool) {
	if len(src) < TxnEntrySize {
		return TxnEntry{}, false
	}
	return parseTxn(src, 0), true
}

func parseTxn(b []byte, _ int64) TxnEntry {
	_ = b[TxnEntrySize-1]
	return TxnEntry{
		Version:          int16(binary.BigEndian.Uint16(b)),
		ProducerID:       int64(binary.BigEndian.Uint64(b[2:])),
		FirstOffset:      int64(binary.BigEndian.Uint64(b[10:])),
		LastOffset:       int64(binary.BigEndian.Uint64(b[18:])),
		LastStableOffset: int64(binary.BigEndian.Uint64(b[26:])),
	}
}

// TxnReader reads a .txnindex.
type TxnReader struct{ Reader[TxnEntry] }

// NewTxnReader reads size bytes of src as the .txnindex of the segment with
// this base offset. Nothing is read yet.
func NewTxnReader(src io.ReaderAt, size, baseOffset int64) *TxnReader {
	return &TxnReader{newReader(Txn, src, size, baseOffset, parseTxn)}
}

// CollectAborted appends to dst the aborted transactions that a fetch of the
// offsets from fetchOffset to upper-1 has to know, and says whether the list
// is complete: if not, the next segment's index is to be asked as well. There
// is no search: entries are read from the first on until one was written with
// a last stable offset ≥ upper (TransactionIndex.collectAbortedTxns).
//
// It stops with a [VersionError] where Kafka does; dst then has what came
// before.
func (r *TxnReader) CollectAborted(fetchOffset, upper int64, dst []TxnEntry) (txns []TxnEntry, complete bool, err error) {
	slot := 0
	for e, err := range r.Entries() {
		if err != nil {
			return dst, false, err
		}
		if e.Version != TxnVersion {
			return dst, false, &VersionError{File: r.File, Slot: slot, Version: e.Version}
		}
		if e.LastOffset >= fetchOffset && e.FirstOffset < upper {
			dst = append(dst, e)
		}
		if e.LastStableOffset >= upper {
			return dst, true, nil
		}
		slot++
	}
	return dst, false, nil
}
