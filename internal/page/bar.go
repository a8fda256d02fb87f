package page

import "fmt"

// RangeKind is what becomes of a part of a log.
type RangeKind string

// The kinds.
const (
	RangeDamaged RangeKind = "damaged"
	RangeCut     RangeKind = "cut"  // goes, and holds nothing sound
	RangeLost    RangeKind = "lost" // goes, though it is sound
)

// Range is a part of a log, positions in bytes.
type Range struct {
	From, To int64
	Kind     RangeKind
}

// Log is a segment's log, with what is not sound in it.
type Log struct {
	Name   string
	Size   int64
	Ranges []Range // later ones lie above earlier ones
}

// bar draws the logs of a partition side by side, true to size, on a canvas of
// barWidth units.
type bar struct {
	Width int
	Boxes []box
	Text  string // for those who don't see it
}

// box is a rectangle of a bar.
type box struct {
	X, Width, Y, Height float64
	Class, Title        string
}

const (
	barWidth = 1000
	// maxBoxes is how many logs have a box of their own.
	maxBoxes = 400
	// visible is how wide a range is at least, however small.
	visibleWidth = 3.0
)

// heights: a range differs from others in its shape, not only in its colour.
var heights = map[RangeKind][2]float64{RangeDamaged: {1, 26}, RangeLost: {9, 10}, RangeCut: {11, 6}}

func newBar(logs []Log) bar {
	b := bar{Width: barWidth}
	total := int64(0)
	for i := range logs {
		total += max(logs[i].Size, 0)
	}
	if total == 0 {
		return b
	}
	gap := 1.0
	if len(logs) > maxBoxes {
		gap = 0
	}
	scale := barWidth / float64(total)
	begin, drawn, troubled := int64(0), -1.0, 0
	for i := range logs {
		l := &logs[i]
		x, width := float64(begin)*scale, float64(l.Size)*scale
		begin += max(l.Size, 0)
		// Of very many logs, those without a range are drawn where one can see
		// them.
		if len(l.Ranges) == 0 && width < barWidth/float64(maxBoxes*2) && x < drawn+1 && len(logs) > maxBoxes {
			continue
		}
		drawn = x
		b.Boxes = append(b.Boxes, box{x, max(width-gap, 0.6), 5, 18, "sound", fmt.Sprintf("%s, %s", l.Name, BytesText(l.Size))})
		if len(l.Ranges) > 0 {
			troubled++
		}
		for _, r := range l.Ranges {
			from, to := min(max(r.From, 0), l.Size), min(max(r.To, r.From), l.Size)
			w := max(float64(to-from)*scale, visibleWidth)
			at := min(x+float64(from)*scale, barWidth-w)
			if r.Kind != RangeDamaged {
				// What goes is no longer drawn as sound.
				b.Boxes = append(b.Boxes, box{at, w, 5, 18, "gone", ""})
			}
			h := heights[r.Kind]
			b.Boxes = append(b.Boxes, box{at, w, h[0], h[1], string(r.Kind), fmt.Sprintf("%s, position %d to %d: %s", l.Name, from, to, r.Kind)})
		}
	}
	b.Text = fmt.Sprintf("%s, %s in all; %d of them not sound throughout.", plural(len(logs), "segment", "segments"), BytesText(total), troubled)
	return b
}
