package indexfile

import (
	"iter"
	"math"
	"math/bits"
)

// maxDistances bounds what a median is taken from: 16 MiB of numbers. An .index
// of Kafka's default size has 1.3 million entries, so its median is exact.
const maxDistances = 1 << 21

// Distances are about the steps from each entry to the next: bytes of .log in
// an .index, milliseconds in a .timeindex. Steps back count as negative.
type Distances struct {
	Count  int // steps: one less than there are entries; 0: the rest means nothing
	Min    int64
	Median int64 // of an even number: the lower of the two in the middle
	Max    int64

	// Sampled: there were so many entries that the median is that of every
	// second, fourth, … step. The other fields are exact always.
	Sampled bool
}

// Distances tells how many bytes of .log lie between neighbours among the
// first entries slots. Zero slots aren't entries and are passed over. With an
// error, the result is about what was read before.
func (r *OffsetReader) Distances(entries int) (Distances, error) {
	return distances(r.EntriesBetween(0, entries), min(entries, r.slots), maxDistances, func(e OffsetEntry) (int64, bool) {
		return int64(e.Position), e.RelativeOffset != 0 || e.Position != 0
	})
}

// Distances tells how many milliseconds lie between neighbours among the
// first entries slots; see [OffsetReader.Distances].
func (r *TimeReader) Distances(entries int) (Distances, error) {
	return distances(r.EntriesBetween(0, entries), min(entries, r.slots), maxDistances, func(e TimeEntry) (int64, bool) {
		return e.Timestamp, e.RelativeOffset != 0 || e.Timestamp != 0
	})
}

// distances keeps at most limit steps: when they are that many, every second
// is dropped, and from then on only every second is kept, and so on.
func distances[E any](entries iter.Seq2[E, error], expect, limit int, value func(E) (int64, bool)) (d Distances, err error) {
	steps := make([]int64, 0, max(0, min(expect-1, limit)))
	var last int64
	first, stride := true, 1
	for e, failed := range entries {
		if failed != nil {
			err = failed
			break
		}
		v, used := value(e)
		if !used {
			continue
		}
		if first {
			last, first = v, false
			continue
		}
		step := difference(v, last)
		last = v
		if d.Count == 0 {
			d.Min, d.Max = step, step
		}
		d.Min, d.Max = min(d.Min, step), max(d.Max, step)
		if d.Count%stride == 0 {
			if len(steps) == limit {
				for i := range limit / 2 {
					steps[i] = steps[2*i]
				}
				steps = steps[:limit/2]
				stride *= 2
				d.Sampled = true
			}
			if d.Count%stride == 0 {
				steps = append(steps, step)
			}
		}
		d.Count++
	}
	if len(steps) > 0 {
		d.Median = smallest(steps, (len(steps)-1)/2, d.Min, d.Max)
	}
	return d, err
}

// difference is a - b, or the nearest number where that is out of range.
func difference(a, b int64) int64 {
	d := a - b
	switch {
	case b < 0 && d < a:
		return math.MaxInt64
	case b > 0 && d > a:
		return math.MinInt64
	}
	return d
}

// smallest returns the value that would stand at index k if values, all
// within lo and hi, were sorted. It counts digits from the highest on: no
// input makes it slower than six passes, and usual distances take two.
func smallest(values []int64, k int, lo, hi int64) int64 {
	const digit = 12 // bits
	span := uint64(hi) - uint64(lo)
	known := uint64(0) // the digits of the answer found so far, above lo
	for shift := max(0, bits.Len64(span)-1) / digit * digit; shift >= 0; shift -= digit {
		var counts [1 << digit]int
		for _, v := range values {
			if u := uint64(v) - uint64(lo); u>>(shift+digit) == known {
				counts[u>>shift%(1<<digit)]++
			}
		}
		d := 0
		for ; k >= counts[d]; d++ {
			k -= counts[d]
		}
		known = known<<digit | uint64(d)
	}
	return int64(known + uint64(lo))
}
