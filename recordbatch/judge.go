package recordbatch

import (
	"fmt"
	"hash/crc32"
	"io"
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
	// How many bytes were read to prove what a length should be.
	probed int64
	buffer []byte
}

// at judges position. The item's batch is set, without Data, where its extent
// can be trusted although something is wrong with it.
func (j *judge) at(position int64) (Item, error) {
	var header [maxHeader]byte
	left := j.end - position
	head := header[:min(left, maxHeader)]
	if err := readFull(j.r, head, position); err != nil {
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
	sound, err := j.nextSound(b.Position + 1)
	if err != nil {
		return Item{}, err
	}
	end := sound
	if sound < 0 {
		end = j.end
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
	sound, err := j.nextSound(b.Position + 1)
	if err != nil {
		return Item{}, err
	}
	length := b.Size - LogOverhead
	if sound < 0 {
		if plausible(b, head) || int64(len(head)) < maxHeader {
			item := region(b.Position, j.end, ErrTornTail, "a batch of %d bytes, of which %d are there", b.Size, j.end-b.Position)
			item.Err.Offset, item.Err.LastOffset = b.Offset, max(b.Offset, b.LastOffset())
			return item, nil
		}
		return region(b.Position, j.end, ErrGarbage, "%d bytes to the end of the file", j.end-b.Position), nil
	}
	if !looksLikeHeader(b, head) {
		return region(b.Position, sound, ErrGarbage, "%d bytes", sound-b.Position), nil
	}
	return region(b.Position, sound, ErrBadSize, "length %d leads past the end of the file%s", length, j.rightLength(b, sound)), nil
}

// badFrame judges a batch that fits into the file by its length, but whose
// checksum or magic isn't right.
func (j *judge) badFrame(b *Batch, head []byte) (Item, error) {
	if err := j.compute(b, b.Magic); err != nil {
		return Item{}, err
	}
	if b.Magic >= 0 && b.Magic <= 2 && b.CRC == b.ComputedCRC && b.Size-LogOverhead >= smallestLength(b.Magic) {
		// Sound, but too large to be loaded before that was known.
		b.Data = make([]byte, b.Size)
		return Item{Batch: *b}, readFull(j.r, b.Data, b.Position)
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
	if b.Magic < 0 || b.Magic > 2 || b.Size-LogOverhead < smallestLength(b.Magic) {
		return j.lostFraming(b, head)
	}
	return j.badChecksum(b, head)
}

// badChecksum decides whether the length of a batch can be trusted although
// its checksum is wrong. A flipped bit in the length may lead to the start of
// another batch just as well.
func (j *judge) badChecksum(b *Batch, head []byte) (Item, error) {
	mismatch := fmt.Sprintf("stored %d, computed %d", b.CRC, b.ComputedCRC)
	whole := Item{Batch: *b, Err: batchError(b, ErrChecksum, "%s", mismatch)}
	sound, err := j.nextSound(b.Position + 1)
	if err != nil {
		return Item{}, err
	}
	end := sound
	if sound < 0 {
		end = j.end
	}
	if right := j.rightLength(b, end); right != "" {
		return region(b.Position, end, ErrBadSize, "length %d%s", b.Size-LogOverhead, right), nil
	}
	if sound >= 0 && sound < b.EndPosition() {
		hidden, err := j.hides(b, sound)
		if err != nil {
			return Item{}, err
		}
		if hidden {
			return region(b.Position, sound, ErrBadSize, "length %d leads into later batches", b.Size-LogOverhead), nil
		}
	}
	trusted, err := j.leadsOn(b.EndPosition())
	if err != nil || trusted {
		return whole, err
	}
	if sound < 0 {
		if plausible(b, head) {
			return whole, nil
		}
		return region(b.Position, j.end, ErrGarbage, "%d bytes to the end of the file", j.end-b.Position), nil
	}
	if !looksLikeHeader(b, head) {
		return region(b.Position, sound, ErrGarbage, "%d bytes", sound-b.Position), nil
	}
	item := region(b.Position, sound, ErrChecksum, "%s", mismatch)
	item.Err.Offset = b.Offset
	return item, nil
}

// hides says whether the sound batch at position inside, within the claimed
// extent of b, is one of the log's own rather than part of a record's value.
// Offsets tell: the log's own batches follow b and precede what stands behind
// it.
func (j *judge) hides(b *Batch, inside int64) (bool, error) {
	first, err := j.header(inside)
	if err != nil {
		return false, err
	}
	if first.Offset <= b.Offset {
		return false, nil
	}
	ok, err := j.soundAtPosition(b.EndPosition())
	if err != nil || !ok {
		return err == nil, err
	}
	after, err := j.header(b.EndPosition())
	if err != nil {
		return false, err
	}
	return first.Offset > b.LastOffset() && first.LastOffset() < after.Offset, nil
}

// leadsOn follows headers from position on, to the first sound batch, the end
// of the file, or zeros: then the lengths on the way are believed. So are many
// plausible headers in a row.
func (j *judge) leadsOn(position int64) (bool, error) {
	const manyHeaders = 64
	if position <= j.chained {
		return true, nil
	}
	at := position
	for range manyHeaders {
		if at == j.end {
			break
		}
		sound, err := j.soundAtPosition(at)
		if err != nil {
			return false, err
		}
		if sound {
			break
		}
		var header [maxHeader]byte
		head := header[:min(j.end-at, maxHeader)]
		if err := readFull(j.r, head, at); err != nil {
			return false, err
		}
		if zeros(head) == len(head) {
			break
		}
		if len(head) < minHeader {
			return false, nil
		}
		var b Batch
		parseHeader(&b, head, at)
		if !plausible(&b, head) || b.Size > j.end-at {
			return false, nil
		}
		at = b.EndPosition()
	}
	j.chained = at
	return true, nil
}

// rightLength says so where the checksum proves what the length should be.
func (j *judge) rightLength(b *Batch, end int64) string {
	probe := *b
	probe.Size = end - b.Position
	if probe.Size == b.Size || probe.Size > maxLoaded || b.Magic < 0 || b.Magic > 2 ||
		probe.Size-LogOverhead < smallestLength(b.Magic) {
		return ""
	}
	// As with the search: work stays in proportion to the file.
	if j.probed += probe.Size; j.probed > initialCredit/4+creditPerByte/4*b.Position {
		return ""
	}
	if err := j.compute(&probe, probe.Magic); err != nil || probe.CRC != probe.ComputedCRC {
		return ""
	}
	return fmt.Sprintf("; the checksum is right for %d", probe.Size-LogOverhead)
}

// looksLikeHeader is a weaker test than plausible: it leaves the length out.
func looksLikeHeader(b *Batch, head []byte) bool {
	probe := *b
	if b.Magic == 2 {
		probe.Size = LogOverhead + minLengthV2
		return plausible(&probe, head)
	}
	return (b.Magic == 0 || b.Magic == 1) && b.Offset >= 0 &&
		b.Attributes&^(codecMask|logAppendTimeBit) == 0 && b.Codec() <= CodecLZ4 && b.Offset < 1<<56
}

// provesV2 says whether the entry has the checksum of a v2 batch.
func (j *judge) provesV2(b *Batch, head []byte) (bool, error) {
	if b.Size < HeaderSize || len(head) < HeaderSize || b.Magic == 2 {
		return false, nil
	}
	probe := *b
	probe.CRC = uint32(head[17])<<24 | uint32(head[18])<<16 | uint32(head[19])<<8 | uint32(head[20])
	if err := j.compute(&probe, 2); err != nil {
		return false, err
	}
	if probe.CRC != probe.ComputedCRC {
		return false, nil
	}
	b.CRC, b.ComputedCRC, b.Checked = probe.CRC, probe.ComputedCRC, true
	return true, nil
}

// compute sets the checksum that the bytes of b have under the rule of magic.
func (j *judge) compute(b *Batch, magic int8) error {
	table, start := castagnoli, int64(crcStart)
	if magic < 2 {
		table, start = crc32.IEEETable, legacyCRCStart
	}
	j.allocate()
	b.ComputedCRC, b.Checked = 0, true
	for at := b.Position + start; at < b.EndPosition(); {
		part := j.buffer[:min(b.EndPosition()-at, int64(len(j.buffer)))]
		if err := readFull(j.r, part, at); err != nil {
			return err
		}
		b.ComputedCRC = crc32.Update(b.ComputedCRC, table, part)
		at += int64(len(part))
	}
	return nil
}

func region(from, to int64, cause error, detail string, args ...any) Item {
	return Item{Err: regionError(from, to, cause, detail, args...)}
}
