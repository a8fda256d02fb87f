package recordbatch

import (
	"fmt"
)

// badChecksum decides whether the length of a batch can be trusted although
// its checksum is wrong. A flipped bit in the length may lead to the start of
// another batch just as well.
func (j *judge) badChecksum(b *Batch, head []byte) (Item, error) {
	mismatch := fmt.Sprintf("stored %d, computed %d", b.CRC, b.ComputedCRC)
	whole := Item{Batch: *b, Err: batchError(b, ErrChecksum, "%s", mismatch)}
	end, found, err := j.goesOn(b.Position + 1)
	if err != nil {
		return Item{}, err
	}
	if right := j.rightLength(b, end); right != "" {
		return region(b.Position, end, ErrBadSize, "length %d%s", b.Size-LogOverhead, right), nil
	}
	if found && end < b.EndPosition() {
		hidden, err := j.hides(b, end)
		if err != nil {
			return Item{}, err
		}
		if hidden {
			return region(b.Position, end, ErrBadSize, "length %d leads into later batches", b.Size-LogOverhead), nil
		}
	}
	trusted, err := j.leadsOn(b.EndPosition())
	if err != nil || trusted {
		return whole, err
	}
	if !found {
		if plausible(b, head) {
			return whole, nil
		}
		return region(b.Position, end, ErrGarbage, "%d bytes to the end of the file", end-b.Position), nil
	}
	if !looksLikeHeader(b, head) {
		return region(b.Position, end, ErrGarbage, "%d bytes", end-b.Position), nil
	}
	item := region(b.Position, end, ErrChecksum, "%s", mismatch)
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

// rightLength says so where the checksum proves what the length should be.
func (j *judge) rightLength(b *Batch, end int64) string {
	probe := *b
	probe.Size = end - b.Position
	if probe.Size == b.Size || probe.Size > maxLoaded || !probe.isFormat() {
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
