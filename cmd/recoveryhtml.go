package cmd

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/internal/page"
	"github.com/kafsck/kafsck/sanity"
)

// part puts the plan for a partition on the page.
func (r *recoveryRun) part(p *loader.Plan) {
	part := page.Part{Name: p.Path}
	switch {
	case !p.Loads:
		part.State = page.Damaged
		part.Verdict = fmt.Sprintf("can't be loaded: %s", firstLine(withoutPackage(p.Failure.Error())))
	case p.Lost.Any():
		part.State = page.Damaged
		part.Verdict = fmt.Sprintf("loads, log start %d, log end %d; %s", p.LogStart, p.LogEnd, lostText(&p.Lost))
	default:
		part.Verdict = fmt.Sprintf("loads, log start %d, log end %d; nothing is lost", p.LogStart, p.LogEnd)
	}
	if p.Behind.Any() {
		part.State = page.Damaged
		part.Verdict = fmt.Sprintf("loads, log start %d, log end %d; %s", p.LogStart, p.LogEnd, behindText(&p.Behind))
		part.Notes = append(part.Notes, page.Note{
			State: page.Damaged, Word: "behind", File: p.Path, Text: behindText(&p.Behind),
			Command: "kafsck sanity-check " + shellQuote(p.Path),
		})
	}
	if p.Lost.IntactBatches > 0 {
		part.Facts = append(part.Facts, fmt.Sprintf("Of what is lost, %s with %s are intact.", counted(p.Lost.IntactBatches, "batch"), counted(p.Lost.IntactRecords, "record")))
	}
	if p.Metadata {
		part.Facts = append(part.Facts, metadataNote)
	}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if strings.HasSuffix(d.File, ".log") {
			part.Logs = append(part.Logs, page.Log{Name: filepath.Base(d.File), Size: d.SizeBefore, Ranges: decisionRanges(d)})
		}
		if d.Action == loader.Keep && d.Position < 0 || d.Action == loader.Recover {
			continue
		}
		n := decisionNote(d, p.Path)
		part.State = max(part.State, n.State)
		part.Notes = append(part.Notes, n)
	}
	if p.Loads && len(part.Notes) == 0 {
		part.Logs = nil // no need to draw what stays as it is
	}
	r.incident.Add(part)
}

// decisionRanges is what goes of a log.
func decisionRanges(d *loader.Decision) []page.Range {
	kind := page.RangeCut
	if d.Lost.Any() {
		kind = page.RangeLost
	}
	switch {
	case d.Action == loader.Truncate:
		ranges := []page.Range{{From: d.Position, To: d.SizeBefore, Kind: kind}}
		if d.Lost.Any() {
			ranges = append(ranges, page.Range{From: d.Position, To: d.Position, Kind: page.RangeDamaged})
		}
		return ranges
	case d.Action == loader.Empty, d.Action == loader.Delete, d.Action == loader.Remove && d.Lost.Any():
		return []page.Range{{To: d.SizeBefore, Kind: kind}}
	case d.Action == loader.Keep && d.Position >= 0, d.Reason == "load-fails" && d.Position >= 0:
		return []page.Range{{From: d.Position, To: d.Position, Kind: page.RangeDamaged}}
	}
	return nil
}

func decisionNote(d *loader.Decision, path string) page.Note {
	n := page.Note{State: page.Noted, Word: string(d.Action), Code: d.Reason, File: d.File, Text: firstLine(withoutPackage(d.Text))}
	if d.Position >= 0 {
		n.Place = fmt.Sprintf("position %d of %d", d.Position, d.SizeBefore)
	}
	if e, ok := sanity.Explain(sanity.Code(d.Reason)); ok {
		n.Title = e.Title
		n.Command = "kafsck explain " + d.Reason
	}
	n.Consequence = consequences[d.Action]
	if n.Command == "" {
		n.Do = "nothing: a broker does this by itself"
	}
	if d.Action == loader.Keep || d.Reason == "load-fails" {
		n.State, n.Do, n.Command = page.Damaged, "", "kafsck sanity-check "+shellQuote(path)
	}
	if d.Lost.Any() {
		n.Do = ""
		n.State, n.Consequence = page.Damaged, lostText(&d.Lost)
		n.Command = "kafsck sanity-check " + shellQuote(path)
		if d.Lost.IntactBatches > 0 {
			n.Consequence += fmt.Sprintf("; %s with %s of it are intact", counted(d.Lost.IntactBatches, "batch"), counted(d.Lost.IntactRecords, "record"))
			n.Do, n.Command = "before the broker is started:", "kafsck salvage "+shellQuote(path)+" --out-dir DIR"
		}
	}
	return n
}

// consequences are what actions mean where nothing is lost.
var consequences = map[loader.Action]string{
	loader.Keep:         "the load fails here",
	loader.RebuildIndex: "the segment is read to its end, and its indexes are written anew; nothing is lost",
	loader.Split:        "the segment is divided in two or more; nothing is lost",
	loader.Truncate:     "the log is cut here; nothing that counts is behind it",
	loader.Empty:        "the log is cut at its start; nothing that counts is in it",
	loader.Delete:       "the segment is deleted; nothing that counts is in it",
	loader.Remove:       "the file is deleted; nothing of the log is lost by it",
	loader.Rename:       "the file is put in its place; nothing is lost",
	loader.Rewrite:      "the file is written anew; nothing of the log is lost by it",
}

// finishPage writes the page.
func (r *recoveryRun) finishPage() {
	i := &r.incident
	i.Title, i.Path = "kafsck recovery", r.path
	lost := lostTotals(&r.total)
	switch {
	case r.behind.Any() && !r.total.Any() && r.fails == 0:
		i.State, i.Verdict = page.Damaged, fmt.Sprintf("The next start lets logs end too early: %s with %s are behind an end.", counted(r.behind.Batches, "batch"), counted(r.behind.Records, "record"))
	case r.fails == 0 && r.code == exitDamage && !r.total.Any():
		i.State, i.Verdict = page.Damaged, "The next start fails."
	case r.fails > 0:
		i.State, i.Verdict = page.Damaged, fmt.Sprintf("The next start fails: %s of %d can't be loaded.", counted(int64(r.fails), "partition"), r.plans)
	case r.code == exitFailed && r.total.Any():
		i.State, i.Verdict = page.Damaged, "The next start loses data, and not everything could be foretold."
	case r.total.Any():
		i.State, i.Verdict = page.Damaged, fmt.Sprintf("The next start loses data: %s, %s, %s.", counted(r.total.Batches, "batch"), counted(r.total.Records, "record"), counted(r.total.Bytes, "byte"))
	case r.code == exitOK:
		i.Verdict = "The next start loses nothing."
	default:
		i.State, i.Verdict = page.Unknown, "Not everything could be foretold."
	}
	i.Facts = append(i.Facts, fmt.Sprintf("%s looked at; in all, %s.", counted(int64(r.plans), "partition"), lost))
	_, i.Next = r.advice()
	i.Legend = page.Legend{Sound: "stays", Damaged: "where the damage begins", Lost: "lost", Cut: "cut, nothing in it that counts"}
	r.flush()
	r.keep(writeIncident(r.global.streams.Out, i))
}

// startPage puts what holds for all partitions of a log dir on the page.
func (r *recoveryRun) startPage(s *loader.Start, stop string) {
	i := &r.incident
	i.Facts = append(i.Facts, "The start is one after "+stop+".")
	if s.RecoveryPointsFault != nil {
		i.Facts = append(i.Facts, "The recovery points don't count, all of them are 0: "+s.RecoveryPointsFault.Error())
	}
	if s.LogStartsFault != nil {
		i.Facts = append(i.Facts, "The log start offsets don't count: "+s.LogStartsFault.Error())
	}
	if s.Failure != nil {
		i.Facts = append(i.Facts, "The broker does not start, and touches no partition here: "+firstLine(withoutPackage(s.Failure.Error())))
	}
}
