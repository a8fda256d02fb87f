package cmd

import (
	"bufio"

	"github.com/kafsck/kafsck/internal/render"
	"github.com/kafsck/kafsck/internal/triage"
	"github.com/kafsck/kafsck/sanity"
)

// The formats that sanity-check adds to the common ones.
const (
	formatJUnit  = "junit"
	formatSARIF  = "sarif"
	formatGitHub = "github"
)

func checkSanityFormat(format string) error {
	switch format {
	case formatText, formatTable, formatJSON, formatJUnit, formatSARIF, formatGitHub, formatHTML:
		return nil
	}
	return usageErrorf("--format %q: text, table, json, junit, sarif, github or html", format)
}

// newSanityRenderer is the renderer of a format that has been checked.
func newSanityRenderer(global *globalOptions, rules *triage.Rules, tally *triage.Tally, paths []string) sanityRenderer {
	stdout := global.streams.Out
	switch global.format {
	case formatJSON:
		return &sanityJSON{out: stdout}
	case formatTable:
		return &sanityTable{global: global, tally: tally}
	case formatText:
		return &sanityText{out: stdout, tally: tally}
	case formatHTML:
		return newSanityHTML(stdout, tally, paths)
	}
	out := bufio.NewWriter(stdout)
	r := &sanityReport{out: out}
	switch global.format {
	case formatJUnit:
		r.to = render.NewJUnit(out, rules.Fails)
	case formatSARIF:
		version, _, _ := versionInfo()
		r.to = render.NewSARIF(out, version, rules.Baseline != nil)
	default:
		r.to = render.NewGitHub(out)
	}
	return r
}

// sanityReport writes a document for a CI system. What is done is written out
// unit by unit.
type sanityReport struct {
	out *bufio.Writer
	to  render.Renderer
}

func (r *sanityReport) finding(f *sanity.Finding) error { return r.to.Finding(f) }

func (r *sanityReport) unit(u *sanity.Unit) error {
	if err := r.to.EndUnit(u.Path); err != nil {
		return err
	}
	return r.out.Flush()
}

func (r *sanityReport) end(s *sanity.Summary, exit int) error {
	err := r.to.Close(render.Outcome{
		Exit: exit, Files: s.Files, Bytes: s.Bytes, Batches: s.Batches, Records: s.Records,
		Errors: s.Errors, Warnings: s.Warnings, Infos: s.Infos, Unchecked: s.Unchecked,
	})
	if err != nil {
		return err
	}
	return r.out.Flush()
}

// noUnits is for renderers to which it means nothing that a partition is done.
type noUnits struct{}

func (noUnits) unit(*sanity.Unit) error { return nil }
