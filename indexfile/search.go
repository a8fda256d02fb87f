package indexfile

import "fmt"

// Search tells how a lookup went.
type Search[E any] struct {
	// Slot of the entry found, or -1.
	Slot int
	// Entry is the entry in Slot. For Slot -1 it is what Kafka goes on with:
	// (base offset, position 0), or (timestamp -1, base offset).
	Entry E
	// Compared lists the slots read and compared, in order: the first of the
	// warm section, slot 0 if that one was not small enough, then the
	// midpoints. Slot 0 stands twice where it is both and was compared twice.
	// Fetching Entry at the end is not listed.
	Compared []int32
	// Warm: the search stayed in the warm section.
	Warm bool
}

// bound says which of the two neighbours of a target a search is after.
type bound bool

const (
	largestLower  bound = false
	smallestUpper bound = true
)

// search is AbstractIndex.indexSlotRangeFor of 2.1 and newer: it finds the
// slot with the largest key ≤ target, or the smallest > target (an equal one
// if the search happens to hit it). Unsorted keys give some slot, the same
// one that Kafka gets. The key is taken from an entry's bytes.
//
// entries is the number of slots that count, from slot 0. Slots compared are
// appended to compared, which becomes s.Compared.
func (r *Reader[E]) search(target int64, entries int, want bound, key func(b []byte, base int64) int64, compared []int32) (s Search[E], err error) {
	s.Slot, s.Compared = -1, compared
	if entries < 0 || entries > r.slots {
		return s, fmt.Errorf("%ssearch over %d entries of %d: %w", prefix(r.File), entries, r.slots, ErrNoSlot)
	}
	if r.Position(entries) > maxMapped {
		return s, fmt.Errorf("%ssearch over %d entries: %w", prefix(r.File), entries, ErrTooLarge)
	}
	if entries == 0 {
		return s, nil
	}

	// compare returns the sign of key(slot) - target, or 0 with err set.
	compare := func(slot int) int {
		b, e := r.slot(slot)
		if e != nil {
			err = e
			return 0
		}
		s.Compared = append(s.Compared, int32(slot))
		switch k := key(b, r.base); {
		case k < target:
			return -1
		case k > target:
			return 1
		}
		return 0
	}

	lo, hi := r.WarmFirstSlot(entries), entries-1
	c := compare(lo)
	if err != nil {
		return s, err
	}
	if s.Warm = c < 0; !s.Warm {
		lo, hi = 0, lo
		c = compare(0)
		if err != nil {
			return s, err
		}
		if c > 0 {
			if want == smallestUpper {
				s.Slot = 0
			}
			return s, nil
		}
	}

	for lo < hi {
		mid := (lo + hi + 1) / 2
		c = compare(mid)
		if err != nil {
			return s, err
		}
		switch {
		case c > 0:
			hi = mid - 1
		case c < 0:
			lo = mid
		default:
			s.Slot = mid
			return s, nil
		}
	}
	switch {
	case want == largestLower:
		s.Slot = lo
	case lo < entries-1:
		s.Slot = lo + 1
	}
	return s, nil
}

// finish puts the entry of the slot found into s, or none where there is no
// slot.
func (r *Reader[E]) finish(s Search[E], none E, err error) (Search[E], error) {
	s.Entry = none
	if err == nil && s.Slot >= 0 {
		s.Entry, err = r.Entry(s.Slot)
	}
	return s, err
}
