package cmd

import (
	"fmt"
	"strconv"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/indexview"
	"github.com/kafsck/kafsck/sanity"
)

// indexShow writes the entries of an index as they are judged.
type indexShow struct {
	e      *emitter
	paint  painter
	report *indexReport
	headed bool
	width  int // of the terminal, 0 for none
}

// head writes the headings of the columns once, for people.
func (s *indexShow) head(columns string) {
	if s.headed || s.e.format != formatText {
		return
	}
	s.headed = true
	log := ""
	if s.report.file.Log != nil {
		log = "   what the log has there"
	}
	s.e.line("%s: %s index, base offset %s", quoted(s.report.file.Path), s.report.file.Kind, s.base())
	if columns != "" {
		s.e.line("%s", s.paint.do(faint, columns+log))
	}
}

// narrow says whether lines of so many columns don't fit on the terminal.
// What can be calculated from the other columns is then left out.
func (s *indexShow) narrow(columns int) bool {
	return 0 < s.width && s.width < columns
}

func (s *indexShow) base() string {
	if !s.report.file.HasBase {
		return "unknown (offsets are relative ones)"
	}
	return strconv.FormatInt(s.report.file.BaseOffset, 10)
}

// hole says whether an entry is one of a run of zeros, which is told once, by
// its finding.
func hole(j indexview.Judgement) bool {
	return j.Code == sanity.IndexZeroHole || j.Code == sanity.TimeIndexZeroHole
}

func (s *indexShow) offsets(views []indexview.Offset) {
	for i := range views {
		v := &views[i]
		s.report.density.add(int64(v.Position))
		if hole(v.Judgement) {
			continue
		}
		switch s.e.format {
		case formatJSON:
			s.e.object(offsetViewObject(s.report.file.Path, v))
		case formatText:
			next := ""
			if i+1 < len(views) {
				next = strconv.FormatInt(int64(views[i+1].Position)-int64(v.Position), 10)
			}
			verdict := s.verdict(v.Judgement, v.AtBatch, v.BatchBaseOffset, v.BatchLastOffset, v.Why())
			if s.narrow(84) {
				s.head("  slot       offset     position")
				s.e.line("%6d %12d %12d%s", v.Slot, v.Offset, v.Position, verdict)
				continue
			}
			s.head("    slot   relative       offset     position         next")
			s.e.line("%8d %10d %12d %12d %12s%s", v.Slot, v.RelativeOffset, v.Offset, v.Position, next, verdict)
		}
	}
}

func (s *indexShow) times(views []indexview.Time) {
	for i := range views {
		v := &views[i]
		s.report.density.add(v.Timestamp)
		if hole(v.Judgement) {
			continue
		}
		switch s.e.format {
		case formatJSON:
			s.e.object(timeViewObject(s.report.file.Path, v))
		case formatText:
			next := ""
			if i+1 < len(views) {
				next = strconv.FormatInt(views[i+1].Timestamp-v.Timestamp, 10) + " ms"
			}
			verdict := s.verdict(v.Judgement, v.Held, v.BatchBaseOffset, v.BatchLastOffset, v.Why())
			if s.narrow(112) {
				s.head("  slot       offset     timestamp")
				s.e.line("%6d %12d %13d%s", v.Slot, v.Offset, v.Timestamp, verdict)
				continue
			}
			s.head("    slot   relative       offset                               timestamp         next")
			s.e.line("%8d %10d %12d %39s %12s%s", v.Slot, v.RelativeOffset, v.Offset, timeText(v.Timestamp), next, verdict)
		}
	}
}

func (s *indexShow) txns(views []indexview.Txn) {
	for i := range views {
		v := &views[i]
		s.report.density.add(v.LastOffset)
		switch s.e.format {
		case formatJSON:
			s.e.object(txnViewObject(s.report.file.Path, v))
		case formatText:
			s.head("    slot version   producerId  firstOffset   lastOffset lastStableOffset")
			s.e.line("%8d %7d %12d %12d %12d %16d%s", v.Slot, v.Version, v.ProducerID, v.FirstOffset, v.LastOffset, v.LastStableOffset,
				s.verdict(v.Judgement, v.Held, v.BatchBaseOffset, v.BatchLastOffset, v.Why()))
		}
	}
}

// verdict is the last column.
func (s *indexShow) verdict(j indexview.Judgement, held bool, base, last int64, why string) string {
	batch := ""
	if held {
		batch = fmt.Sprintf("batch %d to %d: ", base, last)
	}
	switch j.Verdict {
	case indexview.True:
		return "   " + batch + s.paint.do(green, "true")
	case indexview.False:
		return "   " + s.paint.do(red, "FALSE: "+why)
	case indexview.Stale:
		return "   " + s.paint.do(yellow, "stale: left behind by a truncation")
	}
	if s.report.file.Log == nil {
		return ""
	}
	return "   " + batch + "can't be told"
}

// end writes the summary.
func (s *indexShow) end() {
	switch s.e.format {
	case formatJSON:
		s.e.object(indexSummaryObject(s.report))
	case formatText:
		s.head("")
		s.summary()
	}
}

func (s *indexShow) summary() {
	r, e := s.report, s.e
	kind := r.file.Kind
	used := fmt.Sprintf("%s, %d of %s used", counted(int64(r.layout.Entries), "entry"), r.layout.UsedBytes(), counted(r.layout.FileBytes, "byte"))
	if r.layout.Preallocated() {
		used += fmt.Sprintf("; preallocated: %s of zeros behind them", counted(int64(r.layout.Tail.Slots), "slot"))
	}
	e.line("  %s", used)
	if r.layout.Entries == 0 {
		return
	}
	if kind != indexfile.Txn {
		if warm := kind.WarmFirstSlot(r.layout.Entries); warm == 0 {
			e.line("  all of it is the warm section, which a broker searches first")
		} else {
			e.line("  warm section, which a broker searches first: from slot %d on", warm)
		}
	}
	if r.file.Log != nil {
		s.verdicts()
	}
	if d := &r.distances; d.Count > 0 {
		unit := "bytes of log"
		if kind == indexfile.Time {
			unit = "ms"
		}
		e.line("  from one entry to the next: min %d, median %d, max %d %s", d.Min, d.Median, d.Max, unit)
	}
	if interval, ok := suggestedInterval(&r.summary); ok && kind == indexfile.Offset {
		e.line("  %s", intervalText(&r.summary, interval))
	}
	r.density.draw(e, s.paint, kind, r.file)
}

// verdicts counts what the log says about the entries.
func (s *indexShow) verdicts() {
	sum := &s.report.summary
	text := fmt.Sprintf("%d true", sum.Right)
	for _, c := range []struct {
		n    int
		what string
		how  paint
	}{{sum.Wrong, "FALSE", red}, {sum.Stale, "stale", yellow}, {sum.Unchecked, "can't be told", faint}} {
		if c.n > 0 {
			text += ", " + s.paint.do(c.how, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	s.e.line("  against the log: %s", text)
}

// intervalText tells which index.interval.bytes the distances go with.
func intervalText(s *indexview.Summary, interval int64) string {
	switch {
	case s.IntervalLow > s.IntervalHigh:
		return fmt.Sprintf("index.interval.bytes: perhaps %d (the distances don't go with one value: restarts, or it was changed)", interval)
	case s.IntervalLow == 0:
		return fmt.Sprintf("index.interval.bytes: %d, or anything up to %d", interval, s.IntervalHigh)
	}
	return fmt.Sprintf("index.interval.bytes: %d, or anything from %d to %d", interval, s.IntervalLow, s.IntervalHigh)
}
