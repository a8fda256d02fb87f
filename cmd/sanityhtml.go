package cmd

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/page"
	"github.com/kafsck/kafsck/internal/triage"
	"github.com/kafsck/kafsck/sanity"
)

// formatHTML is a page for people who pass it on.
const formatHTML = "html"

// sanityHTML makes an incident page. It holds the findings of one unit, and of
// the others what the page keeps of them.
type sanityHTML struct {
	out      io.Writer
	tally    *triage.Tally
	paths    []string
	incident page.Incident
	findings []*sanity.Finding // of the unit under way, the worst if there are many
	more     int               // of the unit, that are not held
	worst    *sanity.Finding   // of all
}

// maxUnitFindings is how many findings of a unit are held.
const maxUnitFindings = 4096

func newSanityHTML(out io.Writer, tally *triage.Tally, paths []string) *sanityHTML {
	return &sanityHTML{out: out, tally: tally, paths: paths}
}

func (r *sanityHTML) finding(f *sanity.Finding) error {
	if r.worst == nil || f.Severity > r.worst.Severity {
		r.worst = f
	}
	if len(r.findings) == maxUnitFindings {
		slices.SortStableFunc(r.findings, func(a, b *sanity.Finding) int { return cmp.Compare(b.Severity, a.Severity) })
		r.findings = r.findings[:maxUnitFindings/2]
		r.more += maxUnitFindings / 2
	}
	r.findings = append(r.findings, f)
	return nil
}

func (r *sanityHTML) unit(u *sanity.Unit) error {
	p := page.Part{Name: u.Path, More: r.more}
	for _, f := range r.findings {
		n := sanityNote(f)
		p.State = max(p.State, n.State)
		p.Notes = append(p.Notes, n)
	}
	p.Logs = unitLogs(u)
	sanityRanges(p.Logs, r.findings)
	if u.IsPartition {
		p.Verdict = fmt.Sprintf("%s, %s, %s", counted(int64(u.Segments), "segment"), counted(u.Summary.Batches, "sound batch"), counted(u.Summary.Records, "record"))
		if u.FirstOffset >= 0 && u.LastOffset >= u.FirstOffset {
			p.Verdict += fmt.Sprintf(", offsets %d to %d", u.FirstOffset, u.LastOffset)
		}
	}
	r.incident.Add(p)
	r.findings, r.more = nil, 0
	return nil
}

func (r *sanityHTML) end(s *sanity.Summary, exit int) error {
	if len(r.findings) > 0 {
		if err := r.unit(interruptedUnit(r.findings[0])); err != nil {
			return err
		}
	}
	i := &r.incident
	i.Title, i.Path = "kafsck sanity-check", strings.Join(r.paths, " ")
	verdict, totals, _ := strings.Cut(verdictLine(s, exit, r.tally), ": ")
	i.Verdict, i.Facts = headlines[verdict], []string{totals}
	if i.Verdict == "" {
		i.Verdict = verdict
	}
	switch {
	case exit == exitInterrupted || exit == exitFailed || s.Unchecked > 0:
		i.State = page.Unknown
		if s.Errors > s.Unchecked {
			i.State = page.Damaged
		}
	case s.Errors > 0:
		i.State = page.Damaged
	case s.Warnings > 0:
		i.State = page.Warned
	}
	if r.worst != nil {
		i.Next = nextCommand([]*sanity.Finding{r.worst})
	}
	i.Legend = page.Legend{Sound: "sound", Damaged: "damaged", Lost: "sound, but lost if a broker recovers the log", Cut: "cut by a recovery, nothing sound in it"}
	return writeIncident(r.out, i)
}

// headlines are the verdicts as the first thing that one reads.
var headlines = map[string]string{
	"sound":                                "The files are sound.",
	"sound, with warnings":                 "The files are sound, with warnings.",
	"sound as far as asked":                "Nothing is wrong among what was asked for.",
	"sound as far as asked, with warnings": "There are warnings among what was asked for.",
	"damaged":                              "The files are damaged.",
	"not fully checked":                    "Not everything could be checked.",
	"interrupted; of what was checked until then": "Interrupted: this is about what was checked until then.",
}

func writeIncident(out io.Writer, i *page.Incident) error {
	buffered := bufio.NewWriter(out)
	version, _, _ := versionInfo()
	if err := i.Write(buffered, version); err != nil {
		return err
	}
	return buffered.Flush()
}

// sanityNote is a finding on a page.
func sanityNote(f *sanity.Finding) page.Note {
	n := page.Note{Word: f.Severity.String(), Code: string(f.Code), File: f.File, Place: placeText(f), Text: f.Message, Consequence: f.Broker, State: page.Noted}
	switch {
	case f.Code.Unchecked():
		n.State, n.Word = page.Unknown, "not checked"
	case f.Severity == sanity.Error:
		n.State = page.Damaged
	case f.Severity == sanity.Warning:
		n.State = page.Warned
	}
	n.Command = "kafsck explain " + string(f.Code)
	if next := nextCommand([]*sanity.Finding{f}); next != "" {
		n.Command = next
	}
	if e, ok := sanity.Explain(f.Code); ok {
		n.Title = e.Title
		if n.Consequence == "" && n.State > page.Noted {
			n.Consequence = e.Broker
		}
	}
	return n
}

// placeText is where in its file a finding is.
func placeText(f *sanity.Finding) string {
	var parts []string
	span := func(name string, from, to int64) {
		switch {
		case from < 0:
		case to > from:
			parts = append(parts, fmt.Sprintf("%s %d to %d", name, from, to))
		default:
			parts = append(parts, fmt.Sprintf("%s %d", name, from))
		}
	}
	lastSlot, _ := f.Detail["lastSlot"].(int64)
	span("slot", f.Slot, lastSlot)
	span("position", f.Position, f.EndPosition)
	span("offset", f.Offset, f.LastOffset)
	return strings.Join(parts, ", ")
}

// unitLogs are the logs of a unit, by base offset.
func unitLogs(u *sanity.Unit) (logs []page.Log) {
	target, err := logdir.Open(u.Path)
	switch {
	case err != nil:
		return nil // that it can't be opened is a finding
	case target.Partition != nil:
		for i := range target.Partition.Segments {
			if log := target.Partition.Segments[i].Log; log != nil {
				logs = append(logs, page.Log{Name: log.Path, Size: log.Size})
			}
		}
	case target.File != nil && target.File.File.Kind == logdir.KindLog:
		logs = append(logs, page.Log{Name: target.File.Path, Size: target.File.Size})
	}
	return logs
}

// sanityRanges marks what is not sound in the logs, and what a recovery takes
// away behind the first damage.
func sanityRanges(logs []page.Log, findings []*sanity.Finding) {
	at := make(map[string]int, len(logs))
	for i := range logs {
		at[logs[i].Name] = i
		logs[i].Name = filepath.Base(logs[i].Name)
	}
	cut := false
	for _, f := range findings {
		i, known := at[f.File]
		lost, cuts := f.Detail["lostBatches"].(int64)
		if !known || !cuts || cut || f.Position < 0 {
			continue
		}
		cut = true
		kind := page.RangeCut
		if lost > 0 {
			kind = page.RangeLost
		}
		logs[i].Ranges = append(logs[i].Ranges, page.Range{From: f.Position, To: logs[i].Size, Kind: kind})
		for j := i + 1; j < len(logs); j++ {
			logs[j].Ranges = append(logs[j].Ranges, page.Range{To: logs[j].Size, Kind: kind})
		}
	}
	for _, f := range findings {
		if i, known := at[f.File]; known && f.Position >= 0 && f.Severity == sanity.Error {
			logs[i].Ranges = append(logs[i].Ranges, page.Range{From: f.Position, To: max(f.EndPosition, f.Position), Kind: page.RangeDamaged})
		}
	}
}
