package recovery

import (
	"fmt"
	"io"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/recordbatch"
)

// Headers walks the headers of a log exactly as a broker does that looks for an
// offset or reads the last batch (FileRecords.batchesFrom): it takes lengths
// and magics as they are and computes no checksum. It is for one goroutine.
type Headers struct {
	w    walker
	size int64
}

// NewHeaders walks from position from up to position to of a file of size
// bytes, as a broker walks the part of a log that it reads (FileRecords.slice).
func NewHeaders(r io.ReaderAt, size, from, to int64, file string, version kafkaversion.Version) *Headers {
	h := &Headers{w: walker{r: r, end: to, file: file, version: version, position: from}, size: size}
	return h
}

// Search makes the walk that of a broker that looks for an offset.
func (h *Headers) Search() { h.w.search = true }

// Next returns the next batch, or nil at the end. The batch is valid until the
// next call. thrown is what the broker throws here, err is about reading; both
// end the walk.
func (h *Headers) Next() (b *recordbatch.Batch, thrown *indexfile.KafkaError, err error) {
	if h.w.position < 0 {
		return nil, &indexfile.KafkaError{Class: classIllegalArgument, Message: "Negative position"}, nil
	}
	ok, thrown, err := h.w.header()
	if !ok || thrown != nil || err != nil {
		return nil, thrown, err
	}
	b = &h.w.batch
	if left := h.size - b.Position; !b.IsLegacy() && left < recordbatch.HeaderSize {
		return nil, &indexfile.KafkaError{Class: classKafka, Message: fmt.Sprintf(
			"Failed to load record batch at position %d from %s", b.Position, h.w.file)}, nil
	}
	h.w.next()
	return b, nil, nil
}

// Position is where the next batch begins: where Next threw, if it did.
func (h *Headers) Position() int64 { return h.w.position }

// Load reads the whole of the batch that Next returned, so that its records
// can be decoded.
func (h *Headers) Load() error {
	b := &h.w.batch
	if b.Size > maxWindow {
		return h.w.needData()
	}
	after := h.w.position
	h.w.position = b.Position
	data, err := h.w.bytes(b.Size)
	h.w.position = after
	b.Data = data
	return err
}

const classIllegalArgument = "java.lang.IllegalArgumentException"
