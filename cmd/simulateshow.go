package cmd

import (
	"fmt"
	"strconv"

	"github.com/kafsck/kafsck/internal/page"
	"github.com/kafsck/kafsck/internal/simulate"
)

type simulationJSON struct {
	Type            string  `json:"type"`
	File            string  `json:"file"`
	Interval        int64   `json:"interval"`
	SegmentBytes    *int64  `json:"segmentBytes"`
	Entries         int64   `json:"entries"`
	IndexBytes      int64   `json:"indexBytes"`
	Rolls           int64   `json:"rolls"`
	EarlyRolls      int64   `json:"earlyRolls"`
	ScanBytesMean   float64 `json:"scanBytesMean"`
	ScanBytesP99    int64   `json:"scanBytesP99"`
	ScanBytesMax    int64   `json:"scanBytesMax"`
	ScanBatchesMax  int64   `json:"scanBatchesMax"`
	EntriesReadMean float64 `json:"entriesReadMean"`
	Advice          string  `json:"advice"`
}

// adviceWords are the values of advice, and what people are told.
var adviceWords = map[simulate.Advice][2]string{
	simulate.Balanced:    {"balanced", "balanced"},
	simulate.TooSparse:   {"too-sparse", "too sparse: lookups scan %s on average"},
	simulate.NoEntries:   {"no-entries", "no entry: no segment is larger than the interval, and every lookup scans from its start"},
	simulate.EveryBatch:  {"every-batch", "as dense as it gets: nearly every batch has an entry"},
	simulate.IndexTooBig: {"index-too-big", "larger than segment.index.bytes (%s): a broker has to roll before the segment is full"},
}

func adviceText(r *simulate.Simulation) string {
	text := adviceWords[r.Advice()][1]
	switch r.Advice() {
	case simulate.TooSparse:
		return fmt.Sprintf(text, bytesText(int64(r.ScanBytesMean)))
	case simulate.IndexTooBig:
		return fmt.Sprintf(text, bytesText(r.MaxIndexBytes))
	}
	return text
}

// bytesText is a size for people.
func bytesText(n int64) string { return page.BytesText(n) }

// show writes the outcome; for a table it returns the rows.
func (s *simulation) show(e *emitter) (rows [][]string) {
	for i, rule := range s.rules {
		r := rule.Result()
		switch e.format {
		case formatJSON:
			o := simulationJSON{"simulation", s.file, r.Interval, nil, r.Entries, r.IndexBytes, r.Rolls, r.EarlyRolls,
				r.ScanBytesMean, r.ScanBytesP99, r.ScanBytesMax, r.ScanBatchesMax, r.EntriesReadMean, adviceWords[r.Advice()][0]}
			if r.SegmentBytes > 0 {
				o.SegmentBytes = &r.SegmentBytes
			}
			e.object(o)
		case formatTable:
			number := func(n int64) string { return strconv.FormatInt(n, 10) }
			rows = append(rows, []string{s.file, number(r.Interval), number(r.Entries), number(r.IndexBytes), number(r.Rolls),
				fmt.Sprintf("%.1f", r.ScanBytesMean), number(r.ScanBytesP99), number(r.ScanBytesMax), number(r.ScanBatchesMax),
				fmt.Sprintf("%.2f", r.EntriesReadMean), adviceWords[r.Advice()][0]})
		default:
			if i == 0 {
				s.head(e, &r)
			}
			e.line("%12d %9d %11s %6d  %10s %10s %10s %8d %8.1f", r.Interval, r.Entries, bytesText(r.IndexBytes), r.Rolls,
				bytesText(int64(r.ScanBytesMean)), bytesText(r.ScanBytesP99), bytesText(r.ScanBytesMax), r.ScanBatchesMax, r.EntriesReadMean)
			e.line("%12s %s", "", adviceText(&r))
		}
	}
	return rows
}

// simulationColumns is the width of the lines of text.
const simulationColumns = 93

func (s *simulation) head(e *emitter, r *simulate.Simulation) {
	if r.Batches == 0 {
		e.line("%s: no batch", quoted(s.file))
		return
	}
	e.line("%s: %s of %s, from %s to %s", quoted(s.file), counted(r.Batches, "batch"), bytesText(r.Bytes), bytesText(s.small), bytesText(s.large))
	e.line("                                               scanned by a lookup              most  entries")
	e.line("    interval   entries       index  rolls        mean        p99        max  batches     read")
}

func simulationTable(e *emitter, rows [][]string) {
	e.table([]string{"file", "interval", "entries", "indexBytes", "rolls", "scanBytesMean", "scanBytesP99",
		"scanBytesMax", "scanBatchesMax", "entriesReadMean", "advice"}, rows)
}
