package statefile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// Layout of a producer snapshot. All integers are big-endian.
const (
	snapshotVersion    = 1
	snapshotCRCStart   = 6  // the CRC-32C covers everything from here on
	snapshotHeaderSize = 10 // i16 version, u32 CRC-32C, i32 number of entries
	snapshotEntrySize  = 46
)

// ProducerEntry is what a broker remembers of one producer id on a partition.
// Byte layout of an entry in the file (46 bytes):
//
//	 0 i64 producerId
//	 8 i16 producerEpoch
//	10 i32 lastSequence           -1: none
//	14 i64 lastOffset             -1: known from a transaction marker alone
//	22 i32 offsetDelta            last minus first offset of the last batch
//	26 i64 lastTimestamp          of the last batch or marker, epoch ms
//	34 i32 coordinatorEpoch       -1: no marker seen
//	38 i64 currentTxnFirstOffset  -1: no open transaction
//
// FirstSequence is not in the file: it is lastSequence − offsetDelta, wrapping
// below 0, and −1 where there is no batch.
type ProducerEntry struct {
	ProducerID            int64 `json:"producerId"`
	ProducerEpoch         int16 `json:"producerEpoch"`
	CoordinatorEpoch      int32 `json:"coordinatorEpoch"`
	CurrentTxnFirstOffset int64 `json:"currentTxnFirstOffset"`
	LastTimestamp         int64 `json:"lastTimestamp"`
	FirstSequence         int32 `json:"firstSequence"`
	LastSequence          int32 `json:"lastSequence"`
	LastOffset            int64 `json:"lastOffset"`
	OffsetDelta           int32 `json:"offsetDelta"`
}

// HasBatch says whether the entry knows a last batch. Where it does not, a
// broker ignores its sequence, offset and delta.
func (e *ProducerEntry) HasBatch() bool { return e.LastOffset >= 0 }

// InTransaction says whether the producer has a transaction open.
func (e *ProducerEntry) InTransaction() bool { return e.CurrentTxnFirstOffset >= 0 }

// SnapshotInfo is what a producer snapshot says about itself, and what it is.
type SnapshotInfo struct {
	Version     int16
	StoredCRC   uint32
	ComputedCRC uint32 // over the bytes from 6 to the end of the file
	Count       int32  // number of entries that the header claims
	// TrailingBytes lie behind the last entry. They count for the CRC, so a
	// broker takes a file that has them only if it was written that way.
	TrailingBytes int64
	// StaleTail says that the CRC is wrong over the whole file but right
	// without the trailing bytes: a shorter snapshot was written over a
	// longer one without truncating it.
	StaleTail bool
}

// ProducerSnapshot is a whole snapshot in memory. Entries are in file order,
// which is that of a hash map.
type ProducerSnapshot struct {
	SnapshotInfo
	Entries []ProducerEntry
}

// ReadProducerSnapshot reads a whole producer snapshot. Memory follows the
// entries that are there, not the number that is claimed. See
// ScanProducerSnapshot for the errors.
func ReadProducerSnapshot(r io.ReaderAt, size int64) (ProducerSnapshot, error) {
	var s ProducerSnapshot
	info, err := ScanProducerSnapshot(r, size, func(e ProducerEntry) error {
		s.Entries = append(s.Entries, e)
		return nil
	})
	s.SnapshotInfo = info
	return s, err
}

// MostPictured is the largest snapshot of which a picture is taken: that of
// 800,000 producers.
const MostPictured = 64 << 20

// PictureSnapshot reads size bytes of a producer snapshot into memory, at most
// MostPictured, and says whether nothing is wrong with them. A broker writes the
// file in place: of a picture, the entries are the ones that the checksum is of.
// The error is of reading.
func PictureSnapshot(r io.ReaderAt, size int64) (picture *bytes.Reader, n int64, whole bool, err error) {
	data, err := io.ReadAll(io.NewSectionReader(r, 0, min(size, MostPictured)))
	if err != nil {
		return nil, 0, false, err
	}
	picture, n = bytes.NewReader(data), int64(len(data))
	_, wrong := ScanProducerSnapshot(picture, n, func(ProducerEntry) error { return nil })
	return picture, n, wrong == nil, nil
}

// ScanProducerSnapshot reads a producer snapshot of size bytes in one pass
// (ProducerStateManager.readSnapshot) and calls visit for each whole entry.
// The checksum is known only at the end: entries of a file whose result is an
// error are what the file says, not what is true. An error of visit ends the
// scan and is returned as it is.
//
// Faults in the order of a broker's checks: too short for the version or
// another version than 1 (ErrSnapshotSize, ErrSnapshotVersion), too short for
// the header or for the entries claimed (ErrSnapshotSize), checksum
// (ErrSnapshotCRC). On each of them a broker deletes the file, takes the next
// older one and replays the log from there.
func ScanProducerSnapshot(r io.ReaderAt, size int64, visit func(ProducerEntry) error) (SnapshotInfo, error) {
	var info SnapshotInfo
	if size > maxSnapshotSize {
		return info, &Error{Position: -1, Kind: ErrTooLarge, Cause: fmt.Errorf("%d bytes, a broker reads at most %d", size, maxSnapshotSize)}
	}
	in := &snapshotReader{buf: bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 32<<10)}
	var head [snapshotHeaderSize]byte
	n, err := in.read(head[:])
	if err != nil {
		return info, err
	}
	if n >= 2 {
		if info.Version = int16(binary.BigEndian.Uint16(head[:])); info.Version != snapshotVersion {
			return info, snapshotFault(0, ErrSnapshotVersion, fmt.Errorf("%d, not %d", info.Version, snapshotVersion),
				fmt.Sprintf("Snapshot failed schema validation: Snapshot contained an unknown file version %d", info.Version))
		}
	}
	if n < snapshotHeaderSize {
		return info, snapshotFault(int64(n), ErrSnapshotSize, fmt.Errorf("%d bytes, the header alone has %d", n, snapshotHeaderSize), bufferUnderflow)
	}
	info.StoredCRC = binary.BigEndian.Uint32(head[2:])
	info.Count = int32(binary.BigEndian.Uint32(head[snapshotCRCStart:]))
	in.crc = crc32.Update(0, castagnoli, head[snapshotCRCStart:])

	whole, err := in.entries(info.Count, visit)
	if err != nil {
		return info, err
	}
	crcOfEntries := in.crc
	if err := in.drain(); err != nil {
		return info, err
	}
	info.ComputedCRC = in.crc
	end := snapshotHeaderSize + int64(whole)*snapshotEntrySize
	if whole < info.Count || info.Count < 0 {
		return info, shortSnapshot(info.Count, in.position)
	}
	info.TrailingBytes = in.position - end
	if info.StoredCRC == info.ComputedCRC {
		return info, nil
	}
	cause := fmt.Errorf("stored %d, computed %d", info.StoredCRC, info.ComputedCRC)
	if info.TrailingBytes > 0 {
		cause = fmt.Errorf("%w, %d bytes behind the last entry", cause, info.TrailingBytes)
		if info.StaleTail = info.StoredCRC == crcOfEntries; info.StaleTail {
			cause = fmt.Errorf("%w (right without them)", cause)
		}
	}
	return info, snapshotFault(2, ErrSnapshotCRC, cause,
		fmt.Sprintf("Snapshot is corrupt (CRC is no longer valid). Stored crc: %d. Computed crc: %d", info.StoredCRC, info.ComputedCRC))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const bufferUnderflow = "Snapshot failed schema validation: null"

// shortSnapshot is the fault of a file that ends, at position end, before its
// last entry does.
func shortSnapshot(count int32, end int64) *Error {
	message := bufferUnderflow
	remaining := end - snapshotHeaderSize
	switch {
	case count < 0:
		message = "Snapshot failed schema validation: non-nullable field producerEntries was serialized as null"
	case int64(count) > remaining:
		message = fmt.Sprintf("Snapshot failed schema validation: Tried to allocate a collection of size %d, but there are only %d bytes remaining.", count, remaining)
	}
	cause := fmt.Errorf("%d entries claimed, %d bytes behind the header hold %d", count, remaining, remaining/snapshotEntrySize)
	return snapshotFault(snapshotCRCStart, ErrSnapshotSize, cause, message)
}

func snapshotFault(position int64, kind, cause error, message string) *Error {
	return &Error{Position: position, Kind: kind, Cause: cause, broker: thrown("CorruptSnapshotException", message)}
}

// snapshotReader reads forward and keeps the position and the checksum.
type snapshotReader struct {
	buf      *bufio.Reader
	position int64
	crc      uint32
}

// read fills p or what of it the file still has.
func (s *snapshotReader) read(p []byte) (int, error) {
	n, err := io.ReadFull(s.buf, p)
	s.position += int64(n)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return n, &Error{Position: s.position, Kind: ErrRead, Cause: err}
	}
	return n, nil
}

// entries decodes up to count entries and returns how many were whole.
func (s *snapshotReader) entries(count int32, visit func(ProducerEntry) error) (whole int32, err error) {
	var b [snapshotEntrySize]byte
	for whole < count {
		n, err := s.read(b[:])
		s.crc = crc32.Update(s.crc, castagnoli, b[:n])
		if err != nil || n < len(b) {
			return whole, err
		}
		whole++
		if err := visit(decodeProducer(b[:])); err != nil {
			return whole, err
		}
	}
	return whole, nil
}

// drain takes the rest of the file into the checksum.
func (s *snapshotReader) drain() error {
	var b [4096]byte
	for {
		n, err := s.read(b[:])
		s.crc = crc32.Update(s.crc, castagnoli, b[:n])
		if err != nil || n < len(b) {
			return err
		}
	}
}

func decodeProducer(b []byte) ProducerEntry {
	e := ProducerEntry{
		ProducerID:            int64(binary.BigEndian.Uint64(b)),
		ProducerEpoch:         int16(binary.BigEndian.Uint16(b[8:])),
		LastSequence:          int32(binary.BigEndian.Uint32(b[10:])),
		LastOffset:            int64(binary.BigEndian.Uint64(b[14:])),
		OffsetDelta:           int32(binary.BigEndian.Uint32(b[22:])),
		LastTimestamp:         int64(binary.BigEndian.Uint64(b[26:])),
		CoordinatorEpoch:      int32(binary.BigEndian.Uint32(b[34:])),
		CurrentTxnFirstOffset: int64(binary.BigEndian.Uint64(b[38:])),
		FirstSequence:         -1,
	}
	if e.HasBatch() {
		e.FirstSequence = FirstSequence(e.LastSequence, e.OffsetDelta)
	}
	return e
}

// FirstSequence is the sequence number of the first record of a batch, by that
// of the last one and the number of records between them; behind 0 comes the
// largest (DefaultRecordBatch.decrementSequence).
func FirstSequence(last, delta int32) int32 {
	if last < delta {
		return math.MaxInt32 - (delta - last) + 1
	}
	return last - delta
}

// AppendProducerSnapshot appends the snapshot that a broker writes for the
// entries. FirstSequence is not stored.
func AppendProducerSnapshot(dst []byte, entries []ProducerEntry) []byte {
	start := len(dst)
	dst = binary.BigEndian.AppendUint16(dst, snapshotVersion)
	dst = binary.BigEndian.AppendUint32(dst, 0)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(entries)))
	for i := range entries {
		e := &entries[i]
		dst = binary.BigEndian.AppendUint64(dst, uint64(e.ProducerID))
		dst = binary.BigEndian.AppendUint16(dst, uint16(e.ProducerEpoch))
		dst = binary.BigEndian.AppendUint32(dst, uint32(e.LastSequence))
		dst = binary.BigEndian.AppendUint64(dst, uint64(e.LastOffset))
		dst = binary.BigEndian.AppendUint32(dst, uint32(e.OffsetDelta))
		dst = binary.BigEndian.AppendUint64(dst, uint64(e.LastTimestamp))
		dst = binary.BigEndian.AppendUint32(dst, uint32(e.CoordinatorEpoch))
		dst = binary.BigEndian.AppendUint64(dst, uint64(e.CurrentTxnFirstOffset))
	}
	crc := crc32.Checksum(dst[start+snapshotCRCStart:], castagnoli)
	binary.BigEndian.PutUint32(dst[start+2:], crc)
	return dst
}
