// Package blocks reads a file from one position on, block by block, so that
// reading overlaps the work on what was read before.
package blocks

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

const (
	// Size is how many bytes are read at a time: enough to make the call cheap,
	// few enough to stay in the processor's cache until they are used.
	Size = 1 << 20
	// minRoom is kept free in front of each block for what the block before
	// ended with, so that a batch across two blocks needn't move the second.
	minRoom = 128 << 10
	// maxRoom is how much is kept free, and read at a time, where batches are
	// large. Still larger ones are put together from blocks.
	maxRoom = 2 << 20
)

// Block is a stretch of the file in memory. It belongs to whoever got it, until
// its Buffer is released.
type Block struct {
	Position int64
	Data     []byte
	Buffer   *Buffer
	err      error
}

// Reader reads a file from one position on, one block ahead of its user where
// there is more than one. It is for one goroutine.
type Reader struct {
	r       io.ReaderAt
	at, end int64
	room    *atomic.Int64 // of the blocks to come
	ahead   chan Block
	done    chan struct{}
}

// New reads r between two positions. Its user stops it at the end.
func New(r io.ReaderAt, from, end int64) *Reader {
	return start(r, from, end, minRoom)
}

func start(r io.ReaderAt, from, end, room int64) *Reader {
	b := &Reader{r: r, at: from, end: end, room: new(atomic.Int64)}
	b.room.Store(room)
	if end-from > 2*Size {
		b.ahead = make(chan Block, 1)
		b.done = make(chan struct{})
		go b.readAhead(from)
	}
	return b
}

// readAhead overlaps reading with the work on what was read before.
func (b *Reader) readAhead(position int64) {
	defer close(b.ahead)
	for position < b.end {
		next := b.read(position)
		select {
		case b.ahead <- next:
		case <-b.done:
			next.Buffer.Release()
			return
		}
		if next.err != nil {
			return
		}
		position += int64(len(next.Data))
	}
}

func (b *Reader) read(position int64) Block {
	buffer := newBuffer(b.room.Load())
	data := buffer.bytes[buffer.room:]
	if left := b.end - position; left < int64(len(data)) {
		data = data[:left]
	}
	err := ReadFull(b.r, data, position)
	return Block{Position: position, Data: data, Buffer: buffer, err: err}
}

// farAhead is how much is rather read and dropped than passed over.
const farAhead = 4 * Size

// leap starts over at a position far ahead, as behind zeros or garbage.
func (b *Reader) leap(position int64) {
	if b.ahead == nil || position-b.at < farAhead {
		return
	}
	b.Stop()
	*b = *start(b.r, position, b.end, b.room.Load())
}

// Stop ends reading ahead and gives memory back. Nothing reads the file any more
// when it returns.
func (b *Reader) Stop() {
	if b.ahead == nil {
		return
	}
	close(b.done)
	for rest := range b.ahead {
		rest.Buffer.Release()
	}
}

// Next returns the bytes from position on: carry, which is already there, and
// at least one byte more; need of them in all, where the file has so many and
// there is a carry (an empty one may get fewer, and come back with them).
// Positions never go back; what lies between is dropped. carry may be given up
// when Next returns.
func (b *Reader) Next(carry []byte, position, need int64) (Block, error) {
	want := position + int64(len(carry))
	b.leap(want)
	for {
		next, err := b.following(want)
		if err != nil {
			return Block{}, err
		}
		b.at = next.Position + int64(len(next.Data))
		if b.at <= want {
			next.Buffer.Release()
			continue
		}
		next.Data = next.Data[want-next.Position:]
		next.Position = position
		if len(carry) == 0 {
			return next, nil
		}
		room := int(next.Buffer.room)
		if len(carry) <= room && int64(len(carry)+len(next.Data)) >= need {
			first := room - len(carry)
			copy(next.Buffer.bytes[first:], carry)
			next.Data = next.Buffer.bytes[first : room+len(next.Data)]
			return next, nil
		}
		b.room.Store(max(b.room.Load(), roomFor(need)))
		return b.join(carry, next, position, need)
	}
}

func (b *Reader) following(want int64) (Block, error) {
	if b.ahead == nil {
		if want >= b.end {
			return Block{}, io.ErrUnexpectedEOF
		}
		next := b.read(max(want, b.at))
		if next.err != nil {
			next.Buffer.Release()
		}
		return next, next.err
	}
	next, ok := <-b.ahead
	if !ok {
		return Block{}, io.ErrUnexpectedEOF
	}
	if next.err != nil {
		next.Buffer.Release()
	}
	return next, next.err
}

// join gathers need bytes from carry, the block behind it, and as many more
// blocks as it takes, in memory of their own.
func (b *Reader) join(carry []byte, next Block, position, need int64) (Block, error) {
	joined := newJoined(max(int(need), len(carry)) + len(next.Buffer.bytes) - int(next.Buffer.room))
	joined.bytes = append(joined.bytes, carry...)
	for {
		joined.bytes = append(joined.bytes, next.Data...)
		next.Buffer.Release()
		if int64(len(joined.bytes)) >= need || b.at >= b.end {
			return Block{Position: position, Data: joined.bytes, Buffer: joined}, nil
		}
		var err error
		if next, err = b.following(b.at); err != nil {
			return Block{}, err
		}
		b.at = next.Position + int64(len(next.Data))
	}
}

// ReadFull reads all of data at position. A file that has become shorter than
// it was is an error of reading, not damage.
func ReadFull(r io.ReaderAt, data []byte, position int64) error {
	n, err := r.ReadAt(data, position)
	if n == len(data) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read %d bytes at position %d: %w", len(data), position, err)
}
