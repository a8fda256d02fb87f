package cmd

import (
	"math/bits"
	"strconv"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/indexview"
)

// judgedJSON are the fields that only a log beside the index can fill.
type judgedJSON struct {
	BatchBaseOffset *int64 `json:"batchBaseOffset"`
	BatchLastOffset *int64 `json:"batchLastOffset"`
	OK              *bool  `json:"ok"`
	Stale           bool   `json:"stale"`
}

func judged(j indexview.Judgement, held bool, base, last int64) judgedJSON {
	o := judgedJSON{Stale: j.Verdict == indexview.Stale}
	if held {
		o.BatchBaseOffset, o.BatchLastOffset = &base, &last
	}
	if ok := j.Verdict == indexview.True; ok || j.Verdict == indexview.False {
		o.OK = &ok
	}
	return o
}

type offsetViewJSON struct {
	Type           string `json:"type"`
	File           string `json:"file"`
	Slot           int    `json:"slot"`
	RelativeOffset int32  `json:"relativeOffset"`
	Offset         int64  `json:"offset"`
	Position       int32  `json:"position"`
	judgedJSON
}

type timeViewJSON struct {
	Type           string `json:"type"`
	File           string `json:"file"`
	Slot           int    `json:"slot"`
	Timestamp      int64  `json:"timestamp"`
	RelativeOffset int32  `json:"relativeOffset"`
	Offset         int64  `json:"offset"`
	judgedJSON
}

type txnViewJSON struct {
	Type             string `json:"type"`
	File             string `json:"file"`
	Slot             int    `json:"slot"`
	Version          int16  `json:"version"`
	ProducerID       int64  `json:"producerId"`
	FirstOffset      int64  `json:"firstOffset"`
	LastOffset       int64  `json:"lastOffset"`
	LastStableOffset int64  `json:"lastStableOffset"`
	judgedJSON
}

func offsetViewObject(file string, v *indexview.Offset) offsetViewJSON {
	return offsetViewJSON{"offset-entry", file, v.Slot, v.RelativeOffset, v.Offset, v.Position,
		judged(v.Judgement, v.AtBatch, v.BatchBaseOffset, v.BatchLastOffset)}
}

func timeViewObject(file string, v *indexview.Time) timeViewJSON {
	return timeViewJSON{"time-entry", file, v.Slot, v.Timestamp, v.RelativeOffset, v.Offset,
		judged(v.Judgement, v.Held, v.BatchBaseOffset, v.BatchLastOffset)}
}

func txnViewObject(file string, v *indexview.Txn) txnViewJSON {
	return txnViewJSON{"txn-entry", file, v.Slot, v.Version, v.ProducerID, v.FirstOffset, v.LastOffset, v.LastStableOffset,
		judged(v.Judgement, v.Held, v.BatchBaseOffset, v.BatchLastOffset)}
}

type indexSummaryJSON struct {
	Type           string `json:"type"`
	File           string `json:"file"`
	Kind           string `json:"kind"`
	Entries        int    `json:"entries"`
	UsedBytes      int64  `json:"usedBytes"`
	FileBytes      int64  `json:"fileBytes"`
	Preallocated   bool   `json:"preallocated"`
	WarmFirstSlot  *int   `json:"warmFirstSlot"`
	Right          int    `json:"right"`
	Wrong          int    `json:"wrong"`
	Stale          int    `json:"stale"`
	Unchecked      int    `json:"unchecked"`
	DistanceMin    *int64 `json:"distanceMin"`
	DistanceMedian *int64 `json:"distanceMedian"`
	DistanceMax    *int64 `json:"distanceMax"`
	Interval       *int64 `json:"suggestedInterval"`
}

func indexSummaryObject(r *indexReport) indexSummaryJSON {
	s := &r.summary
	o := indexSummaryJSON{Type: "index-summary", File: r.file.Path, Kind: r.file.Kind.String(), Entries: r.layout.Entries,
		UsedBytes: r.layout.UsedBytes(), FileBytes: r.layout.FileBytes, Preallocated: r.layout.Preallocated(),
		Right: s.Right, Wrong: s.Wrong, Stale: s.Stale, Unchecked: s.Unchecked}
	if r.file.Kind != indexfile.Txn { // read from its first entry on
		warm := r.file.Kind.WarmFirstSlot(r.layout.Entries)
		o.WarmFirstSlot = &warm
	}
	if d := &r.distances; d.Count > 0 {
		o.DistanceMin, o.DistanceMedian, o.DistanceMax = &d.Min, &d.Median, &d.Max
	}
	if interval, ok := suggestedInterval(s); ok {
		o.Interval = &interval
	}
	return o
}

// suggestedInterval is an index.interval.bytes with which the index could have
// been written: Kafka's default if that fits, else a power of two, else the
// largest that does.
func suggestedInterval(s *indexview.Summary) (int64, bool) {
	const standard = 4096
	low, high := s.IntervalLow, s.IntervalHigh
	switch {
	case high < 0:
		return 0, false
	case high >= standard && (low <= standard || low > high):
		return standard, true
	case high > 0:
		if power := int64(1) << (bits.Len64(uint64(high)) - 1); power >= low {
			return power, true
		}
	}
	return high, true
}

// indexTable is one line a file.
func indexTable(e *emitter, reports []*indexReport) {
	rows := make([][]string, 0, len(reports))
	number := func(n *int64) string {
		if n == nil {
			return "-"
		}
		return strconv.FormatInt(*n, 10)
	}
	for _, r := range reports {
		o := indexSummaryObject(r)
		warm := "-"
		if o.WarmFirstSlot != nil {
			warm = strconv.Itoa(*o.WarmFirstSlot)
		}
		rows = append(rows, []string{o.File, o.Kind, strconv.Itoa(o.Entries), strconv.FormatInt(o.UsedBytes, 10),
			strconv.FormatInt(o.FileBytes, 10), strconv.FormatBool(o.Preallocated), warm, strconv.Itoa(o.Wrong), strconv.Itoa(o.Stale),
			number(o.DistanceMin), number(o.DistanceMedian), number(o.DistanceMax), number(o.Interval)})
	}
	e.table([]string{"file", "kind", "entries", "usedBytes", "fileBytes", "preallocated", "warmFirstSlot", "wrong", "stale",
		"distanceMin", "distanceMedian", "distanceMax", "suggestedInterval"}, rows)
}
