package render

import (
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/kafsck/kafsck/sanity"
)

// suiteLimit bounds how many findings of one suite are written one by one. A
// suite has to begin with their number, so it is kept until it is complete.
const suiteLimit = 5000

// JUnit writes JUnit XML, which CI systems show as test results: a testsuite a
// partition directory, with a failed testcase for each finding that fails the
// check (an error, in JUnit's words, for what could not be checked). Findings
// that don't fail it stand in the suite's system-out. A suite without failures
// has one testcase that passed.
type JUnit struct {
	lines
	fails  Fails
	opened bool
	suite  suite
}

type suite struct {
	cases            strings.Builder
	notes            strings.Builder
	count            int // findings, written or not
	written          int
	failures, errors int
	leftOut          int // failing ones beyond the limit
	dir              string
}

// NewJUnit writes to w; fails decides what a failure is.
func NewJUnit(w io.Writer, fails Fails) *JUnit {
	return &JUnit{lines: lines{w: w}, fails: fails}
}

// Finding keeps a finding for the suite that is under way.
func (j *JUnit) Finding(f *sanity.Finding) error {
	s := &j.suite
	if s.count == 0 {
		s.dir = filepath.Dir(f.File)
	}
	s.count++
	failing := j.fails(f)
	if s.written == suiteLimit {
		if failing {
			s.leftOut++
		}
		return j.err
	}
	s.written++
	if !failing {
		fmt.Fprintf(&s.notes, "%s %s: %s: %s\n", f.Severity, f.Code, visible(f.File), text(f))
		return j.err
	}
	element := "failure"
	if f.Code.Unchecked() {
		element = "error"
		s.errors++
	} else {
		s.failures++
	}
	name := string(f.Code)
	if at := place(f); at != "" {
		name += " at " + at
	}
	fmt.Fprintf(&s.cases, "    <testcase name=\"%s\" classname=\"%s\" file=\"%s\">\n      <%s type=\"%s\" message=\"%s\">",
		escapeXML(name), escapeXML(f.File), escapeXML(f.File), element, escapeXML(string(f.Code)), escapeXML(f.Message))
	s.cases.WriteString(escapeXML(f.File))
	s.cases.WriteString("\n" + escapeXML(text(f)))
	if e, ok := sanity.Explain(f.Code); ok {
		s.cases.WriteString("\n" + escapeXML(e.Title) + "\nkafsck explain " + string(f.Code))
	}
	fmt.Fprintf(&s.cases, "</%s>\n    </testcase>\n", element)
	return j.err
}

// EndUnit writes the suite of what was checked at path.
func (j *JUnit) EndUnit(path string) error {
	j.open()
	s := &j.suite
	if s.leftOut > 0 {
		fmt.Fprintf(&s.cases, "    <testcase name=\"more findings\" classname=\"%s\">\n      <failure message=\"%d more findings are not listed; --format json lists all\"/>\n    </testcase>\n",
			escapeXML(path), s.leftOut)
		s.failures++
	}
	tests := s.failures + s.errors
	if tests == 0 {
		fmt.Fprintf(&s.cases, "    <testcase name=\"sanity-check\" classname=\"%s\"/>\n", escapeXML(path))
		tests = 1
	}
	j.write(fmt.Sprintf("  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\">\n",
		escapeXML(path), tests, s.failures, s.errors), s.cases.String())
	if s.notes.Len() > 0 {
		j.write("    <system-out>", escapeXMLText(s.notes.String()), "</system-out>\n")
	}
	j.write("  </testsuite>\n")
	j.suite = suite{}
	return j.err
}

// Close ends the document. Findings of no unit get a suite of their own, named
// by the directory of the first.
func (j *JUnit) Close(Outcome) error {
	j.open()
	if j.suite.count > 0 {
		_ = j.EndUnit(j.suite.dir) // the error stays in j
	}
	j.write("</testsuites>\n")
	return j.err
}

func (j *JUnit) open() {
	if !j.opened {
		j.opened = true
		j.write(xml.Header, "<testsuites name=\"kafsck sanity-check\">\n")
	}
}

// escapeXML makes s fit for an attribute or an element, visible as it is:
// characters that XML cannot hold are written as escapes.
func escapeXML(s string) string { return escapeXMLText(visible(s)) }

// escapeXMLText is escapeXML for text that has been made visible already and
// whose line ends are to stay.
func escapeXMLText(s string) string {
	return xmlEscapes.Replace(s)
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")
