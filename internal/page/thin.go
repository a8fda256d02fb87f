package page

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/kafsck/kafsck/internal/simulate"
)

const (
	// maxItems is how many items are held while a log is read.
	maxItems = 1 << 17
	// itemRoom is how many bytes the items may take in a page, with a mark for
	// each; what else there is takes less than 50,000.
	itemRoom = MaxBytes - 55_000
)

// item is a batch, or in a log of many batches a run of neighbours.
type item struct {
	position    int64 // in the log
	size        int64 // bytes of its batches
	hole        int64 // bytes in front of it that are no batch
	first, last int64 // offsets, relative to the base offset
	batches     int64
}

// thinned collects the batches of a log. Where there are too many, neighbours
// are taken together, always so many as a power of two.
type thinned struct {
	items []item
	group int64 // batches an item, but for the last
	end   int64 // behind the last batch, position
}

func (t *thinned) add(position int64, b simulate.Batch, base int64) {
	if t.group == 0 {
		t.group = 1
	}
	next := item{position, b.Size, max(position-t.end, 0), b.FirstOffset - base, b.LastOffset - base, 1}
	t.end = position + b.Size
	if n := len(t.items); n > 0 && t.items[n-1].batches < t.group {
		t.items[n-1] = joined(t.items[n-1], next)
		return
	}
	if len(t.items) == maxItems {
		t.halve()
	}
	t.items = append(t.items, next)
}

func joined(a, b item) item {
	return item{a.position, a.size + b.size, a.hole + b.hole, min(a.first, b.first), max(a.last, b.last), a.batches + b.batches}
}

// halve takes neighbours together.
func (t *thinned) halve() {
	n := 0
	for i := 0; i < len(t.items); i += 2 {
		t.items[n] = t.items[i]
		if i+1 < len(t.items) {
			t.items[n] = joined(t.items[i], t.items[i+1])
		}
		n++
	}
	t.items = t.items[:n]
	t.group *= 2
}

// text is what the page's script reads. It takes neighbours together until it
// fits.
func (t *thinned) text() string {
	encoded := encodeItems(t.items)
	for t.room(len(encoded)) < 0 {
		t.halve()
		encoded = encodeItems(t.items)
	}
	return base64.StdEncoding.EncodeToString(encoded)
}

// room is how many bytes are left in a page beside so many of items, before
// base64, and their marks.
func (t *thinned) room(encoded int) int {
	return itemRoom - base64.StdEncoding.EncodedLen(encoded) - base64.StdEncoding.EncodedLen(len(t.items)/8+1)
}

// encodeItems writes varints (7 bits a byte, lowest first). Of an item:
//
//	4·size, +1 if a gap follows, +2 if a hole follows
//	last − first
//	gap: first − (last of the item before + 1), zigzag; that last is −1 at first
//	hole
//
// 0 and a number say that the item before comes so many times again.
func encodeItems(items []item) []byte {
	out := make([]byte, 0, len(items)*5)
	last := int64(-1)
	for i := 0; i < len(items); i++ {
		it := &items[i]
		if i > 0 {
			again := 0
			for i+again < len(items) && same(&items[i+again-1], &items[i+again]) {
				again++
			}
			if again > 0 {
				i += again - 1
				out = binary.AppendUvarint(append(out, 0), uint64(again))
				last = items[i].last
				continue
			}
		}
		gap, head := it.first-(last+1), uint64(it.size)<<2
		if gap != 0 {
			head |= 1
		}
		if it.hole != 0 {
			head |= 2
		}
		out = binary.AppendUvarint(out, head)
		out = binary.AppendUvarint(out, uint64(max(it.last-it.first, 0)))
		if gap != 0 {
			out = binary.AppendVarint(out, gap)
		}
		if it.hole != 0 {
			out = binary.AppendUvarint(out, uint64(it.hole))
		}
		last = it.first + max(it.last-it.first, 0)
	}
	return out
}

// same says whether b only goes on where a ended.
func same(a, b *item) bool {
	return b.size == a.size && b.last-b.first == a.last-a.first && b.last >= b.first && b.first == a.last+1 && b.hole == 0 && a.hole == 0
}
