package page

import (
	"encoding/base64"
	"slices"

	"github.com/kafsck/kafsck/indexfile"
)

const (
	maxOdd   = 4000 // how many entries a page lists one by one, if there is room
	oddBytes = 26   // that one of them takes at most
)

// index is what a page knows of the .index on disk.
type index struct {
	entries   int
	fileBytes int64
	// marks has a bit for each item: an entry leads to its first batch and
	// names its last offset. In a log of many batches, an entry leads into it.
	marks []byte
	odd   [][2]int64 // other entries: relative offset, position
	more  int        // left out of odd
	// bad is how many entries lead to no batch, or to one that begins above
	// their offset. They are left out.
	bad int
}

// ReadIndex reads the entries beside the log, to be shown as they are. It is
// called at most once.
func (s *Segment) ReadIndex(r *indexfile.OffsetReader) error {
	layout, err := r.Layout()
	if err != nil {
		return err
	}
	items := len(s.thinned.text()) // takes neighbours together as far as it is needed
	limit := min(maxOdd, s.thinned.room(base64.StdEncoding.DecodedLen(items))/oddBytes)
	x := &index{odd: [][2]int64{}, entries: layout.Entries, fileBytes: layout.FileBytes, marks: make([]byte, (len(s.thinned.items)+7)/8)}
	for e, err := range r.EntriesBetween(0, layout.Entries) {
		if err != nil {
			return err
		}
		i, ok := s.at(int64(e.Position))
		switch {
		case !s.leads(e, i, ok):
			x.bad++
		case s.thinned.group > 1 || s.thinned.items[i].last == int64(e.RelativeOffset):
			x.marks[i/8] |= 1 << (i % 8)
		case len(x.odd) < limit:
			x.odd = append(x.odd, [2]int64{int64(e.RelativeOffset), int64(e.Position)})
		default:
			x.more++
		}
	}
	s.index = x
	return nil
}

// leads says whether a lookup can start at an entry.
func (s *Segment) leads(e indexfile.OffsetEntry, i int, ok bool) bool {
	if !ok || e.Position <= 0 {
		return false
	}
	it := &s.thinned.items[i]
	return s.thinned.group > 1 || it.position == int64(e.Position) && it.first <= int64(e.RelativeOffset)
}

// at is the item in which a position lies.
func (s *Segment) at(position int64) (int, bool) {
	items := s.thinned.items
	i, exact := slices.BinarySearchFunc(items, position, func(it item, p int64) int {
		switch {
		case it.position < p:
			return -1
		case it.position > p:
			return 1
		}
		return 0
	})
	if exact {
		return i, true
	}
	if i == 0 {
		return 0, false
	}
	return i - 1, position < items[i-1].position+items[i-1].size
}

// indexData is the index as the page's script reads it.
type indexData struct {
	Entries   int        `json:"entries"`
	FileBytes int64      `json:"fileBytes"`
	Marks     string     `json:"marks"`
	Odd       [][2]int64 `json:"odd"`
	More      int        `json:"more"`
}

func (x *index) data() *indexData {
	if x == nil {
		return nil
	}
	return &indexData{x.entries, x.fileBytes, base64.StdEncoding.EncodeToString(x.marks), x.odd, x.more}
}
