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
	room  int64 // in front of the block; 0 where the buffer isn't kept
	users atomic.Int32
}

// pools keep buffers by their room, which is minRoom times a power of two.
var pools [5]sync.Pool // 128 KiB to 2 MiB

func poolOf(room int64) *sync.Pool { return &pools[bits.Len64(uint64(room/minRoom))-1] }

// roomFor is a room in which all but the last byte of a batch find place.
func roomFor(size int64) int64 {
	room := int64(minRoom)
	for room < size && room < maxRoom {
		room *= 2
	}
	return room
}

func newBuffer(room int64) *Buffer {
	b, ok := poolOf(room).Get().(*Buffer)
	if !ok {
		b = &Buffer{bytes: make([]byte, room+max(Size, room)), room: room}
	}
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
	if b != nil && b.users.Add(-1) == 0 && b.room > 0 {
		poolOf(b.room).Put(b)
	}
}
