package batchtest

import (
	"cmp"
	"fmt"
	"slices"
)

// Damage is a named mutation of one file of a segment.
type Damage struct {
	Name string
	File string // suffix of the file it is for, such as ".log"

	// Apply returns a damaged copy of data, and what to expect of it. The
	// layout is that of the sound log, also if data is an index.
	Apply func(data []byte, seg *Layout) (out []byte, what Expect)
}

// Expect says where damage lies in the damaged file and what it hits.
type Expect struct {
	// Position and End bound the bytes that are new or changed; they are
	// equal where bytes only went missing.
	Position, End int64
	// At is the position that a checker has to name: where the batch hit, the
	// hole or the garbage begins. -1 leaves it open.
	At int64

	// Slot and LastSlot are the index entries hit, -1 in other files.
	Slot, LastSlot int

	// Batch is the first batch of the layout that is hit, -1 if none is, and
	// FirstOffset and LastOffset bound what is lost with it and those behind.
	Batch                   int
	FirstOffset, LastOffset int64

	// Intact is every batch of the layout whose bytes are still there, in
	// the order of the damaged log; a repeated batch twice.
	Intact []Intact
	// ChecksumRight says that the batch hit still stands at its position and
	// has a length and a checksum that agree, so that by checksum it is sound.
	ChecksumRight bool

	// Codes are finding codes, one of which has to be reported. If there are
	// none, the change is legal or cannot be seen.
	Codes []string
}

// Intact is a batch that survived, and its position in the damaged log.
type Intact struct {
	Batch    int
	Position int64
}

const logFile = ".log"

// logDamage makes a damage of a log. The function returns which bytes to
// replace by what; the rest is derived.
func logDamage(name string, codes []string, f func(data []byte, l *Layout) edit) Damage {
	return Damage{Name: name, File: logFile, Apply: func(data []byte, l *Layout) ([]byte, Expect) {
		e := f(data, l)
		out := e.apply(data)
		what := e.expect(l)
		what.Codes = codes
		if what.Batch >= 0 && l.Batches[what.Batch].Position <= what.Position {
			what.ChecksumRight = checksumRight(out[min(l.Batches[what.Batch].Position, int64(len(out))):])
		}
		return out, what
	}}
}

// edit replaces removed bytes at position by inserted ones.
type edit struct {
	position int64
	removed  int64
	inserted []byte

	at    int64    // as in Expect; 0 is the start of what is hit
	batch int      // as in Expect, where the batch is among the kept
	kept  []Intact // batches that lay in the removed bytes and lie in the inserted
}

func (e edit) apply(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(e.inserted))
	out = append(out, data[:e.position]...)
	out = append(out, e.inserted...)
	return append(out, data[e.position+e.removed:]...)
}

// hits says whether the edit changes bytes of a batch.
func (e edit) hits(b *Content) bool {
	if e.removed == 0 {
		return b.Position < e.position && e.position < b.End()
	}
	return b.Position < e.position+e.removed && e.position < b.End()
}

func (e edit) expect(l *Layout) Expect {
	what := Expect{
		Position: e.position, End: e.position + int64(len(e.inserted)), At: e.position,
		Slot: -1, LastSlot: -1, Batch: -1, FirstOffset: -1, LastOffset: -1,
	}
	for i := range l.Batches {
		b := &l.Batches[i]
		if e.hits(b) {
			if what.Batch < 0 {
				what.Batch, what.FirstOffset, what.At = i, b.BaseOffset, min(b.Position, e.position)
			}
			what.LastOffset = b.LastOffset
			continue
		}
		position := b.Position
		if position >= e.position+e.removed {
			position += int64(len(e.inserted)) - e.removed
		}
		what.Intact = append(what.Intact, Intact{i, position})
	}
	what.Intact = append(what.Intact, e.kept...)
	slices.SortFunc(what.Intact, func(a, b Intact) int { return cmp.Compare(a.Position, b.Position) })
	if e.at != 0 {
		what.At = e.at
	}
	if e.kept != nil {
		what.Batch, what.FirstOffset, what.LastOffset = e.batch, -1, -1 // nothing is lost
	}
	return what
}

// FlipBit changes one bit of any file.
func FlipBit(file string, position int64, bit int) Damage {
	d := overwrite(fmt.Sprintf("bit %d flipped at %d", bit, position), position, func(b []byte) { b[0] ^= 1 << bit }, 1)
	d.File = file
	return d
}

// Overwrite replaces the bytes at position of any file.
func Overwrite(file string, position int64, with []byte) Damage {
	d := overwrite(fmt.Sprintf("%d bytes overwritten at %d", len(with), position), position,
		func(b []byte) { copy(b, with) }, int64(len(with)))
	d.File = file
	return d
}

// ZeroRange overwrites bytes with zeros.
func ZeroRange(file string, from, to int64) Damage {
	d := Overwrite(file, from, make([]byte, to-from))
	d.Name = fmt.Sprintf("zeros from %d to %d", from, to)
	return d
}

func overwrite(name string, position int64, change func([]byte), n int64) Damage {
	return logDamage(name, nil, func(data []byte, _ *Layout) edit {
		b := append([]byte(nil), data[position:position+n]...)
		change(b)
		return edit{position: position, removed: n, inserted: b}
	})
}

// Truncate cuts any file to a size.
func Truncate(file string, size int64) Damage {
	d := logDamage(fmt.Sprintf("cut at %d", size), nil, func(data []byte, _ *Layout) edit {
		return edit{position: size, removed: int64(len(data)) - size}
	})
	d.File = file
	return d
}

// Insert puts bytes into any file.
func Insert(file string, position int64, bytes []byte) Damage {
	d := logDamage(fmt.Sprintf("%d bytes inserted at %d", len(bytes), position), nil, func([]byte, *Layout) edit {
		return edit{position: position, inserted: bytes}
	})
	d.File = file
	return d
}

// Delete takes bytes out of any file.
func Delete(file string, position, n int64) Damage {
	d := logDamage(fmt.Sprintf("%d bytes lost at %d", n, position), nil, func([]byte, *Layout) edit {
		return edit{position: position, removed: n}
	})
	d.File = file
	return d
}
