package rebuild

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/kafsck/kafsck/indexfile"
)

// Diff is how the entries of two indexes of one segment differ. Entries belong
// together that have the same position in an offset index, the same time in a
// time index, the same last offset in a transaction index.
type Diff struct {
	Added, Removed, Changed int
	// FirstSlot is the first slot whose entry differs, −1 where none does;
	// Old and New are the bytes of the entry there, nil where there is none.
	FirstSlot int
	Old, New  []byte
}

// Any says whether an entry differs.
func (d *Diff) Any() bool { return d.FirstSlot >= 0 }

// diff compares whole entries, without zero tails.
func diff(kind indexfile.Kind, before, after []byte) *Diff {
	size := kind.EntrySize()
	d := &Diff{FirstSlot: -1}
	for at := 0; at < max(len(before), len(after)); at += size {
		o, n := slot(before, at, size), slot(after, at, size)
		if !bytes.Equal(o, n) {
			d.FirstSlot, d.Old, d.New = at/size, bytes.Clone(o), bytes.Clone(n)
			break
		}
	}
	if d.FirstSlot < 0 {
		return d
	}
	from := d.FirstSlot * size
	olds, news := byKey(kind, before[min(from, len(before)):]), byKey(kind, after[min(from, len(after)):])
	for len(olds) > 0 || len(news) > 0 {
		switch {
		case len(olds) == 0 || len(news) > 0 && news[0].key < olds[0].key:
			d.Added++
			news = news[1:]
		case len(news) == 0 || olds[0].key < news[0].key:
			d.Removed++
			olds = olds[1:]
		default:
			if !bytes.Equal(olds[0].entry, news[0].entry) {
				d.Changed++
			}
			olds, news = olds[1:], news[1:]
		}
	}
	return d
}

func slot(index []byte, at, size int) []byte {
	if at+size > len(index) {
		return nil
	}
	return index[at : at+size]
}

type keyed struct {
	key   int64
	entry []byte
}

// byKey sorts entries by what identifies them. Those of a sound index are
// sorted already.
func byKey(kind indexfile.Kind, index []byte) []keyed {
	size := kind.EntrySize()
	entries := make([]keyed, 0, len(index)/size)
	for at := 0; at+size <= len(index); at += size {
		e := index[at : at+size]
		key := int64(0)
		switch kind {
		case indexfile.Offset:
			key = int64(int32(binary.BigEndian.Uint32(e[4:])))
		case indexfile.Time:
			key = int64(binary.BigEndian.Uint64(e))
		case indexfile.Txn:
			key = int64(binary.BigEndian.Uint64(e[18:]))
		}
		entries = append(entries, keyed{key, e})
	}
	order := func(a, b keyed) int { return cmp.Compare(a.key, b.key) }
	if !slices.IsSortedFunc(entries, order) {
		slices.SortStableFunc(entries, order)
	}
	return entries
}
