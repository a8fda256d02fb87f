package cmd

import (
	"fmt"
	"strings"

	"github.com/kafsck/kafsck/internal/lookup"
)

// mapMargin is the width of the names at the left of a map.
const mapMargin = 10

// lookupMap draws a lookup: the cells of the index with those read darkened,
// the cells of the log with those scanned in gold, and the landing outlined.
type lookupMap struct {
	e     *emitter
	paint painter
	width int // cells that fit beside the names
}

// drawLookup draws the walk that ended the lookup. Shapes tell everything;
// colours are added where there are any.
func drawLookup(e *emitter, paint painter, r *lookup.Result) {
	if len(r.Walks) == 0 {
		return
	}
	m := lookupMap{e: e, paint: paint, width: e.global.pictureWidth() - mapMargin - 2}
	w := &r.Walks[len(r.Walks)-1]
	e.line("")
	if w.Time != nil {
		drawSearch(&m, "timeindex", w.Time)
	}
	drawSearch(&m, "index", &w.Offset)
	m.log(w, r.Found)
	m.scan(w, r.Found)
	m.legend(r)
}

// row writes a line of the picture behind a name.
func (m *lookupMap) row(name, cells string) {
	m.e.line("%s", strings.TrimRight(fmt.Sprintf("  %-*s%s", mapMargin, name, cells), " "))
}

// The cells of an index.
const (
	cellIdle = '░'
	cellRead = '▓'
	cellUsed = '█'
)

// orderMarks tell in which order the cells were read.
const orderMarks = "123456789abcdefghijklmnopqrstuvwxyz"

// drawSearch draws the entries of an index, and below them which was read
// when.
func drawSearch[E any](m *lookupMap, name string, s *lookup.Search[E]) {
	if s.Entries == 0 {
		m.row(name, m.paint.do(ground, "(no entry is used)"))
		return
	}
	cells := min(s.Entries, m.width)
	wide := 1 // columns a cell
	if s.Entries*2 <= m.width {
		wide = 2
	}
	cell := func(slot int) int { return int(int64(slot) * int64(cells) / int64(s.Entries)) }
	kinds, order := []rune(strings.Repeat(string(cellIdle), cells)), []rune(strings.Repeat(" ", cells))
	for i, r := range s.Read {
		c := cell(r.Slot)
		kinds[c] = cellRead
		if order[c] == ' ' {
			order[c] = rune(orderMarks[min(i, len(orderMarks)-1)])
		}
	}
	if s.Used() {
		kinds[cell(s.Slot)] = cellUsed
	}
	if s.WarmFirstSlot > 0 && cell(s.WarmFirstSlot) > 0 {
		at := min(cell(s.WarmFirstSlot)*wide, m.width-6)
		m.row("", strings.Repeat(" ", at)+m.paint.do(faint, "┌ warm"))
	}
	var line strings.Builder
	for _, kind := range kinds {
		how := ground
		switch kind {
		case cellRead:
			how = ink
		case cellUsed:
			how = bright
		}
		line.WriteString(m.paint.do(how, string(kind)))
		line.WriteString(strings.Repeat(" ", wide-1))
	}
	m.row(name, line.String())
	var marks strings.Builder
	for _, mark := range order {
		marks.WriteRune(mark)
		marks.WriteString(strings.Repeat(" ", wide-1))
	}
	m.row("", m.paint.do(ink, strings.TrimRight(marks.String(), " ")))
	m.note(counted(int64(s.Entries), "entry"), perEntry(s.Entries, cells))
}

// perEntry tells how many entries a cell stands for.
func perEntry(entries, cells int) string {
	if entries == cells {
		return "a cell is one"
	}
	return fmt.Sprintf("a cell is %.1f of them", float64(entries)/float64(cells))
}

// log draws the whole log: what was scanned, and where the lookup landed.
func (m *lookupMap) log(w *lookup.Walk, found *lookup.Found) {
	if w.LogSize == 0 {
		m.row("log", m.paint.do(ground, "(empty)"))
		return
	}
	cells := m.width - 2 // the outline takes two
	if w.LogSize < int64(cells) {
		cells = int(w.LogSize)
	}
	cell := func(position int64) int {
		return min(int(float64(position)/float64(w.LogSize)*float64(cells)), cells-1)
	}
	kinds := []rune(strings.Repeat("░", cells))
	if w.Batches > 0 {
		for c := cell(w.StartPosition); c <= cell(max(w.EndPosition-1, w.StartPosition)); c++ {
			kinds[c] = cellRead
		}
	}
	landing := -1
	if found != nil {
		landing = cell(found.BatchPosition)
	}
	m.outlined("log", kinds, landing, 1, 0)
	parts := []string{bytesText(w.LogSize), "a cell is " + bytesText(w.LogSize/int64(cells))}
	if w.Batches > 0 {
		parts = append(parts, fmt.Sprintf("scanned from %d to %d", w.StartPosition, w.EndPosition), share(w.Bytes(), w.LogSize))
	}
	m.note(parts...)
}

// share is a part in percent.
func share(part, whole int64) string {
	percent := 100 * float64(part) / float64(max(whole, 1))
	if percent > 0 && percent < 0.01 {
		return "less than 0.01 %"
	}
	return fmt.Sprintf("%.3g %%", percent)
}

// outlined writes a line of cells, each so many columns wide with a gap behind
// it, and a box around one of them.
func (m *lookupMap) outlined(name string, kinds []rune, landing, wide, gap int) {
	var line strings.Builder
	for c, kind := range kinds {
		body := strings.Repeat(string(kind), wide)
		switch {
		case c == landing:
			line.WriteString(m.paint.do(bright, "│"+strings.Repeat("█", wide)+"│"))
			continue
		case kind == cellRead:
			body = m.paint.do(gold, body)
		default:
			body = m.paint.do(ground, body)
		}
		line.WriteString(body + strings.Repeat(" ", gap))
	}
	if landing < 0 {
		m.row(name, line.String())
		return
	}
	pad, bar := strings.Repeat(" ", landing*(wide+gap)), strings.Repeat("─", wide)
	m.row("", pad+m.paint.do(bright, "╭"+bar+"╮"))
	m.row(name, line.String())
	m.row("", pad+m.paint.do(bright, "╰"+bar+"╯"))
}

// scan draws the batches scanned one by one.
func (m *lookupMap) scan(w *lookup.Walk, found *lookup.Found) {
	n := len(w.Scanned)
	if n == 0 || n < w.Batches || n > m.width-2 {
		return // the log shows all there is to see
	}
	wide, gap := min((m.width-2)/n, 8), 0
	if wide > 2 {
		wide, gap = wide-1, 1 // batches side by side need an edge
	}
	landing := -1
	for i, position := range w.Scanned {
		if found != nil && position == found.BatchPosition {
			landing = i
		}
	}
	m.outlined("scan", []rune(strings.Repeat(string(cellRead), n)), landing, wide, gap)
	m.note(counted(int64(w.Batches), "batch"), "a cell is one")
}

// note writes small print, over as many lines as it takes.
func (m *lookupMap) note(parts ...string) {
	line := ""
	for _, part := range parts {
		if line != "" && len([]rune(line))+2+len([]rune(part)) > m.width {
			m.row("", m.paint.do(faint, line+","))
			line = ""
		}
		if line != "" {
			line += ", "
		}
		line += part
	}
	m.row("", m.paint.do(faint, line))
}

// legend explains the shapes that the picture has.
func (m *lookupMap) legend(r *lookup.Result) {
	w := &r.Walks[len(r.Walks)-1]
	var keys [][2]string
	var paints []paint
	key := func(how paint, shape, meaning string) {
		keys, paints = append(keys, [2]string{shape, meaning}), append(paints, how)
	}
	if len(w.Offset.Read) > 0 || w.Time != nil && len(w.Time.Read) > 0 {
		key(ink, string(cellRead), "read, in the order below")
		key(bright, string(cellUsed), "used")
	}
	key(gold, string(cellRead), "scanned")
	if r.Found != nil {
		key(bright, "│█│", "landed here")
	}
	key(ground, string(cellIdle), "not touched")
	line, columns := "", 0
	for i, k := range keys {
		width := len([]rune(k[0])) + 1 + len(k[1])
		if columns > 0 && columns+3+width > m.width {
			m.row("", line)
			line, columns = "", 0
		}
		if columns > 0 {
			line, columns = line+"   ", columns+3
		}
		line, columns = line+m.paint.do(paints[i], k[0])+" "+k[1], columns+width
	}
	m.row("", line)
}
