package cmd

import (
	"strconv"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/lookup"
)

type lookupJSON struct {
	Type            string            `json:"type"`
	Target          map[string]int64  `json:"target"`
	Segment         *segmentJSON      `json:"segment"`
	EntriesRead     []offsetEntryJSON `json:"entriesRead"`
	WarmSection     *bool             `json:"warmSection"`
	IndexEntry      *offsetEntryJSON  `json:"indexEntry"`
	StartPosition   *int64            `json:"startPosition"`
	BatchesScanned  int               `json:"batchesScanned"`
	BytesScanned    int64             `json:"bytesScanned"`
	RecordsScanned  int64             `json:"recordsScanned"`
	Found           *foundJSON        `json:"found"`
	IndexTruthful   *bool             `json:"indexTruthful"`
	TimeEntriesRead []timeEntryJSON   `json:"timeEntriesRead"`
	TimeWarmSection *bool             `json:"timeWarmSection"`
	TimeIndexEntry  *timeEntryJSON    `json:"timeIndexEntry"`
	FetchPosition   *int64            `json:"fetchPosition"`
	// SegmentsPassed are those in front that were searched in vain.
	SegmentsPassed []segmentJSON `json:"segmentsPassed"`
	// Absent says why found is null.
	Absent *string `json:"absent"`
}

type segmentJSON struct {
	File       string `json:"file"`
	BaseOffset int64  `json:"baseOffset"`
}

type offsetEntryJSON struct {
	Slot     int   `json:"slot"`
	Offset   int64 `json:"offset"`
	Position int32 `json:"position"`
}

type timeEntryJSON struct {
	Slot      int   `json:"slot"`
	Timestamp int64 `json:"timestamp"`
	Offset    int64 `json:"offset"`
}

type foundJSON struct {
	BatchPosition   int64  `json:"batchPosition"`
	BatchBaseOffset int64  `json:"batchBaseOffset"`
	BatchLastOffset int64  `json:"batchLastOffset"`
	Offset          *int64 `json:"offset"`
	Timestamp       *int64 `json:"timestamp"`
}

// absentWords are the values of absent.
var absentWords = map[lookup.Absence]string{
	lookup.BeforeStart:  "before-log-start",
	lookup.AtEnd:        "at-log-end",
	lookup.PastEnd:      "past-log-end",
	lookup.NothingLeft:  "nothing-left",
	lookup.NoSuchTime:   "no-such-time",
	lookup.NoTimeInside: "no-record-in-segment",
}

func lookupObject(r *lookup.Result) *lookupJSON {
	o := &lookupJSON{
		Type: "lookup", Target: map[string]int64{"offset": r.Target.Offset}, IndexTruthful: r.Truthful,
		EntriesRead: []offsetEntryJSON{}, TimeEntriesRead: []timeEntryJSON{}, SegmentsPassed: []segmentJSON{},
	}
	if r.Target.ByTime {
		o.Target = map[string]int64{"timestamp": r.Target.Timestamp}
	}
	if word, ok := absentWords[r.Why]; ok && r.Found == nil {
		o.Absent = &word
	}
	if f := r.Found; f != nil {
		o.Found = &foundJSON{BatchPosition: f.BatchPosition, BatchBaseOffset: f.BatchBaseOffset, BatchLastOffset: f.BatchLastOffset}
		if f.HasRecord {
			o.Found.Offset, o.Found.Timestamp = &f.Offset, &f.Timestamp
		}
	}
	for i := range r.Walks {
		w := &r.Walks[i]
		s := segmentJSON{w.Segment.Log.Path, w.Segment.BaseOffset}
		if i < len(r.Walks)-1 {
			o.SegmentsPassed = append(o.SegmentsPassed, s)
			continue
		}
		o.Segment = &s
		o.walk(w)
	}
	return o
}

// walk fills in the steps in the segment where the lookup ended.
func (o *lookupJSON) walk(w *lookup.Walk) {
	o.StartPosition = &w.StartPosition
	o.BatchesScanned, o.BytesScanned, o.RecordsScanned = w.Batches, w.Bytes(), w.Records
	if w.FetchPosition >= 0 {
		o.FetchPosition = &w.FetchPosition
	}
	for _, r := range w.Offset.Read {
		o.EntriesRead = append(o.EntriesRead, offsetJSON(r.Slot, r.Entry))
	}
	if len(w.Offset.Read) > 0 {
		o.WarmSection = &w.Offset.Warm
	}
	if w.Offset.Used() {
		e := offsetJSON(w.Offset.Slot, w.Offset.Entry)
		o.IndexEntry = &e
	}
	t := w.Time
	if t == nil {
		return
	}
	for _, r := range t.Read {
		o.TimeEntriesRead = append(o.TimeEntriesRead, timeEntryJSON{r.Slot, r.Entry.Timestamp, r.Entry.Offset})
	}
	if len(t.Read) > 0 {
		o.TimeWarmSection = &t.Warm
	}
	if t.Used() {
		o.TimeIndexEntry = &timeEntryJSON{t.Slot, t.Entry.Timestamp, t.Entry.Offset}
	}
}

func offsetJSON(slot int, e indexfile.OffsetEntry) offsetEntryJSON {
	return offsetEntryJSON{slot, e.Offset, e.Position}
}

// lookupTable is one line with the outcome and the costs.
func lookupTable(e *emitter, path string, r *lookup.Result) {
	o := lookupObject(r)
	number := func(n *int64) string {
		if n == nil {
			return "-"
		}
		return strconv.FormatInt(*n, 10)
	}
	row := []string{path, "-", "-", "-", "-", number(o.StartPosition), strconv.Itoa(len(o.EntriesRead) + len(o.TimeEntriesRead)),
		strconv.Itoa(o.BatchesScanned), strconv.FormatInt(o.BytesScanned, 10), strconv.FormatInt(o.RecordsScanned, 10)}
	if o.Segment != nil {
		row[1] = strconv.FormatInt(o.Segment.BaseOffset, 10)
	}
	if o.Found != nil {
		row[2], row[3], row[4] = number(o.Found.Offset), number(o.Found.Timestamp), number(&o.Found.BatchPosition)
	}
	e.table([]string{"path", "segment", "offset", "timestamp", "batchPosition", "startPosition",
		"entriesRead", "batchesScanned", "bytesScanned", "recordsScanned"}, [][]string{row})
}
