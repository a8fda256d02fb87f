package recordbatch

import (
	"bytes"

	"github.com/kafsck/kafsck/internal/blocks"
)

// settleTries is how often a position is judged anew because its header
// changed meanwhile. A batch is written at once: twice is much already.
const settleTries = 4

// againCredit is how many bytes a scan reads anew in any case to make sure that
// what it judged was not a batch on its way. More is granted with the position,
// as for what is read through at first.
const againCredit = 64 << 20

// settled judges position as at does, but minds that a broker may append to the
// file meanwhile: into the zeros of a preallocated segment, or to the batch that
// is torn at the end. What the scan saw as zeros, or as half a batch, is a batch
// a moment later. Batches are written one behind the other (FileRecords.append):
// what is behind position has not changed as long as position itself has not.
func (j *judge) settled(position int64) (Item, error) {
	var before, after [maxHeader]byte
	n := min(j.end-position, maxHeader)
	for try := 1; ; try++ {
		if err := blocks.ReadFull(j.r, before[:n], position); err != nil {
			return Item{}, err
		}
		item, err := j.at(position)
		if err != nil || item.Err == nil || try == settleTries {
			return item, err
		}
		if err := blocks.ReadFull(j.r, after[:n], position); err != nil {
			return Item{}, err
		}
		if bytes.Equal(before[:n], after[:n]) {
			sound, err := j.soundNow(after[:n], position)
			if err != nil || !sound {
				return item, err
			}
		}
		// What was searched was not yet what is there now.
		j.forget()
	}
}

// soundNow says whether the entry with this header at position is sound by what
// the file holds now, whatever was read of it before. That may be left out where
// the credit is used up: a log with so much in it that looks like damage isn't
// one that a broker is just writing to.
func (j *judge) soundNow(head []byte, position int64) (bool, error) {
	if len(head) < minHeader {
		return false, nil
	}
	var b Batch
	parseHeader(&b, head, position)
	if !j.fits(&b) || j.again+b.Size > againCredit+directPerByte*position {
		return false, nil
	}
	j.again += b.Size
	p, start := covering(b.Magic)
	crc, err := j.through(p, position+start, b.EndPosition())
	return crc == b.CRC, err
}
