package recordbatch

import (
	"fmt"
	"io"

	"github.com/kafsck/kafsck/internal/blocks"
)

// judge finds out what is wrong at a position where no sound batch stands,
// and where the next one does. It reads on its own, so that the scan's buffers
// stay small whatever a damaged length claims.
type judge struct {
	r    io.ReaderAt
	end  int64
	base int64

	// What the last search found: from soundFrom on, the next sound batch
	// stands at soundAt (−1: none). It keeps the whole scan linear.
	soundFrom, soundAt int64
	// Up to here a series of plausible headers was followed already.
	chained int64
	chains  []brokenChain // see leadsOn
	// What was judged last; whatever is looked at lies behind it.
	position int64
	// How many bytes were read through for a checksum, see credit; and how many
	// for another look at what was judged, see settled.
	direct, again int64
	ranges        ranges
	buffer        []byte // for reading through
	window        []byte // of a search, in which others may read through
}

// forget drops what is known of bytes that have changed since.
func (j *judge) forget() {
	j.soundFrom, j.soundAt, j.chained, j.chains = -1, 0, 0, nil
	j.ranges = ranges{}
}

// at judges position. The item's batch is set, without Data, where its extent
// can be trusted although something is wrong with it.
func (j *judge) at(position int64) (Item, error) {
	j.position = position
	var header [maxHeader]byte
	left := j.end - position
	head := header[:min(left, maxHeader)]
	if err := blocks.ReadFull(j.r, head, position); err != nil {
		return Item{}, err
	}
	if zeros(head[:min(len(head), minHeader)]) == min(len(head), minHeader) {
		return j.zeroRun(position)
	}
	if left < LogOverhead+minMessageV0 {
		return region(position, j.end, ErrTornTail, "%d bytes are left", left), nil
	}
	var b Batch
	parseHeader(&b, head, position)
	switch {
	case b.Size-LogOverhead < smallestLength(b.Magic) && b.Size-LogOverhead < minLengthV2:
		return j.lostFraming(&b, head)
	case b.Size > left:
		return j.pastEnd(&b, head)
	}
	return j.badFrame(&b, head)
}

// zeroRun judges zero bytes at position.
func (j *judge) zeroRun(position int64) (Item, error) {
	from, err := j.firstNonZero(position)
	if err != nil {
		return Item{}, err
	}
	if from == j.end {
		return region(position, j.end, ErrZeroTail, "%d bytes", j.end-position), nil
	}
	// A batch begins with zeros of its own: those of a small base offset and
	// length, eleven at the most.
	sound, err := j.nextSound(max(position+1, from-11))
	if err != nil {
		return Item{}, err
	}
	switch {
	case sound < 0:
		return region(position, j.end, ErrGarbage, "%d zero bytes, then no batch to the end of the file", from-position), nil
	case sound <= from:
		return region(position, sound, ErrZeroHole, "%d bytes", sound-position), nil
	}
	return region(position, from, ErrZeroHole, "%d bytes", from-position), nil
}

// lostFraming judges a header whose length can't be right.
func (j *judge) lostFraming(b *Batch, head []byte) (Item, error) {
	end, _, err := j.goesOn(b.Position + 1)
	if err != nil {
		return Item{}, err
	}
	length := b.Size - LogOverhead
	cause, detail := ErrGarbage, fmt.Sprintf("%d bytes", end-b.Position)
	if looksLikeHeader(b, head) {
		cause, detail = ErrBadSize, fmt.Sprintf("length %d is below the smallest, %d", length, smallestLength(b.Magic))
		detail += j.rightLength(b, end)
	}
	return region(b.Position, end, cause, "%s", detail), nil
}

// pastEnd judges a batch that claims to end behind the end of the file.
func (j *judge) pastEnd(b *Batch, head []byte) (Item, error) {
	end, found, err := j.goesOn(b.Position + 1)
	if err != nil {
		return Item{}, err
	}
	length := b.Size - LogOverhead
	if !found {
		if plausible(b, head) || int64(len(head)) < maxHeader {
			item := region(b.Position, end, ErrTornTail, "a batch of %d bytes, of which %d are there", b.Size, end-b.Position)
			item.Err.Offset, item.Err.LastOffset = b.Offset, max(b.Offset, b.LastOffset())
			return item, nil
		}
		return region(b.Position, end, ErrGarbage, "%d bytes to the end of the file", end-b.Position), nil
	}
	if !looksLikeHeader(b, head) {
		return region(b.Position, end, ErrGarbage, "%d bytes", end-b.Position), nil
	}
	return region(b.Position, end, ErrBadSize, "length %d leads past the end of the file%s", length, j.rightLength(b, end)), nil
}

// badFrame judges a batch that fits into the file by its length, but whose
// checksum or magic isn't right.
func (j *judge) badFrame(b *Batch, head []byte) (Item, error) {
	if err := j.compute(b, b.Magic); err != nil {
		return Item{}, err
	}
	if b.isFormat() && b.CRC == b.ComputedCRC {
		// Sound, but too large to be loaded before that was known.
		b.Data = make([]byte, b.Size)
		return Item{Batch: *b}, blocks.ReadFull(j.r, b.Data, b.Position)
	}
	// The magic isn't under the checksum of a v2 batch: if that is right, the
	// magic is what is wrong.
	if proved, err := j.provesV2(b, head); err != nil || proved {
		if err != nil {
			return Item{}, err
		}
		magic := b.Magic
		computed, stored := b.ComputedCRC, b.CRC
		if magic < 2 {
			// Kafka would read this as a legacy message; what it is, the
			// checksum shows.
			head[MagicPosition] = 2
			parseHeader(b, head, b.Position)
			b.Magic, b.CRC, b.ComputedCRC, b.Checked = 2, stored, computed, true
		}
		return Item{Batch: *b, Err: batchError(b, ErrBadMagic, "magic %d, where the checksum is that of a v2 batch", magic)}, nil
	}
	if !b.isFormat() {
		return j.lostFraming(b, head)
	}
	return j.badChecksum(b, head)
}

// compute sets the checksum that the bytes of b have under the rule of magic.
func (j *judge) compute(b *Batch, magic int8) (err error) {
	p, start := covering(magic)
	b.ComputedCRC, err = j.checksum(p, b.Position+start, b.EndPosition())
	b.Checked = true
	return err
}

func region(from, to int64, cause error, detail string, args ...any) Item {
	return Item{Err: regionError(from, to, cause, detail, args...)}
}
