package salvage

import (
	"errors"

	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// logFile is a source.
type logFile struct {
	path string
	base int64 // from its name
	// named says that the name is that of a segment; base is 0 otherwise.
	named bool
	// number is its place among the files of its replica.
	number int
}

// candidate is an intact batch, held until it is kept or left.
type candidate struct {
	span
	batch   recordbatch.Batch
	records int64
	log     *logFile
	stream  *stream
	moved   bool
	// afterLoss: what stood before it in the file, or in the file before, is
	// damaged.
	afterLoss bool
	chunk     *heldChunk
}

func (c *candidate) release() { c.chunk.release() }

// heldChunk gives a chunk back when its last batch is done with.
type heldChunk struct {
	chunk *recordbatch.Chunk
	users int
}

func (h *heldChunk) release() {
	if h.users--; h.users == 0 {
		h.chunk.Release()
	}
}

// undecodable is an intact batch whose records can't be decoded all.
func undecodable(c *candidate, err error) *Left {
	l := &Left{
		File: c.log.path, Position: c.batch.Position, EndPosition: c.batch.EndPosition(),
		FirstOffset: Offset(c.first), LastOffset: Offset(c.last), Batches: 1, Records: c.records,
		Reason: string(sanity.RecordMalformed), Message: err.Error(),
	}
	var fault *recordbatch.CorruptError
	if errors.As(err, &fault) {
		finding := sanity.FromCorrupt(fault)
		l.Reason, l.Message = string(finding.Code), finding.Message
	}
	return l
}
