package cmd

import (
	"fmt"
	"path/filepath"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/lookup"
)

// lookupText tells a lookup step by step.
func lookupText(e *emitter, p *lookup.Partition, r *lookup.Result) {
	if r.Target.ByTime {
		e.line("timestamp %s in %s", timeText(r.Target.Timestamp), quoted(p.Path))
	} else {
		e.line("offset %d in %s", r.Target.Offset, quoted(p.Path))
	}
	if len(r.Considered) > 0 {
		consideredText(e, p, r.Considered)
	}
	for i := range r.Walks {
		w := &r.Walks[i]
		if !r.Target.ByTime {
			why := fmt.Sprintf("of %d segments the one with the greatest base offset ≤ %d", len(p.Segments), r.Target.Offset)
			switch {
			case len(p.Segments) == 1:
				why = "the only one"
			case i > 0:
				why = "the next one, because the one before has nothing left that is so late"
			}
			e.line("  segment   %s: %s", quoted(filepath.Base(w.Segment.Log.Path)), why)
		}
		walkText(e, p, r, w)
	}
	foundText(e, p, r)
	if r.Truthful != nil {
		verdict := "every entry of the index is true, and a scan from position 0 lands in the same place"
		if !*r.Truthful {
			verdict = "the index lies"
		}
		e.line("  verified  %s", verdict)
	}
}

var timeSources = map[lookup.TimeSource]string{
	lookup.FromTimeIndex: "by its time index",
	lookup.FromLog:       "by its batches",
	lookup.FromModTime:   "by the time of the file: no record in it has a timestamp",
}

// consideredText tells how a segment was chosen by time. Of many that are too
// old the last ones do.
func consideredText(e *emitter, p *lookup.Partition, list []lookup.Considered) {
	const shown = 5
	if more := len(list) - shown; more > 1 {
		e.line("  segment   %s in front are too old", counted(int64(more), "segment"))
		list = list[more:]
	}
	for i := range list {
		c := &list[i]
		what := "too old: largest timestamp"
		if c.Chosen {
			what = fmt.Sprintf("the first of %d whose largest timestamp is late enough:", len(p.Segments))
			if len(p.Segments) == 1 {
				what = "the only one; its largest timestamp is late enough:"
			}
		}
		e.line("  segment   %s: %s %s, %s", quoted(filepath.Base(c.Segment.Log.Path)), what, timeText(c.Timestamp), timeSources[c.Source])
	}
}

func walkText(e *emitter, p *lookup.Partition, r *lookup.Result, w *lookup.Walk) {
	if w.Time != nil {
		searchText(e, "timeindex", w.Time, func(t indexfile.TimeEntry) string {
			return fmt.Sprintf("timestamp %s, offset %d", timeText(t.Timestamp), t.Offset)
		})
		switch {
		case !w.Time.Used():
		case w.FromOffset == w.Time.Entry.Offset:
			e.line("            so the position of offset %d is looked for", w.FromOffset)
		default:
			e.line("            so the position of offset %d is looked for, where the log starts", w.FromOffset)
		}
	}
	searchText(e, "index", &w.Offset, func(o indexfile.OffsetEntry) string {
		return fmt.Sprintf("offset %d, position %d", o.Offset, o.Position)
	})
	e.line("  scan      from position %d: %s, %s, %s", w.StartPosition, counted(int64(w.Batches), "batch"), counted(w.Bytes(), "byte"), counted(w.Records, "record"))
	if f := r.Found; f != nil && !r.Target.ByTime && w.FetchPosition >= 0 && w.FetchPosition != f.BatchPosition {
		e.line("            a fetch begins with the batch at position %d, which has nothing left that is so late", w.FetchPosition)
	}
}

// searchText tells what a search did, whichever index it is.
func searchText[E any](e *emitter, label string, s *lookup.Search[E], entry func(E) string) {
	label = fmt.Sprintf("%-9s", label)
	file := quoted(filepath.Base(s.File))
	switch s.State {
	case lookup.IndexIgnored:
		e.line("  %s left out", label)
		return
	case lookup.IndexMissing:
		e.line("  %s missing", label)
		return
	case lookup.IndexUnreadable:
		e.line("  %s %s: can't be used", label, file)
		return
	case lookup.IndexEmpty:
		e.line("  %s %s: no entry%s", label, file, tails(s.Zeros, s.Stale))
		return
	}
	section := fmt.Sprintf("from slot %d on in the warm section, which the search did not leave", s.WarmFirstSlot)
	switch {
	case s.WarmFirstSlot == 0:
		section = "all in the warm section"
	case !s.Warm:
		section = fmt.Sprintf("from slot %d on in the warm section, which the search had to leave", s.WarmFirstSlot)
	}
	e.line("  %s %s: %s%s, %s; %s:", label, file, counted(int64(s.Entries), "entry"), tails(s.Zeros, s.Stale), section, counted(int64(len(s.Read)), "comparison"))
	for _, r := range s.Read {
		e.line("              slot %-8d %s", r.Slot, entry(r.Entry))
	}
	switch {
	case s.State == lookup.IndexLies:
		e.line("            slot %d was found, and it lies: start at 0", s.Slot)
	case s.Slot < 0:
		e.line("            none is small enough: start at 0")
	default:
		e.line("            use slot %d: %s", s.Slot, entry(s.Entry))
	}
}

// tails tells which slots are no entries.
func tails(zeros, stale int) string {
	text := ""
	if stale > 0 {
		text += fmt.Sprintf(", %s left behind by a truncation", counted(int64(stale), "stale slot"))
	}
	if zeros > 0 {
		text += fmt.Sprintf(", %s preallocated", counted(int64(zeros), "slot"))
	}
	return text
}

// foundText tells where the lookup landed, or why it didn't.
func foundText(e *emitter, p *lookup.Partition, r *lookup.Result) {
	f := r.Found
	if f == nil {
		e.line("  found     nothing: %s", absence(p, r))
		return
	}
	what := "its records can't be decoded"
	if f.HasRecord {
		what = fmt.Sprintf("the record at offset %d, timestamp %s", f.Offset, timeText(f.Timestamp))
		if !r.Target.ByTime && f.Offset > r.Target.Offset {
			what = fmt.Sprintf("%d is gone; next is %s", r.Target.Offset, what)
		}
		if f.Control {
			what += ", a control record: consumers pass over it"
		}
	}
	e.line("  found     the batch at position %d, offsets %d to %d, %s: %s",
		f.BatchPosition, f.BatchBaseOffset, f.BatchLastOffset, counted(f.BatchSize, "byte"), what)
}

// absence says why nothing was found, and what a broker makes of it.
func absence(p *lookup.Partition, r *lookup.Result) string {
	switch r.Why {
	case lookup.BeforeStart:
		from := "the base offset of the first segment"
		if p.LogStartFile != "" {
			from = "by " + quoted(p.LogStartFile)
		}
		return fmt.Sprintf("the log starts at %d (%s); a fetch from %d fails as out of range", p.LogStart, from, r.Target.Offset)
	case lookup.AtEnd:
		return fmt.Sprintf("%d is the log end offset; the next record will have it, and a fetch waits for that", r.LogEnd)
	case lookup.PastEnd:
		return fmt.Sprintf("the log ends at %d; a fetch from %d fails as out of range", r.LogEnd, r.Target.Offset)
	case lookup.NothingLeft:
		return fmt.Sprintf("no record from here up to the log end offset %d is left; a fetch goes on there", r.LogEnd)
	case lookup.NoSuchTime:
		if r.LargestTimestamp < 0 {
			return "no record has a timestamp, and no segment was written so late; a broker answers −1"
		}
		return fmt.Sprintf("the largest timestamp is %s; a broker answers −1", timeText(r.LargestTimestamp))
	case lookup.NoTimeInside:
		return "this segment has no record so late at or above the log start; a broker looks no further and answers −1"
	}
	return ""
}
