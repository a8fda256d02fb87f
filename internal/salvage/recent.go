package salvage

import (
	"github.com/kafsck/kafsck/recordbatch"
)

// recent remembers the last batches that were kept, to tell repeated ones.
type recent struct {
	ring [1024]identity
	at   int
	set  map[identity]int
}

type identity struct {
	span
	size  int64
	crc   uint32
	epoch int32
}

func identify(b *recordbatch.Batch) identity {
	return identity{span{b.BaseOffset(), b.LastOffset()}, b.Size, b.CRC, b.PartitionLeaderEpoch}
}

func (r *recent) add(b *recordbatch.Batch) {
	if r.set == nil {
		r.set = make(map[identity]int, len(r.ring))
	}
	old := r.ring[r.at]
	if r.set[old]--; r.set[old] <= 0 {
		delete(r.set, old)
	}
	id := identify(b)
	r.ring[r.at] = id
	r.set[id]++
	r.at = (r.at + 1) % len(r.ring)
}

func (r *recent) has(b *recordbatch.Batch) bool { return r.set[identify(b)] > 0 }
