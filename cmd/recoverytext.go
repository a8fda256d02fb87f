package cmd

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/internal/logdir"
)

const metadataNote = "the controllers' own log: their loader is responsible for it. It opens the log by the same rules, always as after an unclean stop, and then looks at the snapshots (.checkpoint) too, which is not foretold here"

// start tells what holds for all partitions of a log dir.
func (r *recoveryRun) start(s *loader.Start) {
	if s.Failure != nil {
		r.code = worseExit(r.code, exitDamage)
	}
	switch r.format {
	case formatJSON:
		r.object(startObject(s))
		return
	case formatTable:
		return
	}
	stop := "an unclean stop: segments from the recovery points on are scanned"
	switch {
	case s.Clean:
		stop = "a clean stop: contents are not looked at"
	case s.Marker:
		stop += " (the clean-shutdown marker is there, and ignored because of --unclean)"
	}
	if r.format == formatHTML {
		r.startPage(s, stop)
		return
	}
	r.line("%s: %s, %s", quoted(s.Path), counted(int64(s.Partitions), "partition"), stop)
	if s.RecoveryPointsFault != nil {
		r.line("  the recovery points don't count, all of them are 0: %s", quoted(s.RecoveryPointsFault.Error()))
	}
	if s.LogStartsFault != nil {
		r.line("  the log start offsets don't count: %s", quoted(s.LogStartsFault.Error()))
	}
	if s.Failure != nil {
		r.line("  THE BROKER DOES NOT START, and touches no partition here: %s", quoted(firstLine(withoutPackage(s.Failure.Error()))))
	}
	r.line("")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// withoutPackage shortens the first line of a stack trace.
func withoutPackage(s string) string {
	if class, message, ok := strings.Cut(s, ": "); ok && strings.HasSuffix(class, "Exception") {
		return simpleClass(class) + ": " + message
	}
	return s
}

// recoveryName is the partition with its marker.
func recoveryName(p *loader.Plan) string {
	if p.Marker == logdir.NoMarker {
		return p.Partition
	}
	return filepath.Base(p.Path)
}

// text tells the plan for one partition.
func (r *recoveryRun) text(p *loader.Plan) {
	name := quoted(recoveryName(p))
	switch {
	case !p.Loads && p.Failed():
		r.line("%s: DOES NOT LOAD, the log dir goes offline: %s", name, quoted(firstLine(withoutPackage(p.Failure.Error()))))
	case !p.Loads:
		r.line("%s: DOES NOT LOAD, the broker stops: %s", name, quoted(firstLine(withoutPackage(p.Failure.Error()))))
	default:
		r.line("%s: log start %d, log end %d, %s; %s", name, p.LogStart, p.LogEnd, counted(int64(len(p.Segments)), "segment"), lostText(&p.Lost))
	}
	switch {
	case p.Metadata:
		r.line("  note      %s", metadataNote)
	case p.Marker == logdir.Delete:
		r.line("  note      marked for deletion: it is loaded as an empty log, and deleted after file.delete.delay.ms")
	case p.Marker == logdir.Future:
		r.line("  note      a copy that is being moved here: the move goes on after the start")
	}
	quiet := map[loader.Action]int64{}
	for i := 0; i < len(p.Decisions); i++ {
		d := &p.Decisions[i]
		if d.Action == loader.Keep && d.Position < 0 || d.Action == loader.Recover {
			quiet[d.Action]++
			continue
		}
		more := 0
		for sameStep(d, p.Decisions[i+1:]) {
			more++
			i++
		}
		r.decisionText(d, more)
	}
	if n := quiet[loader.Recover]; n > 0 {
		r.line("  recover   %s: read to the end, indexes are written anew", counted(n, "segment"))
	}
	if n := quiet[loader.Keep]; n > 0 {
		r.line("  keep      %s: not looked at", counted(n, "segment"))
	}
	if p.Behind.Any() {
		r.line("  behind    %s", behindText(&p.Behind))
	}
	if p.Lost.IntactBatches > 0 {
		r.line("  of what is lost, %s with %s are intact", counted(p.Lost.IntactBatches, "batch"), counted(p.Lost.IntactRecords, "record"))
	}
}

// sameStep says whether the next decision needs no line of its own.
func sameStep(d *loader.Decision, rest []loader.Decision) bool {
	return len(rest) > 0 && rest[0].Action == d.Action && rest[0].Reason == d.Reason &&
		rest[0].Position < 0 && !d.Lost.Any() && !rest[0].Lost.Any()
}

func (r *recoveryRun) decisionText(d *loader.Decision, more int) {
	where := ""
	switch d.Action {
	case loader.Truncate:
		where = fmt.Sprintf(" at position %d of %d", d.Position, d.SizeBefore)
	case loader.Split, loader.Keep:
		where = fmt.Sprintf(" at position %d", d.Position)
	}
	lost := ""
	if d.Lost.Any() {
		lost = "; " + lostText(&d.Lost)
	}
	text := ""
	if d.Text != "" {
		text = " (" + quoted(firstLine(withoutPackage(d.Text))) + ")"
	}
	if more > 0 {
		where += fmt.Sprintf(" and %d more", more)
	}
	r.line("  %-9s %s%s: %s%s%s", d.Action, quoted(filepath.Base(d.File)), where, d.Reason, text, lost)
}

// behindText tells what stays in the file although the log ends before it.
func behindText(x *loader.Loss) string {
	return fmt.Sprintf("%s, %s, offsets %d to %d, are at or behind the log end: fetches from there fail, and new records get the same offsets",
		counted(x.Batches, "batch"), counted(x.Records, "record"), x.FirstOffset, x.LastOffset)
}

// lostText counts a loss for people.
func lostText(x *loader.Loss) string {
	if !x.Any() {
		return "nothing is lost"
	}
	s := fmt.Sprintf("%s, %s, %s lost", counted(x.Batches, "batch"), counted(x.Records, "record"), counted(x.Bytes, "byte"))
	if x.FirstOffset >= 0 {
		s += fmt.Sprintf(", offsets %d to %d", x.FirstOffset, max(x.FirstOffset, x.LastOffset))
	}
	if x.FirstTime >= 0 {
		s += fmt.Sprintf(", times %s to %s", timeText(x.FirstTime), timeText(x.LastTime))
	}
	return s
}

// finish ends the output with the totals and what to do.
func (r *recoveryRun) finish() {
	switch r.format {
	case formatJSON:
		return
	case formatHTML:
		r.finishPage()
		return
	case formatTable:
		r.table([]string{"partition", "segments", "bytes", "firstOffset", "endOffset", "lostBatches", "lostRecords", "lostBytes", "verdict"}, r.rows)
		return
	}
	r.line("")
	r.line("in all: %s", r.totals())
	if what, command := r.advice(); command != "" {
		r.line("next: %s: %s", what, quoted(command))
	}
}

// totals sums up for people. A partition of which nothing can be said is none
// that loses nothing.
func (r *recoveryRun) totals() string {
	total := lostTotals(&r.total)
	if r.behind.Any() {
		total += fmt.Sprintf("; %s, %s are behind a log end", counted(r.behind.Batches, "batch"), counted(r.behind.Records, "record"))
	}
	if r.fails > 0 {
		total = fmt.Sprintf("%s of %d can't be loaded; ", counted(int64(r.fails), "partition"), r.plans) + total
	}
	switch unsaid := counted(int64(r.unsaid), "partition"); {
	case r.unsaid > 0 && r.plans == 0:
		return "it can't be said what becomes of " + unsaid
	case r.unsaid > 0:
		return "it can't be said what becomes of " + unsaid + "; of the others: " + total
	}
	return total
}

// advice is what to do, and with which command.
func (r *recoveryRun) advice() (what, command string) {
	check := "kafsck sanity-check " + shellQuote(r.path)
	switch {
	case r.behind.Any() && r.badIndex:
		return "don't start the broker; its index misleads it: find the cause with", check
	case r.total.IntactBatches > 0, r.behind.Any():
		return "don't start the broker; save what is intact with", "kafsck salvage " + shellQuote(r.path) + " --out-dir DIR"
	case r.total.Any():
		return "nothing intact is among it; see what it is with", check
	case r.fails > 0:
		return "find the cause with", check
	case r.code == exitOK:
		return "the broker can be started; contents that it does not look at are checked by", check
	}
	return "", ""
}

// lostTotals leaves the offsets out, which mean nothing across partitions.
func lostTotals(x *loader.Loss) string {
	total := *x
	total.FirstOffset = -1
	return lostText(&total)
}

func recoveryRow(p *loader.Plan) []string {
	bytes := int64(0)
	for _, s := range p.Segments {
		bytes += s.Size
	}
	verdict, first, end := "loads", strconv.FormatInt(p.LogStart, 10), strconv.FormatInt(p.LogEnd, 10)
	switch {
	case !p.Loads:
		verdict, first, end = "fails: "+simpleClass(p.Failure.Class), "-", "-"
	case p.Lost.Any():
		verdict = "loses data"
	case p.Behind.Any():
		verdict = "ends too early"
	}
	return []string{
		recoveryName(p), strconv.Itoa(len(p.Segments)), strconv.FormatInt(bytes, 10), first, end,
		strconv.FormatInt(p.Lost.Batches, 10), strconv.FormatInt(p.Lost.Records, 10), strconv.FormatInt(p.Lost.Bytes, 10), verdict,
	}
}
