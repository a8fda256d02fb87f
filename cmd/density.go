package cmd

import (
	"fmt"
	"math"
	"strings"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/indexview"
)

// density collects where entries lie: positions, timestamps or offsets. It
// keeps so many of them that a picture is right to a cell.
type density struct {
	values []int64
	stride int // every how manieth value is kept
	seen   int
}

const maxDensity = 1 << 16

func (d *density) add(v int64) {
	d.stride = max(d.stride, 1)
	if d.seen%d.stride == 0 {
		if len(d.values) == maxDensity {
			for i := range maxDensity / 2 {
				d.values[i] = d.values[2*i]
			}
			d.values = d.values[:maxDensity/2]
			d.stride *= 2
		}
		if d.seen%d.stride == 0 {
			d.values = append(d.values, v)
		}
	}
	d.seen++
}

// levels are the heights of a cell, from one entry to as many as in the fullest.
const levels = "▁▂▃▄▅▆▇█"

// draw draws one line of cells, each as high as there are entries in it.
func (d *density) draw(e *emitter, paint painter, kind indexfile.Kind, file *indexview.File) {
	if len(d.values) < 2 {
		return
	}
	lo, hi := int64(0), int64(math.MinInt64)
	if kind == indexfile.Offset && file.Log != nil {
		hi = file.Log.Size - 1
	}
	if kind != indexfile.Offset {
		lo = math.MaxInt64
	}
	for _, v := range d.values {
		lo, hi = min(lo, v), max(hi, v)
	}
	if hi <= lo {
		return
	}
	const margin = 2
	cells := make([]int, e.global.pictureWidth()-2*margin)
	most := 0
	for _, v := range d.values {
		// As floats: timestamps of damaged entries lie further apart than 2^63.
		i := int((float64(v) - float64(lo)) / (float64(hi) - float64(lo) + 1) * float64(len(cells)))
		i = min(max(i, 0), len(cells)-1)
		cells[i]++
		most = max(most, cells[i])
	}
	var line strings.Builder
	marks := []rune(levels)
	for _, n := range cells {
		if n == 0 {
			line.WriteString(paint.do(ground, "·"))
			continue
		}
		line.WriteString(paint.do(gold, string(marks[(n*len(marks)-1)/most])))
	}
	unit, left, right := "log", "position 0", fmt.Sprintf("position %d", hi)
	switch kind {
	case indexfile.Time:
		unit, left, right = "time", timeText(lo), timeText(hi)
	case indexfile.Txn:
		unit, left, right = "offsets", fmt.Sprintf("offset %d", lo), fmt.Sprintf("offset %d", hi)
	}
	e.line("")
	e.line("  entries over the %s: · none, █ %d in a cell", unit, most*d.stride)
	e.line("  %s", line.String())
	gap := len(cells) - len([]rune(left)) - len([]rune(right))
	e.line("  %s%s%s", left, strings.Repeat(" ", max(gap, 1)), right)
}
