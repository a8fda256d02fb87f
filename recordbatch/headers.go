package recordbatch

import (
	"errors"
	"io"
	"iter"

	"github.com/kafsck/kafsck/internal/blocks"
)

const (
	minHeaderRead = 4 << 10
	maxHeaderRead = 256 << 10
)

// Headers walks the entries of a log from position from on, which is the
// start of one, reading hardly more than their headers: what lies between is
// skipped where it is large, and read along where it is small. Nothing is
// verified but what the walk needs: a known magic, and a length that the
// format allows and the file holds. Batches come without Data and are valid
// until the next step.
//
// The walk ends where it can't tell the next entry: a *CorruptError says where
// and why, as far as that is known without a search (a Scanner from there on
// knows more, and goes on behind the damage). Any other error is of reading.
// Source: FileLogInputStream.nextBatch.
func Headers(r io.ReaderAt, size, from int64) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		w := headerWindow{r: r, size: size, want: minHeaderRead}
		var b Batch
		for position := from; position < size; position = b.EndPosition() {
			head, err := w.at(position)
			if err != nil {
				yield(nil, err)
				return
			}
			if damage := frame(&b, head, position, size); damage != nil {
				yield(nil, damage)
				return
			}
			if !yield(&b, nil) {
				return
			}
		}
	}
}

// frame parses the header at position and says what keeps a walk from going
// on behind the batch.
func frame(b *Batch, head []byte, position, size int64) *CorruptError {
	if len(head) >= LogOverhead && zeros(head) == len(head) {
		return regionError(position, size, ErrZeroTail, "zero bytes where a batch should begin")
	}
	if len(head) < minHeader {
		return regionError(position, size, ErrTornTail, "%d bytes are left", len(head))
	}
	parseHeader(b, head, position)
	length := b.Size - LogOverhead
	switch {
	case b.Magic < 0 || b.Magic > 2:
		return regionError(position, size, ErrBadMagic, "magic %d", b.Magic)
	case length < smallestLength(b.Magic):
		return regionError(position, size, ErrBadSize, "length %d is below the smallest, %d", length, smallestLength(b.Magic))
	case b.Size > size-position:
		e := regionError(position, size, ErrTornTail, "a batch of %d bytes, of which %d are there", b.Size, size-position)
		e.Offset, e.LastOffset = b.Offset, max(b.Offset, b.LastOffset())
		return e
	}
	return nil
}

// headerWindow is a piece of the file in memory. It grows as long as headers
// stand close together and shrinks where they don't.
type headerWindow struct {
	r      io.ReaderAt
	size   int64
	start  int64 // position of bytes[0]
	bytes  []byte
	buffer []byte
	want   int // bytes to read next
	served int // headers found in the window
}

// at returns the header at position: as much of it as there is.
func (w *headerWindow) at(position int64) ([]byte, error) {
	need := min(maxHeader, w.size-position)
	if at := position - w.start; at >= 0 && at+need <= int64(len(w.bytes)) {
		w.served++
		return w.bytes[at : at+need], nil
	}
	switch {
	case w.served >= 8:
		w.want = min(2*w.want, maxHeaderRead)
	case w.served < 2:
		w.want = max(w.want/2, minHeaderRead)
	}
	n := min(int64(w.want), w.size-position)
	if int64(cap(w.buffer)) < n {
		w.buffer = make([]byte, n)
	}
	w.bytes, w.start, w.served = nil, position, 1
	if err := blocks.ReadFull(w.r, w.buffer[:n], position); err != nil {
		return nil, err
	}
	w.bytes = w.buffer[:n]
	return w.bytes[:need], nil
}

// Headers yields the same batches as Batches, by their headers alone, as the
// function Headers does: no checksum is computed, and damage inside of batches
// is not seen. Where the framing breaks it scans as Batches does, up to the
// next sound batch, and walks on from there; the damage met on the way comes
// as *CorruptError. Any other error is of reading and ends the walk.
func (s *Scanner) Headers() iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		for from := s.options.From; from < s.end; {
			lost := int64(-1)
			for b, err := range Headers(s.r, s.end, from) {
				if e, ok := errors.AsType[*CorruptError](err); ok {
					lost = e.Position
					break
				}
				if err != nil {
					yield(nil, s.ioError(err))
					return
				}
				if !yield(b, nil) {
					return
				}
			}
			if lost < 0 {
				return
			}
			next, ok := s.resync(lost, yield)
			if !ok {
				return
			}
			from = next
		}
	}
}

// resync yields the damage from position on, batch by batch, as a scan would
// find it. It returns where the next sound batch stands, or false where the walk
// is over.
func (s *Scanner) resync(position int64, yield func(*Batch, error) bool) (int64, bool) {
	for position < s.end {
		item, err := s.judge.settled(position)
		if err == nil && item.Err == nil {
			return position, true
		}
		if err != nil {
			yield(nil, s.ioError(err))
			return 0, false
		}
		item.Err.File = s.options.File
		var b *Batch
		if position = item.Err.EndPosition; item.IsBatch() {
			b = &item.Batch
			position = b.EndPosition()
		}
		if !yield(b, item.Err) {
			return 0, false
		}
		sound, err := s.judge.soundAtPosition(position)
		if err != nil {
			yield(nil, s.ioError(err))
			return 0, false
		}
		if sound {
			return position, true
		}
	}
	return 0, false
}
