package cmd

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kafsck/kafsck/internal/statefile"
)

// columns writes plain text in aligned columns, one block after the other. What
// comes from records is quoted.
type columns struct {
	*emitter
	title string
	rows  [][]string
}

func (c *columns) header(cells ...string) { c.rows = [][]string{cells} }

func (c *columns) row(cells ...string) {
	for i := range cells {
		cells[i] = quoted(cells[i])
	}
	c.rows = append(c.rows, cells)
}

// section ends the block before and begins one under a title, which isn't
// written if no row follows.
func (c *columns) section(title string, header ...string) {
	c.endBlock()
	c.title = title
	c.header(header...)
}

// endBlock writes the block, or nothing if it has a header alone.
func (c *columns) endBlock() {
	rows, title := c.rows, c.title
	c.rows, c.title = nil, ""
	if len(rows) < 2 {
		return
	}
	if title != "" {
		c.line("\n%s:", title)
	}
	widths := columnWidths(rows[0], rows[1:])
	if width := terminalWidth(c.global.streams.Out, 0); width > 0 && rowWidth(widths, 2) > width {
		c.keep(writeBlocks(c.out, "  ", rows[0], rows[1:], width))
		return
	}
	for _, row := range rows {
		line := "  "
		for i, cell := range row {
			line += cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
		}
		c.line("%s", strings.TrimRight(line, " "))
	}
}

// sortedKeys are the keys of a map in order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

func orDash(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

// topicText is a topic's name, or its id where there is no name.
func topicText(name string, id *statefile.UUID) string {
	if name == "" && id != nil {
		return id.String()
	}
	return name
}

// clockText is a time for a column, "-" for none.
func clockText(ms int64) string {
	if ms < 0 {
		return "-"
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}
