package recordbatch

import "github.com/kafsck/kafsck/internal/blocks"

// manyHeaders is how many plausible headers in a row are believed.
const manyHeaders = 64

// brokenChains is how many positions are remembered of which a chain of headers
// that breaks is known. Where many damages lead to the same headers, each of
// these is looked at once.
const brokenChains = 1 << 16

// brokenChain is a position from which so many plausible headers follow one
// another, fewer than manyHeaders, before nothing does.
type brokenChain struct {
	position int64
	headers  int
}

// leadsOn follows headers from position on, to the first sound batch, the end
// of the file, or zeros: then the lengths on the way are believed. So are many
// plausible headers in a row.
func (j *judge) leadsOn(position int64) (bool, error) {
	if position <= j.chained {
		return true, nil
	}
	var way [manyHeaders]int64
	at := position
	for n := range manyHeaders {
		if known := j.broken(at); known != nil && known.position == at && n+known.headers < manyHeaders {
			j.breaks(way[:n], known.headers+1)
			return false, nil
		}
		way[n] = at
		next, end, err := j.leads(at)
		if err != nil {
			return false, err
		}
		if end {
			break
		}
		if next < 0 {
			j.breaks(way[:n+1], 0)
			return false, nil
		}
		at = next
	}
	j.chained = at
	return true, nil
}

// leads says where the header at position leads: to another position, to the end
// of what has to be believed, or, with next −1, nowhere.
func (j *judge) leads(position int64) (next int64, end bool, err error) {
	if position == j.end {
		return 0, true, nil
	}
	if sound, err := j.soundAtPosition(position); err != nil || sound {
		return 0, sound, err
	}
	var header [maxHeader]byte
	head := header[:min(j.end-position, maxHeader)]
	if err := blocks.ReadFull(j.r, head, position); err != nil {
		return 0, false, err
	}
	if zeros(head) == len(head) {
		return 0, true, nil
	}
	if len(head) < minHeader {
		return -1, false, nil
	}
	var b Batch
	parseHeader(&b, head, position)
	if !plausible(&b, head) || b.Size > j.end-position {
		return -1, false, nil
	}
	return b.EndPosition(), false, nil
}

// broken is where a chain that begins at position is remembered, if it is; nil
// where none is.
func (j *judge) broken(position int64) *brokenChain {
	if j.chains == nil {
		return nil
	}
	return &j.chains[uint64(position)*0x9e3779b97f4a7c15>>48]
}

// breaks remembers a chain that leads through the positions on the way, and
// through some headers more, before it breaks. Of short ones it need not know.
func (j *judge) breaks(way []int64, more int) {
	if len(way)+more < 4 {
		return
	}
	if j.chains == nil {
		j.chains = make([]brokenChain, brokenChains)
	}
	for i, position := range way {
		*j.broken(position) = brokenChain{position, len(way) - i - 1 + more}
	}
}
