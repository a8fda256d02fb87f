package batchtest

import "fmt"

// Field is a field of the header of a v2 batch.
type Field struct {
	Name     string
	Position int // in the batch
	Size     int // bytes
}

// The fields that damage changes.
var (
	FieldBaseOffset      = Field{"base offset", PosBaseOffset, 8}
	FieldLength          = Field{"length", PosLength, 4}
	FieldLeaderEpoch     = Field{"leader epoch", PosLeaderEpoch, 4}
	FieldMagic           = Field{"magic", PosMagic, 1}
	FieldCRC             = Field{"CRC", PosCRC, 4}
	FieldAttributes      = Field{"attributes", PosAttributes, 2}
	FieldLastOffsetDelta = Field{"last offset delta", PosLastOffsetDelta, 4}
	FieldBaseTimestamp   = Field{"base timestamp", PosBaseTimestamp, 8}
	FieldMaxTimestamp    = Field{"max timestamp", PosMaxTimestamp, 8}
	FieldProducerID      = Field{"producer id", PosProducerID, 8}
	FieldProducerEpoch   = Field{"producer epoch", PosProducerEpoch, 2}
	FieldBaseSequence    = Field{"base sequence", PosBaseSequence, 4}
	FieldCount           = Field{"count", PosCount, 4}
)

func (f Field) get(batch []byte) int64 {
	b := batch[f.Position:]
	switch f.Size {
	case 1:
		return int64(int8(b[0]))
	case 2:
		return int64(int16(be.Uint16(b)))
	case 4:
		return int64(int32(be.Uint32(b)))
	}
	return int64(be.Uint64(b))
}

func (f Field) put(batch []byte, v int64) {
	for i := range f.Size {
		batch[f.Position+i] = byte(v >> (8 * (f.Size - 1 - i)))
	}
}

// Which selects a batch of a layout. -1 is none.
type Which func(*Layout) int

// Nth selects batch n; below 0 it counts from the end.
func Nth(n int) Which {
	return func(l *Layout) int {
		if n < 0 {
			return len(l.Batches) + n
		}
		return n
	}
}

// Data selects the n-th v2 batch with two data records or more, from 0 on.
func Data(n int) Which {
	return func(l *Layout) int {
		left := n
		for i := range l.Batches {
			b := &l.Batches[i]
			if b.Magic < 2 || b.Count < 2 || b.Control() {
				continue
			}
			if left == 0 {
				return i
			}
			left--
		}
		return -1
	}
}

// in returns the number of the selected batch and its content.
func (w Which) in(l *Layout) (int, *Content) {
	i := w(l)
	if i < 0 || i >= len(l.Batches) {
		panic(fmt.Sprintf("the damage asks for batch %d of %d", i, len(l.Batches)))
	}
	return i, &l.Batches[i]
}

// SetField changes a field of a batch. With fixCRC the checksum is made right
// again, so that only the content can tell.
func SetField(which Which, f Field, fixCRC bool, value func(old int64) int64, codes ...string) Damage {
	name := f.Name + " changed"
	if fixCRC {
		name += ", checksum right"
	}
	return changeBatch(name, which, codes, func(batch []byte) (int, int) {
		f.put(batch, value(f.get(batch)))
		if fixCRC {
			FixCRC(batch)
			return min(f.Position, PosCRC), max(f.Position+f.Size, PosCRC+4)
		}
		return f.Position, f.Position + f.Size
	})
}

// changeBatch lets a function change the bytes of a batch in place; it returns
// from where to where in the batch it did.
func changeBatch(name string, which Which, codes []string, change func(batch []byte) (from, to int)) Damage {
	return logDamage(name, codes, func(data []byte, l *Layout) edit {
		i, b := which.in(l)
		batch := append([]byte(nil), l.Bytes(data, i)...)
		from, to := change(batch)
		return edit{position: b.Position + int64(from), removed: int64(to - from), inserted: batch[from:to]}
	})
}

// to returns a function that sets a value, plus one that adds to it.
func to(v int64) func(int64) int64   { return func(int64) int64 { return v } }
func plus(v int64) func(int64) int64 { return func(old int64) int64 { return old + v } }
