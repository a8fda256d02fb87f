package sanity

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/logdir"
)

// result is all that a check says.
type result struct {
	findings []*Finding
	summary  Summary
}

// loud are the findings above info.
func (r *result) loud() []*Finding {
	var loud []*Finding
	for _, f := range r.findings {
		if f.Severity > Info {
			loud = append(loud, f)
		}
	}
	return loud
}

func (r *result) String() string {
	var b strings.Builder
	for _, f := range r.findings {
		b.Write(f.AppendJSON(nil))
		b.WriteByte('\n')
	}
	return b.String()
}

func check(t testing.TB, o Options, paths ...string) *result {
	t.Helper()
	targets := resolve(t, paths...)
	r := new(result)
	var err error
	r.summary, err = Check(context.Background(), targets, o, func(f *Finding) error {
		r.findings = append(r.findings, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var counted Summary
	for _, f := range r.findings {
		counted.Count(f)
		if _, known := ParseCode(string(f.Code)); f.Message == "" || f.File == "" || !known {
			t.Errorf("an incomplete finding: %s", f.AppendJSON(nil))
		}
	}
	s := r.summary
	if counted.Errors != s.Errors || counted.Warnings != s.Warnings || counted.Infos != s.Infos || counted.Unchecked != s.Unchecked {
		t.Errorf("the summary counts %+v, the findings are %+v", s, counted)
	}
	return r
}

func resolve(t testing.TB, paths ...string) []*logdir.Target {
	t.Helper()
	var targets []*logdir.Target
	for _, path := range paths {
		target, err := logdir.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, target)
	}
	return targets
}

// codes lists the codes of findings with their number.
func codes(findings []*Finding) string {
	n := map[Code]int{}
	var order []Code
	for _, f := range findings {
		if n[f.Code]++; n[f.Code] == 1 {
			order = append(order, f.Code)
		}
	}
	var all []string
	for _, c := range order {
		all = append(all, fmt.Sprintf("%s×%d", c, n[c]))
	}
	return strings.Join(all, " ")
}
