package triage

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kafsck/kafsck/internal/render"
	"github.com/kafsck/kafsck/sanity"
)

// Rules are the choices of one run. The zero value shows everything and fails
// at infos.
type Rules struct {
	Only     []sanity.Code // show these alone; none: all
	Ignore   []sanity.Code // don't show these
	FailOn   sanity.Severity
	Baseline *Baseline // nil: nothing is known
}

// ParseSeverity is the severity of that name.
func ParseSeverity(name string) (sanity.Severity, error) {
	for _, s := range []sanity.Severity{sanity.Info, sanity.Warning, sanity.Error} {
		if name == s.String() {
			return s, nil
		}
	}
	return sanity.Error, fmt.Errorf("unknown severity %q: error, warning or info", name)
}

// Verdict is what is done with a finding.
type Verdict struct {
	Shown     bool // it goes into the output and the counts
	Known     bool // it is one of the baseline, and doesn't fail
	Fails     bool // it makes the run end with 3
	Unchecked bool // it makes the run end with 1, shown or not
}

// Judge decides about a finding, and marks a known one: its detail gets a field
// "baseline" that is true. The detail that came with it isn't changed.
func (r *Rules) Judge(f *sanity.Finding) Verdict {
	v := Verdict{Unchecked: f.Code.Unchecked()}
	v.Shown = !slices.Contains(r.Ignore, f.Code) &&
		(len(r.Only) == 0 || slices.Contains(r.Only, f.Code) || v.Unchecked)
	if !v.Shown || v.Unchecked {
		return v
	}
	if r.Baseline.Has(f) {
		v.Known = true
		detail := maps.Clone(f.Detail)
		if detail == nil {
			detail = map[string]any{}
		}
		detail[render.BaselineDetail] = true
		f.Detail = detail
	}
	v.Fails = !v.Known && f.Severity >= r.FailOn
	return v
}

// Tally sums verdicts up to an exit code. The zero value is a run that found
// nothing.
type Tally struct {
	Failing, Known, Hidden, Unchecked int64
}

// Add counts a verdict.
func (t *Tally) Add(v Verdict) {
	if v.Fails {
		t.Failing++
	}
	if v.Known {
		t.Known++
	}
	if !v.Shown {
		t.Hidden++
	}
	if v.Unchecked {
		t.Unchecked++
	}
}

// Exit is the exit code of the run, unless it was interrupted: 1 if a part
// could not be checked, else 3 if something failed, else 0.
func (t *Tally) Exit() int {
	switch {
	case t.Unchecked > 0:
		return 1
	case t.Failing > 0:
		return 3
	}
	return 0
}

// Fails says for a renderer whether a finding that Judge has seen is shown as a
// failure.
func (r *Rules) Fails(f *sanity.Finding) bool {
	return f.Code.Unchecked() || !render.Known(f) && f.Severity >= r.FailOn
}
