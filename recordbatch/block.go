package recordbatch

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

const (
	// blockSize is how much is read at a time: large enough to make the call
	// cheap, small enough to stay in the processor's cache until it is used.
	blockSize = 1 << 20
	// headroom is kept free in front of each block for what the block before
	// ended with, so that a batch across two blocks needn't move the second.
	headroom = 128 << 10
	// maxLoaded is the largest batch that is read into memory before its
	// checksum has proved it. Kafka's default limit for a batch is 1 MiB.
	maxLoaded = 16 << 20
)

// blockBuffer is memory of a block, shared by those who look at it.
type blockBuffer struct {
	bytes []byte
	users atomic.Int32
}

var blockPool = sync.Pool{New: func() any {
	return &blockBuffer{bytes: make([]byte, headroom+blockSize)}
}}

func newBlockBuffer() *blockBuffer {
	b := blockPool.Get().(*blockBuffer)
	b.users.Store(1)
	return b
}

func (b *blockBuffer) retain() *blockBuffer {
	b.users.Add(1)
	return b
}

func (b *blockBuffer) release() {
	if b == nil || b.users.Add(-1) > 0 {
		return
	}
	// Buffers that had to grow for one large batch aren't kept.
	if len(b.bytes) == headroom+blockSize {
		blockPool.Put(b)
	}
}

// block is a stretch of the file in memory.
type block struct {
	position int64
	data     []byte
	buffer   *blockBuffer
	err      error
}

// blockReader reads a file from one position on, block by block, one block
// ahead of its user where there is more than one.
type blockReader struct {
	r       io.ReaderAt
	at, end int64
	ahead   chan block
	done    chan struct{}
}

func newBlockReader(r io.ReaderAt, from, end int64) *blockReader {
	b := &blockReader{r: r, at: from, end: end}
	if end-from > 2*blockSize {
		b.ahead = make(chan block, 1)
		b.done = make(chan struct{})
		go b.readAhead(from)
	}
	return b
}

// readAhead overlaps reading with the work on what was read before.
func (b *blockReader) readAhead(position int64) {
	defer close(b.ahead)
	for position < b.end {
		next := b.read(position)
		select {
		case b.ahead <- next:
		case <-b.done:
			next.buffer.release()
			return
		}
		if next.err != nil {
			return
		}
		position += int64(len(next.data))
	}
}

func (b *blockReader) read(position int64) block {
	buffer := newBlockBuffer()
	data := buffer.bytes[headroom:]
	if left := b.end - position; left < int64(len(data)) {
		data = data[:left]
	}
	err := readFull(b.r, data, position)
	return block{position: position, data: data, buffer: buffer, err: err}
}

// farAhead is how much is rather read and dropped than passed over.
const farAhead = 4 * blockSize

// leap starts over at a position far ahead, as behind zeros or garbage.
func (b *blockReader) leap(position int64) {
	if b.ahead == nil || position-b.at < farAhead {
		return
	}
	b.stop()
	*b = *newBlockReader(b.r, position, b.end)
}

// stop ends reading ahead and gives memory back.
func (b *blockReader) stop() {
	if b.ahead == nil {
		return
	}
	close(b.done)
	for rest := range b.ahead {
		rest.buffer.release()
	}
}

// next returns the bytes from position on: carry, which is already there, and
// at least one byte more; need of them in all, where the file has so many.
// Positions never go back; what lies between is dropped.
func (b *blockReader) next(carry []byte, position, need int64) (block, error) {
	want := position + int64(len(carry))
	b.leap(want)
	for {
		next, err := b.following(want)
		if err != nil {
			return block{}, err
		}
		b.at = next.position + int64(len(next.data))
		if b.at <= want {
			next.buffer.release()
			continue
		}
		next.data = next.data[want-next.position:]
		next.position = position
		if len(carry) == 0 {
			return next, nil
		}
		if len(carry) <= headroom && int64(len(carry)+len(next.data)) >= need {
			start := headroom - len(carry)
			copy(next.buffer.bytes[start:], carry)
			next.data = next.buffer.bytes[start : headroom+len(next.data)]
			return next, nil
		}
		return b.join(carry, next, position, need)
	}
}

func (b *blockReader) following(want int64) (block, error) {
	if b.ahead == nil {
		next := b.read(max(want, b.at))
		if next.err != nil {
			next.buffer.release()
		}
		return next, next.err
	}
	next, ok := <-b.ahead
	if !ok {
		return block{}, io.ErrUnexpectedEOF
	}
	if next.err != nil {
		next.buffer.release()
	}
	return next, next.err
}

// join gathers need bytes from carry, the block behind it, and as many more
// blocks as it takes, in memory of their own.
func (b *blockReader) join(carry []byte, next block, position, need int64) (block, error) {
	joined := &blockBuffer{bytes: make([]byte, 0, max(int(need)+blockSize, len(carry)+len(next.data)))}
	joined.users.Store(1)
	joined.bytes = append(joined.bytes, carry...)
	for {
		joined.bytes = append(joined.bytes, next.data...)
		next.buffer.release()
		if int64(len(joined.bytes)) >= need || b.at >= b.end {
			return block{position: position, data: joined.bytes, buffer: joined}, nil
		}
		var err error
		if next, err = b.following(b.at); err != nil {
			return block{}, err
		}
		b.at = next.position + int64(len(next.data))
	}
}

// readFull reads all of data at position. A file that has become shorter than
// it was is an error of reading, not damage.
func readFull(r io.ReaderAt, data []byte, position int64) error {
	n, err := r.ReadAt(data, position)
	if n == len(data) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read %d bytes at position %d: %w", len(data), position, err)
}
