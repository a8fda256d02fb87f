package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/kafsck/kafsck/sanity"
)

// GitHub writes annotations as workflow commands of GitHub Actions, one line a
// finding, and a last line with the outcome. GitHub shows the first ten errors,
// warnings and notices of a step each; the log of the step has them all.
type GitHub struct {
	lines
}

// NewGitHub writes to w.
func NewGitHub(w io.Writer) *GitHub { return &GitHub{lines{w: w}} }

// Finding writes an annotation. One that the baseline knows is a notice.
func (g *GitHub) Finding(f *sanity.Finding) error {
	command := "notice"
	switch {
	case Known(f):
	case f.Severity == sanity.Error:
		command = "error"
	case f.Severity == sanity.Warning:
		command = "warning"
	}
	title := string(f.Code)
	if e, ok := sanity.Explain(f.Code); ok {
		title += ": " + e.Title
	}
	message := text(f) + " (kafsck explain " + string(f.Code) + ")"
	g.write("::", command, " file=", githubProperty(f.File), ",title=", githubProperty(title), "::", githubData(message), "\n")
	return g.err
}

// EndUnit has nothing to write.
func (g *GitHub) EndUnit(string) error { return g.err }

// Close writes the outcome as a line of the log.
func (g *GitHub) Close(o Outcome) error {
	g.write(fmt.Sprintf("kafsck: %d files, %d errors, %d warnings, %d infos, %d unchecked: %s\n",
		o.Files, o.Errors, o.Warnings, o.Infos, o.Unchecked, o.verdict()))
	return g.err
}

// githubData escapes what stands behind the second pair of colons.
func githubData(s string) string { return githubEscapes.Replace(visible(s)) }

// githubProperty escapes the value of a property: commas and colons end one.
func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(s))
}

var githubEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
