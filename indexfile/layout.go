package indexfile

import (
	"bytes"
	"encoding/binary"
)

// MaxHoles is the number of zero holes that a [Layout] lists.
const MaxHoles = 1024

// Run is a run of slots.
type Run struct {
	First int // slot
	Slots int // how many
}

// Layout tells which slots of an index hold something. A slot is used if any
// of its bytes isn't zero.
type Layout struct {
	Kind      Kind
	FileBytes int64
	Slots     int // whole entries that the file has room for
	Entries   int // slots up to the last used one: all but the zero tail
	Used      int // used slots: Entries less the zero slots in holes

	// Tail is the run of zero slots at the end: preallocated room. Tail.First
	// equals Entries.
	Tail Run

	// Holes are runs of zero slots with used ones behind, the first MaxHoles
	// of them; HoleCount and HoleSlots count all.
	Holes     []Run
	HoleCount int
	HoleSlots int

	Remainder int // bytes at the end that aren't a whole entry
}

// UsedBytes returns the size that the file has once trimmed.
func (l *Layout) UsedBytes() int64 { return int64(l.Entries) * int64(l.Kind.EntrySize()) }

// Preallocated says whether there is a zero tail.
func (l *Layout) Preallocated() bool { return l.Tail.Slots > 0 }

// Bytes returns the positions in the file from which and up to which a run
// lies.
func (l *Layout) Bytes(run Run) (from, to int64) {
	width := int64(l.Kind.EntrySize())
	return int64(run.First) * width, int64(run.First+run.Slots) * width
}

var zeros [4096]byte

// Layout reads the file once. Where reading fails, the result covers the
// slots before (Slots says how many) and comes with the error.
func (r *Reader[E]) Layout() (Layout, error) {
	l := Layout{Kind: r.kind, FileBytes: r.size, Remainder: r.Remainder()}
	width := r.kind.EntrySize()
	step := len(zeros) / width * width
	var err error
	for p := r.pass(0, r.slots); p.more(); {
		var chunk []byte
		chunk, err = r.next(&p)
		for len(chunk) > 0 {
			piece := chunk[:min(step, len(chunk))]
			chunk = chunk[len(piece):]
			if bytes.Equal(piece, zeros[:len(piece)]) {
				l.Slots += len(piece) / width
				continue
			}
			l.scan(piece, width)
		}
	}
	l.Tail = Run{First: l.Entries, Slots: l.Slots - l.Entries}
	return l, err
}

// scan counts the slots of a piece that is not all zeros.
func (l *Layout) scan(piece []byte, width int) {
	for ; len(piece) >= width; piece = piece[width:] {
		// Eight bytes decide nearly always.
		if binary.BigEndian.Uint64(piece) != 0 || !bytes.Equal(piece[8:width], zeros[8:width]) {
			if hole := l.Slots - l.Entries; hole > 0 {
				if len(l.Holes) < MaxHoles {
					l.Holes = append(l.Holes, Run{First: l.Entries, Slots: hole})
				}
				l.HoleCount++
				l.HoleSlots += hole
			}
			l.Used++
			l.Entries = l.Slots + 1
		}
		l.Slots++
	}
}
