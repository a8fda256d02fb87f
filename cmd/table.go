package cmd

import (
	"io"
	"strconv"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/kafsck/kafsck/internal/dump"
)

// writeTable draws a bounded summary. Tables are for so many rows as there are
// files or partitions, never for batches or records: the library keeps every
// row. Cells are quoted, because it passes control characters through.
func writeTable(w io.Writer, header []string, rows [][]string) error {
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
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = string(dump.AppendQuoted(nil, cell))
		}
		if err := table.Append(cells); err != nil {
			return err
		}
	}
	return table.Render()
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
	return writeTable(global.streams.Out,
		[]string{"file", "kind", "bytes", "batches", "records", "firstOffset", "lastOffset", "findings"}, rows)
}
