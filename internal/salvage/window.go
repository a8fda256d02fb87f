package salvage

// windowBatches is how far ahead the order of batches is looked at. A damaged
// base offset stands alone among its neighbours; with so many of them the
// majority is never in doubt.
const windowBatches = 64

// span is the offsets of a batch, both included.
type span struct{ first, last int64 }

// verdict is what becomes of a batch in the window.
type verdict uint8

const (
	inOrder verdict = iota
	moved           // stands behind later ones; it fills the gap before them exactly
	behind          // begins below the offset that is due
	astray          // a longer series of batches contradicts it
)

// choose decides about one of the next batches, given their offsets in the
// order of the files, the offset that is due, and how many times the order is
// broken among them. It returns which.
func choose(w []span, due int64, breaks int) (int, verdict) {
	head := w[0]
	switch {
	case head.first < due || head.last < head.first:
		return 0, behind
	case breaks == 0:
		return 0, inOrder
	}
	if i := filler(w, due); i > 0 {
		return i, moved
	}
	if contradicted(w, due) {
		return 0, astray
	}
	return 0, inOrder
}

// broken says whether b can't follow a.
func broken(a, b span) bool { return b.first <= a.last }

// filler finds a batch that stands behind the first one but begins the series
// that fills the gap before it exactly, as where two batches are swapped.
func filler(w []span, due int64) int {
	found := -1
	for at := due; at < w[0].first; {
		next := -1
		for i := 1; i < len(w); i++ {
			if w[i].first == at && w[i].last >= at && w[i].last < w[0].first {
				next = i
				break
			}
		}
		if next < 0 {
			return -1
		}
		if found < 0 {
			found = next
		}
		at = w[next].last + 1
	}
	return found
}

// contradicted says whether the best series of rising offsets leaves the first
// batch out: the one with the most batches, of several the one with the most
// that follow each other without a gap.
func contradicted(w []span, due int64) bool {
	const perBatch = 2 * windowBatches // more than any number of links
	var best [windowBatches]int        // the value of the best series that begins with the batch
	without := 0
	for i := len(w) - 1; i >= 0; i-- {
		if w[i].last < w[i].first {
			continue
		}
		follow := 0
		for j := i + 1; j < len(w); j++ {
			if best[j] == 0 || broken(w[i], w[j]) {
				continue
			}
			value := best[j]
			if w[j].first == w[i].last+1 {
				value++
			}
			follow = max(follow, value)
		}
		best[i] = perBatch + follow
		if w[i].first < due {
			continue
		}
		value := best[i]
		// What is due, or what is due if the first batch had its place: a
		// batch that was moved leaves a gap of its own size.
		if w[i].first == due || i > 0 && w[i].first-due == w[0].last-w[0].first+1 {
			value++
		}
		if i == 0 {
			return without > value
		}
		without = max(without, value)
	}
	return false
}
