package indexview

import (
	"fmt"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/sanity"
)

// Findings turns the entries that are False into findings: consecutive ones
// with the same fault are one finding, with detail.lastSlot and detail.count.
type Findings struct {
	File string
	Kind indexfile.Kind
	List []sanity.Finding
}

// Offsets adds the false ones of views.
func (f *Findings) Offsets(views []Offset) {
	for i := range views {
		if v := &views[i]; v.Verdict == False {
			f.add(v.Slot, v.Code, v.Offset, v.Why())
		}
	}
}

// Times adds the false ones of views.
func (f *Findings) Times(views []Time) {
	for i := range views {
		if v := &views[i]; v.Verdict == False {
			f.add(v.Slot, v.Code, v.Offset, v.Why())
		}
	}
}

// Txns adds the false ones of views.
func (f *Findings) Txns(views []Txn) {
	for i := range views {
		if v := &views[i]; v.Verdict == False {
			f.add(v.Slot, v.Code, v.LastOffset, v.Why())
		}
	}
}

func (f *Findings) add(slot int, code sanity.Code, offset int64, why string) {
	size := int64(f.Kind.EntrySize())
	if n := len(f.List); n > 0 {
		last := &f.List[n-1]
		if last.Code == code && last.EndPosition == int64(slot)*size {
			last.EndPosition += size
			count, _ := last.Detail["count"].(int)
			last.Detail["count"], last.Detail["lastSlot"] = count+1, slot
			return
		}
	}
	finding := sanity.At(code, f.File)
	finding.Slot, finding.Position = int64(slot), int64(slot)*size
	finding.EndPosition = finding.Position + size
	finding.Offset = max(offset, -1)
	finding.Message = why
	finding.Broker = brokerText(code)
	finding.Detail = map[string]any{"count": 1, "lastSlot": slot}
	f.List = append(f.List, finding)
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
