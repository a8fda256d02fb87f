package render

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kafsck/kafsck/sanity"
)

// The shape of JUnit XML: what readers rely on.
type junitDoc struct {
	XMLName xml.Name `xml:"testsuites"`
	Suites  []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Cases    []struct {
			Name     string         `xml:"name,attr"`
			Class    string         `xml:"classname,attr"`
			File     string         `xml:"file,attr"`
			Failures []junitFailure `xml:"failure"`
			Errors   []junitFailure `xml:"error"`
		} `xml:"testcase"`
		Out string `xml:"system-out"`
	} `xml:"testsuite"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// parseJUnit reads a document and checks that its counts are true.
func parseJUnit(t *testing.T, b []byte) junitDoc {
	t.Helper()
	if !utf8.Valid(b) {
		t.Error("the document isn't UTF-8")
	}
	for _, r := range string(b) {
		if r < ' ' && r != '\n' || r == 0xfffe || r == 0xffff {
			t.Errorf("the document holds %q, which XML cannot", r)
		}
	}
	var d junitDoc
	if err := xml.Unmarshal(b, &d); err != nil {
		t.Fatalf("%v in\n%s", err, b)
	}
	for _, s := range d.Suites {
		failures, errs := 0, 0
		for _, c := range s.Cases {
			failures += len(c.Failures)
			errs += len(c.Errors)
			if c.Name == "" {
				t.Errorf("%s: a testcase has no name", s.Name)
			}
		}
		if s.Tests != len(s.Cases) || s.Failures != failures || s.Errors != errs {
			t.Errorf("%s: says %d/%d/%d, has %d/%d/%d", s.Name, s.Tests, s.Failures, s.Errors, len(s.Cases), failures, errs)
		}
	}
	return d
}

func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	j := NewJUnit(&b, failsAt(sanity.Error))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(j.Finding(finding(sanity.BatchCRCMismatch, "orders-0/0.log", 1234, 1302)))
	must(j.Finding(finding(sanity.IndexPreallocated, "orders-0/0.index", 8, 16)))
	must(j.Finding(finding(sanity.IOError, "orders-0/5.log", -1, -1)))
	must(j.EndUnit("orders-0"))
	must(j.EndUnit("orders-1"))
	must(j.Finding(finding(sanity.LogGarbage, "late/x.log", 0, 9)))
	must(j.Close(Outcome{}))
	d := parseJUnit(t, b.Bytes())
	if len(d.Suites) != 3 || d.Suites[0].Name != "orders-0" || d.Suites[1].Name != "orders-1" || d.Suites[2].Name != "late" {
		t.Fatalf("suites: %+v", d.Suites)
	}
	first := d.Suites[0]
	if first.Failures != 1 || first.Errors != 1 || !strings.Contains(first.Out, "info index-preallocated: orders-0/0.index") {
		t.Errorf("first suite: %+v", first)
	}
	if c := first.Cases[0]; c.Name != "batch-crc-mismatch at position 1234-1302, offset 567-580" || c.Class != "orders-0/0.log" ||
		c.Failures[0].Type != "batch-crc-mismatch" || !strings.Contains(c.Failures[0].Text, "recovery cuts the log at 1234") {
		t.Errorf("first case: %+v", c)
	}
	if s := d.Suites[1]; s.Failures != 0 || len(s.Cases) != 1 {
		t.Errorf("a sound partition: %+v", s)
	}
}

func TestJUnitOfNothing(t *testing.T) {
	var b bytes.Buffer
	if err := NewJUnit(&b, failsAt(sanity.Error)).Close(Outcome{}); err != nil {
		t.Fatal(err)
	}
	if d := parseJUnit(t, b.Bytes()); len(d.Suites) != 0 {
		t.Errorf("%+v", d)
	}
}

// A suite has a bound, and what is beyond it is counted, not lost.
func TestJUnitIsBounded(t *testing.T) {
	var b bytes.Buffer
	j := NewJUnit(&b, failsAt(sanity.Error))
	for i := range suiteLimit + 7 {
		if err := j.Finding(finding(sanity.LogGarbage, "a-0/0.log", int64(i), int64(i)+1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(Outcome{}); err != nil {
		t.Fatal(err)
	}
	d := parseJUnit(t, b.Bytes())
	s := d.Suites[0]
	last := s.Cases[len(s.Cases)-1]
	if s.Failures != suiteLimit+1 || !strings.HasPrefix(last.Failures[0].Message, "7 more findings") {
		t.Errorf("%d failures, last %+v", s.Failures, last)
	}
}
