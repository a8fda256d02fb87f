package cmd

import (
	"bufio"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/kafsck/kafsck/internal/dump"
)

// writeTable draws a bounded summary to w, which leads to stdout. Tables are for so many rows as there are
// files or partitions, never for batches or records: the library keeps every
// row. Cells are quoted, because it passes control characters through.
//
// On a terminal that is too narrow for it, each row is a block instead.
func (g *globalOptions) writeTable(w io.Writer, header []string, rows [][]string) error {
	for i, row := range rows {
		rows[i] = quotedCells(row)
	}
	if width := terminalWidth(g.streams.Out, 0); width > 0 && rowWidth(columnWidths(header, rows), 2) > width {
		return writeBlocks(w, "", header, rows, width)
	}
	table := tablewriter.NewTable(w,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.Off}},
		})),
		// Names in tables are those in JSON, so they keep their letters.
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAlignment(tw.AlignLeft),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
	)
	table.Header(header)
	for _, row := range rows {
		if err := table.Append(row); err != nil {
			return err
		}
	}
	return table.Render()
}

func quotedCells(row []string) []string {
	cells := make([]string, len(row))
	for i, cell := range row {
		cells[i] = quoted(cell)
	}
	return cells
}

// columnWidths are the widths of the widest cells of each column.
func columnWidths(header []string, rows [][]string) []int {
	widths := make([]int, len(header))
	measure := func(row []string) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	measure(header)
	for _, row := range rows {
		measure(row)
	}
	return widths
}

// rowWidth is how many columns of a terminal a row takes whose cells have a
// number of spaces around them.
func rowWidth(widths []int, spaces int) (n int) {
	for _, width := range widths {
		n += width + spaces
	}
	return n
}

// writeBlocks writes each row as its first cell on a line of its own and the
// others below it with their names, as many on a line as there is room for.
// Empty cells are left out.
func writeBlocks(w io.Writer, indent string, header []string, rows [][]string, width int) error {
	out := bufio.NewWriter(w)
	for _, row := range rows {
		_, _ = out.WriteString(indent + row[0])
		at := width // the others begin on a new line
		for i, cell := range row[1:] {
			if cell == "" {
				continue
			}
			pair := "  " + header[i+1] + " " + cell
			n := utf8.RuneCountInString(pair)
			if at+n > width {
				_, _ = out.WriteString("\n" + indent)
				at = len(indent)
			}
			_, _ = out.WriteString(pair)
			at += n
		}
		_ = out.WriteByte('\n')
	}
	return out.Flush()
}

// offsetOrDash is a number in a cell, or a dash where there is none.
func offsetOrDash(n int64) string {
	if n < 0 {
		return "-"
	}
	return strconv.FormatInt(n, 10)
}

// dumpTable is one line a file with its counts.
func dumpTable(global *globalOptions, files []dump.FileSummary) error {
	rows := make([][]string, 0, len(files))
	for _, f := range files {
		rows = append(rows, []string{
			f.File, f.Kind, strconv.FormatInt(f.Bytes, 10), strconv.FormatInt(f.Batches, 10),
			strconv.FormatInt(f.Records, 10), offsetOrDash(f.FirstOffset), offsetOrDash(f.LastOffset), strconv.FormatInt(f.Findings, 10),
		})
	}
	return global.writeTable(global.streams.Out,
		[]string{"file", "kind", "bytes", "batches", "records", "firstOffset", "lastOffset", "findings"}, rows)
}
