package blocks

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// Buffer is memory of a block, shared by those who look at it: given back when
// the last of them has released it.
type Buffer struct {
	bytes []byte
	room  int64 // in front of the block
	home  *sync.Pool
	users atomic.Int32
}

var (
	// rooms keep buffers of blocks by their room: 128 KiB, and so on up to 2 MiB.
	rooms [5]sync.Pool
	// sizes keep what blocks are put together in, by its size: 4 to 32 MiB.
	sizes [4]sync.Pool
)

const minJoined = 4 << 20

// roomFor is a room in which all but the last byte of a batch find place.
func roomFor(size int64) int64 {
	room := int64(minRoom)
	for room < size && room < maxRoom {
		room *= 2
	}
	return room
}

func newBuffer(room int64) *Buffer {
	home := &rooms[bits.Len64(uint64(room/minRoom))-1]
	b, ok := home.Get().(*Buffer)
	if !ok {
		b = &Buffer{bytes: make([]byte, room+max(Size, room)), room: room, home: home}
	}
	b.users.Store(1)
	return b
}

// newJoined is an empty buffer for so many bytes.
func newJoined(size int) *Buffer {
	class := bits.Len64(uint64((max(size, 1) - 1) / minJoined))
	var home *sync.Pool
	if class < len(sizes) {
		home = &sizes[class]
		if b, ok := home.Get().(*Buffer); ok {
			b.bytes = b.bytes[:0]
			b.users.Store(1)
			return b
		}
		size = minJoined << class
	}
	b := &Buffer{bytes: make([]byte, 0, size), home: home}
	b.users.Store(1)
	return b
}

// Retain adds somebody who will release it.
func (b *Buffer) Retain() *Buffer {
	b.users.Add(1)
	return b
}

// Release gives the memory up. Nothing of it may be used after.
func (b *Buffer) Release() {
	if b != nil && b.users.Add(-1) == 0 && b.home != nil {
		b.home.Put(b)
	}
}
