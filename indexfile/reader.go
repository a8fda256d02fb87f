package indexfile

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
)

const (
	pageBytes  = 4096      // about a page; a page holds whole entries
	cachePages = 16        // a search visits at most 13 in an .index of 10 MiB
	passBytes  = 128 << 10 // buffer of a pass over the file
)

// Reader is what the readers of the three files have in common: a file of
// slots of one size. It is not safe for concurrent use, because it keeps the
// pages read last; make one for each goroutine over the same io.ReaderAt.
type Reader[E any] struct {
	// File names the index in errors; it is never opened.
	File string

	src    io.ReaderAt
	kind   Kind
	size   int64
	base   int64
	slots  int
	parse  func(b []byte, base int64) E
	pages  [cachePages]page
	oldest int // the page to be replaced next
}

type page struct {
	number int // page number + 1; 0: nothing here
	bytes  []byte
}

func newReader[E any](kind Kind, src io.ReaderAt, size, baseOffset int64, parse func([]byte, int64) E) Reader[E] {
	size = max(size, 0)
	slots := size / int64(kind.EntrySize())
	return Reader[E]{src: src, kind: kind, size: size, base: baseOffset, parse: parse,
		slots: int(min(slots, math.MaxInt))} // differs on 32-bit machines alone
}

// Kind returns which index this is.
func (r *Reader[E]) Kind() Kind { return r.kind }

// Size returns the bytes of the file.
func (r *Reader[E]) Size() int64 { return r.size }

// BaseOffset returns the base offset of the segment.
func (r *Reader[E]) BaseOffset() int64 { return r.base }

// Slots returns how many whole entries fit the file. That is the number of
// entries which Kafka sees when it opens the file, zero slots included.
func (r *Reader[E]) Slots() int { return r.slots }

// Remainder returns the bytes at the end that aren't a whole entry.
func (r *Reader[E]) Remainder() int { return int(r.size % int64(r.kind.EntrySize())) }

// Position returns where in the file a slot begins, in bytes.
func (r *Reader[E]) Position(slot int) int64 { return int64(slot) * int64(r.kind.EntrySize()) }

// WarmFirstSlot is [Kind.WarmFirstSlot] of the reader's kind.
func (r *Reader[E]) WarmFirstSlot(entries int) int { return r.kind.WarmFirstSlot(entries) }

// Entry returns the entry in a slot, reading a page at most. Zero slots are
// returned like others.
func (r *Reader[E]) Entry(slot int) (E, error) {
	b, err := r.slot(slot)
	if err != nil {
		var none E
		return none, err
	}
	return r.parse(b, r.base), nil
}

// Entries streams the entries of all slots in order, zero slots included.
// Reading failed where the error isn't nil; the stream ends there, and
// everything readable before has been given. A pass allocates one buffer.
func (r *Reader[E]) Entries() iter.Seq2[E, error] { return r.EntriesBetween(0, r.slots) }

// EntriesBetween streams the slots from to to-1 as [Reader.Entries] does.
// Bounds outside the file are cut to it.
func (r *Reader[E]) EntriesBetween(from, to int) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		width := r.kind.EntrySize()
		for p := r.pass(from, to); p.more(); {
			chunk, err := r.next(&p)
			for ; len(chunk) >= width; chunk = chunk[width:] {
				if !yield(r.parse(chunk[:width], r.base), nil) {
					return
				}
			}
			if err != nil {
				var none E
				yield(none, err)
				return
			}
		}
	}
}

// pass is a walk over slots in large pieces.
type pass struct {
	from, to int
	buf      []byte // whole entries
}

func (r *Reader[E]) pass(from, to int) pass {
	p := pass{from: max(from, 0), to: min(to, r.slots)}
	if p.more() {
		width := r.kind.EntrySize()
		p.buf = make([]byte, min(p.to-p.from, passBytes/width)*width)
	}
	return p
}

func (p *pass) more() bool { return p.from < p.to }

// next returns the bytes of the next slots, valid until the call after. With
// an error they are what could be read before it, and the pass is over.
func (r *Reader[E]) next(p *pass) ([]byte, error) {
	width := r.kind.EntrySize()
	n := min(p.to-p.from, len(p.buf)/width)
	got, err := r.readAt(p.buf[:n*width], r.Position(p.from))
	p.from += n
	if err != nil {
		p.from = p.to
	}
	return p.buf[:got-got%width], err
}

// slot returns the bytes of a slot, from a page that is kept. They are valid
// until the next call.
func (r *Reader[E]) slot(n int) ([]byte, error) {
	if n < 0 || n >= r.slots {
		return nil, fmt.Errorf("%sslot %d of %d: %w", prefix(r.File), n, r.slots, ErrNoSlot)
	}
	width := r.kind.EntrySize()
	perPage := pageBytes / width
	number := n / perPage
	at := n % perPage * width
	for i := range r.pages {
		if p := &r.pages[i]; p.number == number+1 {
			return p.bytes[at : at+width : at+width], nil
		}
	}
	p := &r.pages[r.oldest]
	r.oldest = (r.oldest + 1) % cachePages
	if p.bytes == nil {
		p.bytes = make([]byte, perPage*width)
	}
	p.number = 0 // don't find this page again if reading fails
	first := number * perPage
	length := min(perPage, r.slots-first) * width
	got, err := r.readAt(p.bytes[:length], r.Position(first))
	switch {
	case err == nil:
		p.number = number + 1
	case got < at+width: // else the slot lies before the damage
		return nil, err
	}
	return p.bytes[at : at+width : at+width], nil
}

// readAt fills b. Slots are within the size, so that the end of the file in
// the middle of b means that the file has become shorter.
func (r *Reader[E]) readAt(b []byte, position int64) (int, error) {
	n, err := r.src.ReadAt(b, position)
	if n == len(b) {
		return n, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	n = min(max(n, 0), len(b))
	return n, &ReadError{File: r.File, Position: position, Err: err}
}
