package batchtest

import (
	"fmt"
	"math/rand/v2"
)

// Noise returns n bytes of noise, the same for the same seed.
func Noise(seed uint64, n int) []byte {
	b := make([]byte, n)
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// RemoveBatch takes a batch out. In a compacted log that is a legal gap.
func RemoveBatch(which Which) Damage {
	return logDamage("batch removed", []string{"offset-gap"}, func(_ []byte, l *Layout) edit {
		_, b := which.in(l)
		return edit{position: b.Position, removed: int64(b.Size)}
	})
}

// RepeatBatch writes a batch twice; changed, the second one has other content
// and a right checksum.
func RepeatBatch(which Which, changed bool) Damage {
	name := "batch repeated"
	if changed {
		name += " with other content"
	}
	return logDamage(name, []string{"offset-not-increasing"}, func(data []byte, l *Layout) edit {
		i, b := which.in(l)
		copied := append([]byte(nil), l.Bytes(data, i)...)
		kept := []Intact{{i, b.Position}, {i, b.End()}}
		if changed {
			FieldMaxTimestamp.put(copied, b.MaxTimestamp+1)
			FixCRC(copied)
			kept = kept[:1]
		}
		both := append(append([]byte(nil), l.Bytes(data, i)...), copied...)
		return edit{position: b.Position, removed: int64(b.Size), inserted: both, kept: kept, batch: i, at: b.End()}
	})
}

// SwapBatches changes the order of a batch and the next one.
func SwapBatches(which Which) Damage {
	return logDamage("batches swapped", []string{"offset-not-increasing"}, func(data []byte, l *Layout) edit {
		i, b := which.in(l)
		_, next := Nth(i + 1).in(l)
		swapped := append(append([]byte(nil), l.Bytes(data, i+1)...), l.Bytes(data, i)...)
		second := b.Position + int64(next.Size)
		return edit{
			position: b.Position, removed: int64(len(swapped)), inserted: swapped,
			kept: []Intact{{i + 1, b.Position}, {i, second}}, batch: i, at: second,
		}
	})
}

// ReplaceBatch puts another entry in the place of a batch.
func ReplaceBatch(name string, which Which, with func(b *Content) Entry, codes ...string) Damage {
	return logDamage(name, codes, func(_ []byte, l *Layout) edit {
		_, b := which.in(l)
		return edit{position: b.Position, removed: int64(b.Size), inserted: with(b).Append(nil)}
	})
}

// insertAt puts bytes in front of a batch, or from its middle on.
func insertAt(name string, which Which, into float64, bytes []byte, codes ...string) Damage {
	return logDamage(name, codes, func(_ []byte, l *Layout) edit {
		_, b := which.in(l)
		return edit{position: b.Position + int64(into*float64(b.Size)), inserted: bytes}
	})
}

// cutAt cuts the log some bytes into a batch.
func cutAt(name string, which Which, into func(size int) int, codes ...string) Damage {
	return logDamage(name, codes, func(data []byte, l *Layout) edit {
		_, b := which.in(l)
		position := b.Position + int64(into(b.Size))
		return edit{position: position, removed: int64(len(data)) - position}
	})
}

// append puts bytes behind the log.
func appended(name string, bytes []byte, codes ...string) Damage {
	return logDamage(name, codes, func(data []byte, _ *Layout) edit {
		return edit{position: int64(len(data)), inserted: bytes}
	})
}

// ZeroTail puts n zeros behind the log, as a preallocated file has.
func ZeroTail(n int) Damage {
	return appended(fmt.Sprintf("zero tail of %d bytes", n), make([]byte, n), "log-zero-tail")
}

// ZeroBatches overwrites n batches with zeros.
func ZeroBatches(which Which, n int) Damage {
	return logDamage(fmt.Sprintf("%d batches zeroed", n), []string{"log-zero-hole"}, func(_ []byte, l *Layout) edit {
		i, b := which.in(l)
		_, last := Nth(i + n - 1).in(l)
		size := last.End() - b.Position
		return edit{position: b.Position, removed: size, inserted: make([]byte, size)}
	})
}
