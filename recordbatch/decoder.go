package recordbatch

import (
	"errors"
	"fmt"
	"io"
	"iter"
)

// MaxRecordSize bounds one record of a compressed batch, in bytes: so much
// may have to be held at once. A larger one is ErrDecompressLimit, which says
// "could not check", not "corrupt".
const MaxRecordSize = 64 << 20

// Decoder decodes the records of batches. It keeps its buffers and its
// decompressors from batch to batch, so that decoding allocates nothing. It is
// for one goroutine; the zero value is ready.
type Decoder struct {
	// DecompressLimit bounds what one batch may decompress to, in bytes; 0
	// stands for DefaultDecompressLimit.
	DecompressLimit int64

	decompressor Decompressor
	batch        *Batch
	record       Record
	err          error
	left         int32 // records of a v2 batch still to come
	ended        bool  // what follows the last record was looked at
	index        int

	// The window onto the records: plain bytes of a batch that isn't
	// compressed, or what is decompressed so far.
	window  []byte
	stream  bool  // more may come out of the decompressor
	broken  error // why no more comes, where that isn't the clean end
	buffer  []byte
	readAt  int // window = buffer[readAt:writeAt]
	writeAt int

	legacy legacyState
}

// Reset starts over on the records of b, whose Data must be there and stay as
// it is until the decoder moves on.
func (d *Decoder) Reset(b *Batch) {
	d.batch, d.err, d.index, d.left, d.ended = b, nil, -1, 0, false
	d.record = Record{}
	d.close()
	if b.IsLegacy() {
		d.resetLegacy()
		return
	}
	if int64(len(b.Data)) < HeaderSize {
		d.fail(ErrRecord, "the batch is shorter than its header")
		return
	}
	if b.Count < 0 {
		d.fail(ErrCount, "the header counts %d records", b.Count)
		return
	}
	d.left = b.Count
	payload := b.Data[HeaderSize:]
	if b.Count == 0 {
		if len(payload) > 0 {
			d.fail(ErrTrailingBytes, "%d bytes in a batch without records", len(payload))
		}
		return
	}
	d.open(b.Codec(), payload)
}

// close empties the window.
func (d *Decoder) close() {
	d.window, d.stream, d.broken, d.readAt, d.writeAt = nil, false, nil, 0, 0
}

// open points the window at a payload.
func (d *Decoder) open(codec Codec, payload []byte) {
	if codec == CodecNone {
		d.window = payload
		return
	}
	d.decompressor.Limit = d.DecompressLimit
	if err := d.decompressor.Reset(codec, d.batch.Magic, payload); err != nil {
		d.failWith(err)
		return
	}
	d.stream = true
}

// Next decodes the next record. It returns false at the end and at the first
// damage; Err tells which.
func (d *Decoder) Next() bool {
	if d.err != nil || d.batch == nil {
		return false
	}
	if d.batch.IsLegacy() {
		return d.nextLegacy()
	}
	if d.left == 0 {
		d.checkEnd()
		return false
	}
	d.index++
	length, ok := d.recordLength()
	if !ok {
		return false
	}
	body := d.take(int(length))
	if body == nil {
		return false
	}
	if err := parseRecord(&d.record, body, d.batch); err != nil {
		d.failWith(fmt.Errorf("%w: %w", ErrRecord, err))
		return false
	}
	d.left--
	return true
}

// recordLength reads the length that precedes a v2 record.
func (d *Decoder) recordLength() (int32, bool) {
	d.fill(5)
	if d.err != nil {
		return 0, false
	}
	if len(d.window) == 0 {
		d.fail(ErrCount, "the header counts %d records, %d are there", d.batch.Count, d.index)
		return 0, false
	}
	length, n := varint(d.window)
	if n <= 0 {
		cause := errShortRecord
		if n < 0 {
			cause = errLongVarint
		}
		d.failWith(fmt.Errorf("%w: %w", ErrRecord, cause))
		return 0, false
	}
	if length < 0 {
		d.fail(ErrRecord, "a record of %d bytes", length)
		return 0, false
	}
	d.advance(n)
	return length, true
}

// take returns the next n bytes as one slice and moves behind them; nil after
// an error.
func (d *Decoder) take(n int) []byte {
	d.fill(n)
	if d.err != nil {
		return nil
	}
	if len(d.window) < n {
		d.fail(ErrRecord, "a record of %d bytes where %d are left", n, len(d.window))
		return nil
	}
	b := d.window[:n:n]
	d.advance(n)
	return b
}

func (d *Decoder) advance(n int) {
	d.window = d.window[n:]
	d.readAt += n
}

// checkEnd looks behind the last record that the header counts, once the
// caller is done with that record. Kafka's iterator takes anything there for
// corruption. Where it decodes as more records, the count is what is wrong.
func (d *Decoder) checkEnd() {
	if d.ended || d.batch.Count == 0 {
		return
	}
	d.ended = true
	d.fill(1)
	if d.err != nil || len(d.window) == 0 {
		return
	}
	trailing := batchError(d.batch, ErrTrailingBytes, "behind %d records", d.batch.Count)
	more := 0
	for d.err == nil {
		d.fill(1)
		if d.err == nil && len(d.window) == 0 {
			d.fail(ErrCount, "the header counts %d records, %d are there", d.batch.Count, int(d.batch.Count)+more)
			return
		}
		length, ok := d.recordLength()
		if !ok {
			break
		}
		body := d.take(int(length))
		if body == nil {
			break
		}
		if err := parseRecord(&d.record, body, d.batch); err != nil {
			break
		}
		more++
	}
	d.err = trailing
}

const windowSize = 64 << 10

// fill sees to it that the window holds n bytes, unless the payload ends
// before. The buffer grows with what really comes out of the decompressor,
// never by n alone.
func (d *Decoder) fill(n int) {
	if len(d.window) >= n {
		return
	}
	if !d.stream {
		if d.broken != nil {
			d.failWith(d.broken)
		}
		return
	}
	if n > MaxRecordSize {
		d.fail(ErrDecompressLimit, "a record of %d bytes; the limit is %d", n, MaxRecordSize)
		return
	}
	if d.buffer == nil {
		d.buffer = make([]byte, windowSize)
	}
	if d.readAt > 0 {
		copy(d.buffer, d.buffer[d.readAt:d.writeAt])
		d.writeAt -= d.readAt
		d.readAt = 0
	}
	for d.writeAt < n && d.stream {
		if d.writeAt == len(d.buffer) {
			d.buffer = append(d.buffer, make([]byte, len(d.buffer))...)
		}
		got, err := d.decompressor.Read(d.buffer[d.writeAt:])
		d.writeAt += got
		if err == nil {
			continue
		}
		d.stream = false
		if !errors.Is(err, io.EOF) {
			d.broken = err
		}
	}
	d.window = d.buffer[:d.writeAt]
	if d.writeAt < n && d.broken != nil {
		d.failWith(d.broken)
	}
}

// Record is the record that Next decoded. It belongs to the decoder.
func (d *Decoder) Record() *Record { return &d.record }

// Err is what ended the records early: a *CorruptError, or nil where all of
// them were read.
func (d *Decoder) Err() error {
	if d.err == nil {
		return nil
	}
	return d.err
}

// Records yields the records of b, and at last the damage that ended them.
func (d *Decoder) Records(b *Batch) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		d.Reset(b)
		for d.Next() {
			if !yield(&d.record, nil) {
				return
			}
		}
		if d.err != nil {
			yield(nil, d.err)
		}
	}
}

func (d *Decoder) fail(cause error, detail string, args ...any) {
	e := batchError(d.batch, cause, detail, args...)
	e.Record = d.index
	d.err = e
}

func (d *Decoder) failWith(cause error) { d.fail(cause, "") }
