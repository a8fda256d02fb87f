package recovery

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/blocks"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/recordbatch"
)

const (
	firstWindow = 256 << 10 // small enough for a processor's cache
	maxWindow   = 16 << 20  // the largest batch held in memory as a whole
	// upToMagic is what the walk reads of an entry before it decides
	// (Records.HEADER_SIZE_UP_TO_MAGIC).
	upToMagic = recordbatch.MagicPosition + 1
	// minOverhead is the smallest length (LegacyRecord.RECORD_OVERHEAD_V0).
	minOverhead = 14
	// The checksum covers the rest of the entry from here on.
	crcFromLegacy, crcFromV2 = 16, 21
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// walker reads the entries of a log one after the other, as Kafka does.
type walker struct {
	r          io.ReaderAt
	end        int64
	file       string // as Kafka's messages name it
	version    kafkaversion.Version
	maxMessage int64 // of releases that limit it here; 0 none

	position int64 // of the next entry
	window   []byte
	from     int64          // position of the window's first byte
	ahead    *blocks.Reader // gives the windows where all of the log is read; else nil
	buffer   *blocks.Buffer // that the window lies in, then
	batch    recordbatch.Batch
	message  [recordbatch.HeaderSize]byte
	search   bool // for an offset: up to 0.10.1 something else than the walk of a recovery
	huge     bool // batch ends behind the file, which the release doesn't notice
}

// header moves to the entry at the current position and parses its header. ok
// is false at the end, which is silent: where position < end, the rest is no
// whole entry. A thrown error is CorruptRecordException.
func (w *walker) header() (ok bool, thrown *indexfile.KafkaError, err error) {
	// Sums of 32 bits overflow in these releases, and what is behind them seems
	// to be there (KAFKA-6292).
	wraps := !w.version.Before(0, 10, 2) && w.version.Before(1, 1, 1)
	w.huge = false
	needs := int64(upToMagic)
	if w.version.Before(0, 11) {
		needs = recordbatch.LogOverhead
	}
	if w.position >= w.end-needs {
		if wraps && w.position+needs > math.MaxInt32 {
			return false, unreadable("log header"), nil
		}
		return false, nil, nil
	}
	head, err := w.bytes(min(recordbatch.HeaderSize, w.end-w.position))
	if err != nil {
		return false, nil, err
	}
	b := &w.batch
	if len(head) <= upToMagic { // no whole entry, whatever it is
		*b = recordbatch.Batch{Position: w.position, Size: recordbatch.LogOverhead + int64(int32(binary.BigEndian.Uint32(head[8:])))}
	} else {
		recordbatch.ParseHeader(b, head, w.position)
	}
	if b.Magic > 1 && w.version.Before(0, 11) {
		// A message of another magic, with offset, checksum and timestamp where
		// a message has them.
		copy(w.message[:], head)
		w.message[recordbatch.MagicPosition] = 1
		recordbatch.ParseHeader(b, w.message[:len(head)], w.position)
	}
	length := b.Size - recordbatch.LogOverhead
	silent := w.version.Before(0, 10, 2)
	switch {
	case length < minOverhead && silent && w.search && !w.version.Before(0, 8, 1):
		return false, &indexfile.KafkaError{Class: classIllegalState, Message: fmt.Sprintf("Invalid message size: %d", length)}, nil
	case length < minOverhead && silent:
		return false, nil, nil
	case length < minOverhead && w.version.Before(2):
		return false, corrupt("Record size is smaller than minimum record overhead (%d).", minOverhead), nil
	case length < minOverhead:
		return false, corrupt("Found record size %d smaller than minimum record overhead (%d) in file %s.", length, minOverhead, w.file), nil
	case w.maxMessage > 0 && !silent && length > w.maxMessage:
		return false, corrupt("Record size exceeds the largest allowable message size (%d).", w.maxMessage), nil
	case b.Size > w.end-w.position && wraps && w.position+b.Size > math.MaxInt32:
		w.huge = true
	case b.Size > w.end-w.position:
		return false, nil, nil
	case w.maxMessage > 0 && length > w.maxMessage:
		return false, corrupt("Message size exceeds the largest allowable message size (%d).", w.maxMessage), nil
	}
	return true, nil, nil
}

// load reads the whole entry, as far as it is held in memory, and makes the
// check of ensureValid.
func (w *walker) load() (thrown *indexfile.KafkaError, err error) {
	b := &w.batch
	switch {
	case w.huge && b.Size > math.MaxInt32:
		return &indexfile.KafkaError{Class: classIllegalArgument}, nil
	case w.huge: // or a heap of that size, and the end of the file behind it
		return &indexfile.KafkaError{Class: classOutOfMemory, Message: "Java heap space"}, nil
	case b.Magic > 1 && b.Size < recordbatch.HeaderSize:
		return corrupt("Record batch is corrupt (the size %d is smaller than the minimum allowed overhead %d)", b.Size, recordbatch.HeaderSize), nil
	}
	if b.ComputedCRC, err = w.checksum(); err != nil {
		return nil, err
	}
	b.Checked = true
	if b.CRC != b.ComputedCRC {
		what := "Record"
		if w.version.Before(0, 10, 2) {
			what = "Message"
		}
		return corrupt("%s is corrupt (stored crc = %d, computed crc = %d)", what, b.CRC, b.ComputedCRC), nil
	}
	return nil, nil
}

// next goes behind the entry.
func (w *walker) next() { w.position += w.batch.Size }

// checksum computes the checksum of the entry, piece by piece where it is too
// large for the window; else it sets Data.
func (w *walker) checksum() (uint32, error) {
	b := &w.batch
	table, skip := castagnoli, int64(crcFromV2)
	if b.IsLegacy() {
		table, skip = crc32.IEEETable, crcFromLegacy
	}
	if b.Size <= maxWindow {
		data, err := w.bytes(b.Size)
		if err != nil {
			return 0, err
		}
		b.Data = data
		return crc32.Update(0, table, data[skip:]), nil
	}
	crc := uint32(0)
	piece := make([]byte, firstWindow)
	for at := b.Position + skip; at < b.EndPosition(); {
		piece = piece[:min(int64(len(piece)), b.EndPosition()-at)]
		if err := w.read(piece, at); err != nil {
			return 0, err
		}
		crc = crc32.Update(crc, table, piece)
		at += int64(len(piece))
	}
	return crc, nil
}

// errTooLarge is a batch of which the records are needed and which is larger
// than anything that is held in memory.
var errTooLarge = fmt.Errorf("a batch of more than %d bytes whose records have to be decoded", maxWindow)

// needData says whether Data is there, with an error where it isn't.
func (w *walker) needData() error {
	if w.batch.Data == nil {
		return fmt.Errorf("%s: position %d: %w", w.file, w.position, errTooLarge)
	}
	return nil
}

// bytes are n bytes from the current position on, which the file has. They
// are valid until the next call.
func (w *walker) bytes(n int64) ([]byte, error) {
	at := w.position - w.from
	if at >= 0 && at+n <= int64(len(w.window)) {
		return w.window[at : at+n : at+n], nil
	}
	var rest []byte
	if at >= 0 && at < int64(len(w.window)) {
		rest = w.window[at:]
	}
	var err error
	if w.ahead != nil {
		err = w.advance(rest, n)
	} else {
		err = w.fill(rest, n)
	}
	if err != nil {
		return nil, err
	}
	return w.window[:n:n], nil
}

// fill makes a window of n bytes or more at the current position, where the old
// one still has rest.
func (w *walker) fill(rest []byte, n int64) error {
	want := min(max(n, firstWindow), w.end-w.position)
	to := w.window[:cap(w.window)]
	if int64(len(to)) < want {
		to = make([]byte, want)
	}
	to = to[:min(int64(len(to)), w.end-w.position)]
	have := copy(to, rest)
	w.window = to[:0]
	if err := w.read(to[have:], w.position+int64(have)); err != nil {
		return err
	}
	w.window, w.from = to, w.position
	return nil
}

// advance does the same with blocks that are read while others are worked on.
func (w *walker) advance(rest []byte, n int64) error {
	w.window, w.from = rest, w.position
	for int64(len(w.window)) < n {
		block, err := w.ahead.Next(w.window, w.position, n)
		if err != nil {
			return fmt.Errorf("%s: %w", w.file, err)
		}
		w.buffer.Release()
		w.window, w.buffer = block.Data, block.Buffer
	}
	return nil
}

// close ends reading ahead.
func (w *walker) close() {
	w.ahead.Stop()
	w.buffer.Release()
	w.window, w.buffer = nil, nil
}

func (w *walker) read(data []byte, position int64) error {
	if err := blocks.ReadFull(w.r, data, position); err != nil {
		return fmt.Errorf("%s: %w", w.file, err)
	}
	return nil
}

// Classes that the walk throws.
const (
	classCorruptRecord  = "org.apache.kafka.common.errors.CorruptRecordException"
	classInvalidRecord  = "org.apache.kafka.common.InvalidRecordException"
	classInvalidOffset  = "org.apache.kafka.common.errors.InvalidOffsetException"
	classIllegalState   = "java.lang.IllegalStateException"
	classOutOfMemory    = "java.lang.OutOfMemoryError"
	classOffsetOverflow = "org.apache.kafka.storage.internals.log.LogSegmentOffsetOverflowException"
)

// unreadable is what a read behind the end of a file throws.
func unreadable(what string) *indexfile.KafkaError {
	return &indexfile.KafkaError{Class: classKafka, Message: "java.io.EOFException: Failed to read `" + what + "` from file channel"}
}

func corrupt(message string, args ...any) *indexfile.KafkaError {
	return &indexfile.KafkaError{Class: classCorruptRecord, Message: fmt.Sprintf(message, args...)}
}
