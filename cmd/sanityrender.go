package cmd

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kafsck/kafsck/internal/dump"
	"github.com/kafsck/kafsck/internal/render"
	"github.com/kafsck/kafsck/internal/triage"
	"github.com/kafsck/kafsck/sanity"
)

// sanityRenderer shows what a check finds.
type sanityRenderer interface {
	finding(*sanity.Finding) error
	unit(*sanity.Unit) error // all findings of a partition, or of another path, are there
	end(*sanity.Summary, int) error
}

// sanityJSON writes one object a line, at once.
type sanityJSON struct {
	noUnits
	out  io.Writer
	line []byte
}

func (r *sanityJSON) finding(f *sanity.Finding) error {
	r.line = append(f.AppendJSON(r.line[:0]), '\n')
	_, err := r.out.Write(r.line)
	return err
}

func (r *sanityJSON) end(s *sanity.Summary, exit int) error {
	r.line = append(s.AppendJSON(r.line[:0], exit), '\n')
	_, err := r.out.Write(r.line)
	return err
}

// sanityText is for people: the files with the worst findings first, one line
// a finding, and at the end the verdict and what to run next.
type sanityText struct {
	noUnits
	out      io.Writer
	tally    *triage.Tally
	findings []*sanity.Finding
}

func (r *sanityText) finding(f *sanity.Finding) error {
	r.findings = append(r.findings, f)
	return nil
}

func (r *sanityText) end(s *sanity.Summary, exit int) error {
	out := bufio.NewWriter(r.out)
	for i, group := range byFile(r.findings) {
		if i > 0 {
			_ = out.WriteByte('\n')
		}
		_, _ = fmt.Fprintf(out, "%s\n", dump.AppendQuoted(nil, group[0].File))
		for _, f := range group {
			_, _ = fmt.Fprintf(out, "  %s\n", dump.AppendQuoted(nil, findingLine(f)))
		}
	}
	if len(r.findings) > 0 {
		_ = out.WriteByte('\n')
	}
	_, _ = fmt.Fprintln(out, verdictLine(s, exit, r.tally))
	if next := nextCommand(r.findings); next != "" {
		_, _ = fmt.Fprintf(out, "next: %s\n", dump.AppendQuoted(nil, next))
	}
	return out.Flush()
}

// byFile groups findings by file, the file with the worst one first, and
// within a file the worst first.
func byFile(findings []*sanity.Finding) [][]*sanity.Finding {
	var groups [][]*sanity.Finding
	at := map[string]int{}
	for _, f := range findings {
		i, ok := at[f.File]
		if !ok {
			i = len(groups)
			at[f.File] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	worstFirst := func(a, b *sanity.Finding) int { return cmp.Compare(b.Severity, a.Severity) }
	for _, g := range groups {
		slices.SortStableFunc(g, worstFirst)
	}
	slices.SortStableFunc(groups, func(a, b []*sanity.Finding) int { return worstFirst(a[0], b[0]) })
	return groups
}

// findingLine is a finding on one line: what, where, why, what follows.
func findingLine(f *sanity.Finding) string {
	line := fmt.Sprintf("%-7s %s", f.Severity, f.Code)
	switch {
	case f.Slot >= 0:
		line += " at slot " + strconv.FormatInt(f.Slot, 10)
		if last, ok := f.Detail["lastSlot"].(int64); ok && last > f.Slot {
			line += "–" + strconv.FormatInt(last, 10)
		}
	case f.Position >= 0:
		line += " at " + strconv.FormatInt(f.Position, 10)
	}
	if f.Offset >= 0 {
		line += fmt.Sprintf(" (offset %d", f.Offset)
		if f.LastOffset > f.Offset {
			line += fmt.Sprintf("–%d", f.LastOffset)
		}
		line += ")"
	}
	line += ": " + f.Message
	if f.Broker != "" {
		line += " → " + f.Broker
	}
	if render.Known(f) {
		line += " [known]"
	}
	return line
}

// verdictLine says in one line how it stands. What --only and --ignore left out
// is not sound because nobody wants to hear of it.
func verdictLine(s *sanity.Summary, exit int, tally *triage.Tally) string {
	verdict := "sound"
	switch {
	case exit == exitInterrupted:
		verdict = "interrupted; of what was checked until then"
	case s.Unchecked > 0 || exit == exitFailed:
		verdict = "not fully checked"
	case s.Errors > 0 && exit == exitOK:
		verdict = "nothing new"
	case s.Errors > 0:
		verdict = "damaged"
	case s.Warnings > 0:
		verdict = "sound, with warnings"
	case s.Files == 0:
		verdict = "nothing was checked"
	}
	left := ""
	if tally.Hidden > 0 {
		verdict = strings.Replace(verdict, "sound", "sound as far as asked", 1)
		left = "; " + counted(tally.Hidden, "finding") + " left out by --only or --ignore"
	}
	return fmt.Sprintf("%s: %s, %s, %s; %s, %s, %s, %s%s", verdict,
		counted(s.Errors, "error"), counted(s.Warnings, "warning"), counted(s.Infos, "note"),
		counted(s.Files, "file"), counted(s.Bytes, "byte"), counted(s.Batches, "sound batch"), counted(s.Records, "record"), left)
}

// nextCommand is the command that helps most with the worst findings: about the
// partition that they are in, or its log dir where they are in several.
func nextCommand(findings []*sanity.Finding) string {
	var worst *sanity.Finding
	for _, f := range findings {
		if !render.Known(f) && (worst == nil || f.Severity > worst.Severity) {
			worst = f
		}
	}
	if worst == nil || worst.Severity == sanity.Info {
		return ""
	}
	area := sanity.Area(worst.Code)
	dir, several := filepath.Dir(worst.File), false
	for _, f := range findings {
		several = several || f.Severity == worst.Severity && sanity.Area(f.Code) == area && !render.Known(f) && filepath.Dir(f.File) != dir
	}
	if several {
		dir = filepath.Dir(dir)
	}
	switch {
	case area == sanity.AreaLog:
		return "kafsck recovery " + shellQuote(dir)
	case area == sanity.AreaIndex && several:
		return "kafsck rebuild-index --all " + shellQuote(dir)
	case area == sanity.AreaIndex:
		return "kafsck rebuild-index " + shellQuote(dir)
	}
	return "kafsck explain " + string(worst.Code)
}
