package recordbatch

import (
	"bytes"
	"fmt"

	"github.com/kafsck/kafsck/internal/blocks"
)

const (
	judgeBuffer = 256 << 10
	// firstLook is read at first where something is searched for: mostly it is
	// near. Each further piece is twice as large, up to the buffer.
	firstLook = 4 << 10
	// lengthEnd is where the length of an entry ends. It is never zero, so an
	// entry begins with fewer zeros.
	lengthEnd = LogOverhead
)

// allocate makes the buffer for reading through a file, no larger than that.
func (j *judge) allocate() {
	if j.buffer == nil {
		j.buffer = make([]byte, min(judgeBuffer, j.end))
	}
}

var zeroBlock [4096]byte

// zeros is the number of zero bytes that b begins with.
func zeros(b []byte) int {
	n := 0
	for len(b)-n >= len(zeroBlock) && bytes.Equal(b[n:n+len(zeroBlock)], zeroBlock[:]) {
		n += len(zeroBlock)
	}
	for n < len(b) && b[n] == 0 {
		n++
	}
	return n
}

// firstNonZero is the position of the first byte from position on that isn't
// zero, or the end.
func (j *judge) firstNonZero(position int64) (int64, error) {
	j.allocate()
	look := int64(firstLook)
	for at := position; at < j.end; {
		part := j.buffer[:min(j.end-at, look, int64(len(j.buffer)))]
		look = min(2*look, judgeBuffer)
		if err := blocks.ReadFull(j.r, part, at); err != nil {
			return 0, err
		}
		if n := zeros(part); n < len(part) {
			return at + int64(n), nil
		}
		var err error
		if at, err = j.behindHole(at + int64(len(part))); err != nil {
			return 0, err
		}
	}
	return j.end, nil
}

// behindHole is the position behind a hole of the file at position, or position
// itself. It stays before the last byte, so that a file which has become shorter
// is noticed there.
func (j *judge) behindHole(position int64) (int64, error) {
	file, ok := j.r.(interface {
		NextData(position int64) (int64, error)
	})
	if !ok || position >= j.end {
		return position, nil
	}
	next, err := file.NextData(position)
	if err != nil {
		return 0, fmt.Errorf("look for data at position %d: %w", position, err)
	}
	return max(position, min(next, j.end-1)), nil
}

// header reads the header at position.
func (j *judge) header(position int64) (Batch, error) {
	var header [maxHeader]byte
	var b Batch
	head := header[:max(0, min(j.end-position, maxHeader))]
	if len(head) < minHeader {
		b.Magic = -1
		return b, nil
	}
	if err := blocks.ReadFull(j.r, head, position); err != nil {
		return b, err
	}
	parseHeader(&b, head, position)
	return b, nil
}

// soundAtPosition says whether a batch with a right checksum stands at
// position.
func (j *judge) soundAtPosition(position int64) (bool, error) {
	if position >= j.end {
		return false, nil
	}
	b, err := j.header(position)
	if err != nil || !j.fits(&b) {
		return false, err
	}
	if err := j.compute(&b, b.Magic); err != nil {
		return false, err
	}
	return b.CRC == b.ComputedCRC, nil
}

// fits says whether an entry has a known format and a length that it allows and
// the file holds.
func (j *judge) fits(b *Batch) bool {
	return b.isFormat() && b.Size <= j.end-b.Position
}

// nextSound is the first position from from on at which a plausible header has
// a matching checksum; −1 where there is none.
func (j *judge) nextSound(from int64) (int64, error) {
	if j.soundFrom >= 0 && from >= j.soundFrom && (j.soundAt < 0 || from <= j.soundAt) {
		return j.soundAt, nil
	}
	found, err := j.search(from)
	if err != nil {
		return 0, err
	}
	j.soundFrom, j.soundAt = from, found
	return found, nil
}

// goesOn is where the search from from on ends: at the next sound batch, or at
// the end where none is found.
func (j *judge) goesOn(from int64) (end int64, found bool, err error) {
	sound, err := j.nextSound(from)
	if sound < 0 {
		return j.end, false, err
	}
	return sound, true, err
}

// look is the window of a search, of n bytes.
func (j *judge) look(n int64) []byte {
	if int64(len(j.window)) < n {
		j.window = make([]byte, n)
	}
	return j.window[:n]
}

func (j *judge) search(from int64) (int64, error) {
	const overlap = maxHeader
	look := int64(firstLook)
	for at := from; at < j.end; {
		part := j.look(min(j.end-at, look))
		look = min(2*look, judgeBuffer)
		if err := blocks.ReadFull(j.r, part, at); err != nil {
			return 0, err
		}
		last := len(part) - overlap // candidates up to here have their header in the window
		if at+int64(len(part)) == j.end {
			last = len(part) - minHeader
		}
		for i := 0; i <= last; i++ {
			// The top byte of an offset and of a length is 0 up to 2^56 and
			// 2^24; only the sign is certain. The magic is what is rare.
			if part[i+MagicPosition] > 2 || part[i] >= 0x80 || part[i+8] >= 0x80 {
				continue
			}
			if part[i+9]|part[i+10]|part[i+11] == 0 {
				// No length ends in three zero bytes; on through the zeros.
				i += max(zeros(part[i+9:])-3, 0)
				continue
			}
			head := part[i:min(i+maxHeader, len(part))]
			var b Batch
			parseHeader(&b, head, at+int64(i))
			if b.Size > j.end-b.Position || !plausible(&b, head) || !j.inSegment(&b) {
				continue
			}
			if err := j.compute(&b, b.Magic); err != nil {
				return 0, err
			}
			if b.CRC == b.ComputedCRC {
				return b.Position, nil
			}
		}
		partEnd := at + int64(len(part))
		if partEnd == j.end {
			break
		}
		at += int64(last) + 1
		// Through zeros as through a hole: no batch begins before the last bytes
		// of them, see above.
		if zeros(part[last:]) == len(part)-last {
			behind, err := j.behindHole(partEnd)
			if err != nil {
				return 0, err
			}
			if behind > partEnd {
				at = max(at, behind-lengthEnd+1)
			}
		}
	}
	return -1, nil
}

// inSegment says whether the offset of b can be one of the segment: relative
// offsets have 31 bits.
func (j *judge) inSegment(b *Batch) bool {
	return j.base == 0 || (b.Offset >= j.base && b.Offset-j.base < 1<<31)
}
