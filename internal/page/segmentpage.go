package page

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/kafsck/kafsck/internal/lookup"
	"github.com/kafsck/kafsck/internal/simulate"
)

var segmentDocument = newDocument("segment", "rule.js", "segment.js")

// segmentPage is what the template shows.
type segmentPage struct {
	Title, File      string
	Told, Notes      []string
	Batches, Offsets int64
	Stops            []stopRow
	Data             segmentData
}

type stopRow struct{ simulate.Simulation }

// Mean is the mean scan in whole bytes.
func (r stopRow) Mean() int64 { return int64(r.ScanBytesMean) }

// segmentData is what the page's script reads. Offsets in it are relative to
// the base offset.
type segmentData struct {
	Base    string     `json:"base"` // a script can't hold all offsets as numbers
	Size    int64      `json:"size"`
	Batches int64      `json:"batches"`
	Group   int64      `json:"group"` // batches an item
	Count   int        `json:"count"` // items
	Items   string     `json:"items"`
	Index   *indexData `json:"index"`
	Guess   int64      `json:"guess"` // the interval of the index on disk, perhaps
	Stops   []stopData `json:"stops"`
	Target  *int64     `json:"target"`
}

type stopData struct {
	Interval   int64   `json:"interval"`
	Entries    int64   `json:"entries"`
	IndexBytes int64   `json:"indexBytes"`
	Mean       float64 `json:"mean"`
	P99        int64   `json:"p99"`
	Max        int64   `json:"max"`
	BatchesMax int64   `json:"batchesMax"`
	ReadMean   float64 `json:"readMean"`
}

// Write writes the page of a segment. With a lookup, it opens at its target.
func (s *Segment) Write(w io.Writer, version string, r *lookup.Result) error {
	p := segmentPage{
		Title: "How a broker finds a record in " + filepath.Base(s.File), File: s.File, Batches: s.Batches,
		Data: segmentData{
			Base: strconv.FormatInt(s.BaseOffset, 10), Size: s.Size, Batches: s.Batches,
			Items: s.thinned.text(), Index: s.index.data(), Guess: s.guess(),
		},
	}
	// Not before text, which takes neighbours together.
	p.Data.Group, p.Data.Count = max(s.thinned.group, 1), len(s.thinned.items)
	for i := range s.Stops {
		stop := &s.Stops[i]
		p.Offsets = stop.Offsets
		p.Stops = append(p.Stops, stopRow{*stop})
		p.Data.Stops = append(p.Data.Stops, stopData{stop.Interval, stop.Entries, stop.IndexBytes,
			stop.ScanBytesMean, stop.ScanBytesP99, stop.ScanBytesMax, stop.ScanBatchesMax, stop.EntriesReadMean})
	}
	if r != nil {
		p.Told = told(r)
		p.Data.Target = s.target(r)
		p.Title = title(r) + " in " + filepath.Base(s.File)
	}
	p.Notes = s.notes()
	return segmentDocument.write(w, version, p)
}

// guess is the interval that makes about as many entries as there are on disk.
func (s *Segment) guess() int64 {
	if s.index == nil {
		return 4096
	}
	for i := range s.Stops {
		if s.Stops[i].Entries <= int64(s.index.entries) {
			return s.Stops[i].Interval
		}
	}
	return 4096
}

// notes say where the page is not the whole truth.
func (s *Segment) notes() (notes []string) {
	if s.thinned.group > 1 {
		notes = append(notes, fmt.Sprintf("The log has %s batches, more than fit on a page: pictures and lookups take %d neighbours together and are about right (≈). The counts at every stop of the slider and in the table are made from all batches, and exact.",
			numberText(s.Batches), s.thinned.group))
	}
	if n := len(s.Damage) + s.DamageMore; n > 0 {
		notes = append(notes, fmt.Sprintf("The log is damaged at %s: %s. What lies there is left out of pictures and counts.", plural(n, "place", "places"), s.Damage[0]))
	}
	if x := s.index; x != nil && x.bad > 0 {
		notes = append(notes, fmt.Sprintf("The index on disk is wrong: %s no batch that begins at or below the offset. They are left out here; kafsck index lists them.", plural(x.bad, "entry leads to", "entries lead to")))
	}
	switch x := s.index; {
	case x == nil:
		notes = append(notes, "The index on disk is not shown: there is none, or it could not be read. What is drawn is what a broker would write.")
	case x.more > 0:
		notes = append(notes, fmt.Sprintf("%s of the index on disk lead elsewhere than a batch's beginning with its last offset; the first %d of them are shown.", plural(x.more+len(x.odd), "entry", "entries"), len(x.odd)))
	}
	return notes
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return numberText(int64(n)) + " " + many
}

func title(r *lookup.Result) string {
	if r.Target.ByTime {
		return "How a broker finds timestamp " + strconv.FormatInt(r.Target.Timestamp, 10)
	}
	return "How a broker finds offset " + strconv.FormatInt(r.Target.Offset, 10)
}

// target is the offset at which the page opens.
func (s *Segment) target(r *lookup.Result) *int64 {
	offset := r.Target.Offset
	switch {
	case r.Found != nil && r.Target.ByTime:
		offset = r.Found.BatchBaseOffset
		if r.Found.HasRecord {
			offset = r.Found.Offset
		}
	case r.Target.ByTime && len(r.Walks) > 0:
		offset = r.Walks[len(r.Walks)-1].FromOffset
	case r.Target.ByTime:
		return nil
	}
	relative := offset - s.BaseOffset
	return &relative
}

// told is how the lookup ended and what it cost, in sentences.
func told(r *lookup.Result) (lines []string) {
	if f := r.Found; f != nil {
		where := fmt.Sprintf("It is in the batch at position %d, offsets %d to %d.", f.BatchPosition, f.BatchBaseOffset, f.BatchLastOffset)
		if f.HasRecord && !r.Target.ByTime && f.Offset != r.Target.Offset {
			where = fmt.Sprintf("The offset itself is gone; the next record is %d, in the batch at position %d.", f.Offset, f.BatchPosition)
		} else if f.HasRecord && r.Target.ByTime {
			where = fmt.Sprintf("The first record at or after it has offset %d, in the batch at position %d.", f.Offset, f.BatchPosition)
		}
		lines = append(lines, where)
	} else {
		lines = append(lines, absences[r.Why])
	}
	if len(r.Walks) == 0 {
		return lines
	}
	w := &r.Walks[len(r.Walks)-1]
	read := len(w.Offset.Read)
	if w.Time != nil {
		read += len(w.Time.Read)
	}
	return append(lines, fmt.Sprintf("To find out, a broker reads %s of the index and scans %s, %s of %s.",
		plural(read, "entry", "entries"), plural(w.Batches, "batch", "batches"), BytesText(w.Bytes()), BytesText(w.LogSize)))
}

var absences = map[lookup.Absence]string{
	lookup.BeforeStart:  "Nothing is there: the offset is below the log start offset.",
	lookup.AtEnd:        "Nothing is there yet: it is the log end offset, which the next record will get.",
	lookup.PastEnd:      "Nothing is there: the offset is above the log end offset.",
	lookup.NothingLeft:  "Nothing is there: all records from it to the log end are gone.",
	lookup.NoSuchTime:   "Nothing is there: no segment has a timestamp so late.",
	lookup.NoTimeInside: "Nothing is there: the segment has no record for it.",
}
