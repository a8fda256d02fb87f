package indexview

import (
	"fmt"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/sanity"
)

// Findings turns the entries that are False into findings: consecutive ones
// with the same fault are one finding, with detail.lastSlot and detail.count. Of
// a code there are sanity.MostOfCode; the last of them counts the rest.
type Findings struct {
	File string
	Kind indexfile.Kind

	runs []run
	last map[sanity.Code]int // the last run of a code
	seen map[sanity.Code]int // how many runs of it there are
}

// run is a finding under way. entries is how many faults are in it: one that
// others are counted in isn't about all slots up to the last one.
type run struct {
	finding           sanity.Finding
	entries, lastSlot int
}

// Offsets adds the false ones of views.
func (f *Findings) Offsets(views []Offset) {
	for i := range views {
		if v := &views[i]; v.Verdict == False {
			f.add(v.Slot, v.Code, v.Offset, v.Why)
		}
	}
}

// Times adds the false ones of views.
func (f *Findings) Times(views []Time) {
	for i := range views {
		if v := &views[i]; v.Verdict == False {
			f.add(v.Slot, v.Code, v.Offset, v.Why)
		}
	}
}

// Txns adds the false ones of views.
func (f *Findings) Txns(views []Txn) {
	for i := range views {
		if v := &views[i]; v.Verdict == False {
			f.add(v.Slot, v.Code, v.LastOffset, v.Why)
		}
	}
}

func (f *Findings) add(slot int, code sanity.Code, offset int64, why func() string) {
	last, known := f.last[code]
	follows := known && last == len(f.runs)-1 && f.runs[last].lastSlot == slot-1
	if follows || f.seen[code] >= sanity.MostOfCode {
		r := &f.runs[last]
		r.entries, r.lastSlot = r.entries+1, slot
		return
	}
	if f.last == nil {
		f.last, f.seen = make(map[sanity.Code]int), make(map[sanity.Code]int)
	}
	finding := sanity.At(code, f.File)
	finding.Slot, finding.Position = int64(slot), int64(slot)*int64(f.Kind.EntrySize())
	finding.Offset = max(offset, -1)
	finding.Message = why()
	finding.Broker = brokerText(code)
	f.last[code] = len(f.runs)
	f.seen[code]++
	f.runs = append(f.runs, run{finding, 1, slot})
}

// List are the findings, in the order of their first entries.
func (f *Findings) List() []sanity.Finding {
	list := make([]sanity.Finding, len(f.runs))
	for i, r := range f.runs {
		list[i] = r.finding
		list[i].EndPosition = int64(r.lastSlot+1) * int64(f.Kind.EntrySize())
		list[i].Detail = map[string]any{"count": r.entries, "lastSlot": r.lastSlot}
		if between := r.lastSlot + 1 - int(r.finding.Slot); r.entries < between {
			list[i].Message += fmt.Sprintf("; the first of %d up to slot %d", r.entries, r.lastSlot)
		}
	}
	return list
}

func brokerText(code sanity.Code) string {
	switch code {
	case sanity.TxnIndexVersion:
		return "the load of the partition fails, and so does every fetch of committed data that meets it"
	case sanity.TxnIndexNotIncreasing, sanity.TxnIndexMismatch:
		return "consumers of committed data may be given aborted records"
	case sanity.TimeIndexZeroHole, sanity.TimeIndexOffsetOutOfRange, sanity.TimeIndexNotIncreasing, sanity.TimeIndexMismatch:
		return "searches by timestamp may answer wrongly"
	}
	return "lookups that use this entry fail or land wrongly"
}

// Why says in words what is wrong with a False entry.
func (v *Offset) Why() string {
	switch v.Code {
	case sanity.IndexZeroHole:
		return "a zero slot with entries behind it"
	case sanity.IndexOffsetOutOfRange:
		if v.RelativeOffset < 0 {
			return fmt.Sprintf("relative offset %d", v.RelativeOffset)
		}
		return fmt.Sprintf("offset %d, which the log does not reach", v.Offset)
	case sanity.IndexPositionOutOfRange:
		return fmt.Sprintf("position %d", v.Position)
	case sanity.IndexBeyondLog:
		return fmt.Sprintf("position %d is behind the end of the log", v.Position)
	case sanity.IndexNotIncreasing:
		return "does not rise above the entries in front of it"
	case sanity.IndexPositionNotABatch:
		return fmt.Sprintf("no batch begins at position %d", v.Position)
	case sanity.IndexOffsetMismatch:
		return fmt.Sprintf("offset %d, but the batch at position %d has %d to %d", v.Offset, v.Position, v.BatchBaseOffset, v.BatchLastOffset)
	}
	return ""
}

// Why says in words what is wrong with a False entry.
func (v *Time) Why() string {
	switch v.Code {
	case sanity.TimeIndexZeroHole:
		return "a zero slot with entries behind it"
	case sanity.TimeIndexOffsetOutOfRange:
		return fmt.Sprintf("offset %d is not in the log", v.Offset)
	case sanity.TimeIndexNotIncreasing:
		return "does not rise above the entries in front of it"
	case sanity.TimeIndexMismatch:
		if v.before >= v.Timestamp {
			return fmt.Sprintf("timestamp %d, but %d stands in front of the batch of offset %d", v.Timestamp, v.before, v.Offset)
		}
		return fmt.Sprintf("timestamp %d, but the batch of offset %d has %d", v.Timestamp, v.Offset, v.BatchMaxTimestamp)
	}
	return ""
}

// Why says in words what is wrong with a False entry.
func (v *Txn) Why() string {
	switch v.Code {
	case sanity.TxnIndexVersion:
		return fmt.Sprintf("version %d, where %d is the only one", v.Version, indexfile.TxnVersion)
	case sanity.TxnIndexNotIncreasing:
		return fmt.Sprintf("last offset %d does not rise above the entries in front of it", v.LastOffset)
	case sanity.TxnIndexMismatch:
		if v.Held && !v.marker && v.BatchBaseOffset <= v.LastOffset {
			return fmt.Sprintf("no abort marker of producer %d at offset %d", v.ProducerID, v.LastOffset)
		}
		return fmt.Sprintf("offsets %d to %d with last stable offset %d can't be", v.FirstOffset, v.LastOffset, v.LastStableOffset)
	}
	return ""
}
