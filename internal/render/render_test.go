package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kafsck/kafsck/sanity"
)

// hostile are names and texts that have broken other tools' output.
var hostile = []string{
	"plain.log",
	"a b/00000000000000000000.log",
	"]]></failure><x y=\"'&amp;",
	"ctrl\x00\x01\x1b[2J\x7f.log",
	"line\nbreak\r::error file=x::injected",
	"100%,title=x:y::z",
	"%0A%25",
	"latin\xe9\xff.log",
	"bidi\u202egol.log",
	"\ufeff\ufffe\uffff\ufffd",
	"\xed\xa0\x80surrogate",
	"käse-0/日本.log",
	"http://elsewhere/../x",
	"a:b/c",
	"?query#fragment",
	"",
	strings.Repeat("long", 5000),
}

func failsAt(s sanity.Severity) Fails {
	return func(f *sanity.Finding) bool { return f.Code.Unchecked() || f.Severity >= s && !Known(f) }
}

func finding(code sanity.Code, file string, position, end int64) *sanity.Finding {
	f := sanity.At(code, file)
	f.Position, f.EndPosition = position, end
	f.Offset, f.LastOffset = 567, 580
	f.Message = "stored 3117226911, computed 12"
	f.Broker = "recovery cuts the log at " + strconv.FormatInt(position, 10)
	return &f
}

// all runs every renderer over the findings of one unit.
func all(t *testing.T, fails Fails, findings []*sanity.Finding) (junit, sarif, github []byte) {
	t.Helper()
	var j, s, g bytes.Buffer
	for _, r := range []Renderer{NewJUnit(&j, fails), NewSARIF(&s, "1.2.3", true), NewGitHub(&g)} {
		for _, f := range findings {
			if err := r.Finding(f); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.EndUnit("orders-0"); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(Outcome{Exit: 3, Files: 12, Errors: 1}); err != nil {
			t.Fatal(err)
		}
	}
	return j.Bytes(), s.Bytes(), g.Bytes()
}

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

func TestGitHub(t *testing.T) {
	_, _, got := all(t, failsAt(sanity.Error), []*sanity.Finding{
		finding(sanity.BatchCRCMismatch, "a,b:c/0.log", 1234, 1302),
		finding(sanity.EpochDecreased, "a/0.log", 5, -1),
		finding(sanity.TransactionOpen, "a/0.log", -1, -1),
	})
	want := `::error file=a%2Cb%3Ac/0.log,title=batch-crc-mismatch%3A a batch's checksum is wrong::position 1234-1302, offset 567-580: stored 3117226911, computed 12; recovery cuts the log at 1234 (kafsck explain batch-crc-mismatch)
::warning file=a/0.log,title=epoch-decreased%3A a leader epoch falls::position 5, offset 567-580: stored 3117226911, computed 12; recovery cuts the log at 5 (kafsck explain epoch-decreased)
::notice file=a/0.log,title=transaction-open%3A a transaction is still open at the end of the log::offset 567-580: stored 3117226911, computed 12; recovery cuts the log at -1 (kafsck explain transaction-open)
kafsck: 12 files, 1 errors, 0 warnings, 0 infos, 0 unchecked: damage was found
`
	if string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// The shape of a SARIF log as its schema and GitHub require it.
func checkSARIF(t *testing.T, b []byte) (results []map[string]any) {
	t.Helper()
	var d struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name, Version, InformationURI string
					Rules                         []struct {
						ID               string
						ShortDescription struct{ Text string }
						FullDescription  struct{ Text string }
						Help             struct{ Text, Markdown string }
						HelpURI          string
						Default          struct{ Level string } `json:"defaultConfiguration"`
					}
				}
			}
			Results     []map[string]any
			Invocations []struct {
				ExecutionSuccessful *bool
				ExitCode            *int
			}
		}
	}
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatalf("%v in\n%s", err, b)
	}
	if d.Version != "2.1.0" || len(d.Runs) != 1 || !strings.HasPrefix(d.Schema, "https://") {
		t.Fatalf("version %q, %d runs, schema %q", d.Version, len(d.Runs), d.Schema)
	}
	run := d.Runs[0]
	levels := map[string]bool{"error": true, "warning": true, "note": true}
	index := map[string]int{}
	for i, r := range run.Tool.Driver.Rules {
		index[r.ID] = i
		if r.ShortDescription.Text == "" || r.FullDescription.Text == "" || r.Help.Text == "" || !levels[r.Default.Level] {
			t.Errorf("rule %+v", r)
		}
		if u, err := url.Parse(r.HelpURI); err != nil || u.Fragment != r.ID {
			t.Errorf("helpUri %q: %v", r.HelpURI, err)
		}
	}
	if run.Tool.Driver.Name != "kafsck" || len(index) != len(sanity.Explanations()) {
		t.Errorf("driver %q with %d rules", run.Tool.Driver.Name, len(index))
	}
	if len(run.Invocations) != 1 || run.Invocations[0].ExecutionSuccessful == nil || run.Invocations[0].ExitCode == nil {
		t.Errorf("invocations: %+v", run.Invocations)
	}
	if run.Results == nil {
		t.Error("no results array")
	}
	for _, r := range run.Results {
		id, _ := r["ruleId"].(string)
		if i, ok := r["ruleIndex"].(float64); ok && index[id] != int(i) {
			t.Errorf("%s has ruleIndex %v, its rule is %d", id, i, index[id])
		}
		if level, _ := r["level"].(string); !levels[level] {
			t.Errorf("level %v", r["level"])
		}
		location := r["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
		uri := location["artifactLocation"].(map[string]any)["uri"].(string)
		if _, err := url.Parse(uri); err != nil {
			t.Errorf("uri %q: %v", uri, err)
		}
		region := location["region"].(map[string]any)
		if region["startLine"] != 1.0 {
			t.Errorf("region %v", region)
		}
		if at, ok := region["byteOffset"].(float64); ok && at < 0 {
			t.Errorf("byteOffset %v", at)
		}
		if n, ok := region["byteLength"].(float64); ok && n < 0 {
			t.Errorf("byteLength %v", n)
		}
	}
	return run.Results
}

func TestSARIF(t *testing.T) {
	old := finding(sanity.LogGarbage, "a/0.log", 9, -1)
	old.Detail = map[string]any{BaselineDetail: true, "count": 4}
	_, got, _ := all(t, failsAt(sanity.Error), []*sanity.Finding{
		finding(sanity.BatchCRCMismatch, "a/0.log", 1234, 1302), old,
		finding("made-up", "a/0.log", -1, -1),
	})
	results := checkSARIF(t, got)
	if len(results) != 3 {
		t.Fatalf("%d results", len(results))
	}
	region := func(i int) string {
		l := results[i]["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
		return fmt.Sprint(l["region"])
	}
	if r := region(0); r != "map[byteLength:68 byteOffset:1234 startLine:1]" {
		t.Error(r)
	}
	if r := region(1); r != "map[byteOffset:9 startLine:1]" {
		t.Error(r)
	}
	if results[0]["baselineState"] != "new" || results[1]["baselineState"] != "unchanged" {
		t.Errorf("states %v, %v", results[0]["baselineState"], results[1]["baselineState"])
	}
	if _, has := results[2]["ruleIndex"]; has {
		t.Error("a result without a rule has an index")
	}
	same := finding(sanity.BatchCRCMismatch, "a/0.log", 1234, 1400)
	if fingerprint(same) != results[0]["partialFingerprints"].(map[string]any)["kafsckFinding/v1"] {
		t.Error("the same place has another fingerprint")
	}
}

// An interrupted run is no success, and still one document.
func TestSARIFOfNothing(t *testing.T) {
	for exit, successful := range map[int]bool{0: true, 1: false, 3: true, 130: false} {
		var b bytes.Buffer
		if err := NewSARIF(&b, "1", false).Close(Outcome{Exit: exit}); err != nil {
			t.Fatal(err)
		}
		checkSARIF(t, b.Bytes())
		if want := fmt.Sprintf(`"executionSuccessful":%v`, successful); !strings.Contains(b.String(), want) {
			t.Errorf("exit %d: no %s", exit, want)
		}
	}
}

// Whatever is in names and messages, all output is well-formed, nothing
// reaches a terminal unseen, and a name can be had back from a URI.
func TestHostileText(t *testing.T) {
	var findings []*sanity.Finding
	for _, h := range hostile {
		f := finding(sanity.LogGarbage, h, 1, 2)
		f.Message, f.Broker = h, h
		f.Detail = map[string]any{"text": h}
		findings = append(findings, f)
	}
	junit, sarif, github := all(t, failsAt(sanity.Error), findings)
	if d := parseJUnit(t, junit); d.Suites[0].Failures != len(hostile) {
		t.Errorf("%d failures", d.Suites[0].Failures)
	}
	for i, r := range checkSARIF(t, sarif) {
		location := r["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
		u, err := url.Parse(location["artifactLocation"].(map[string]any)["uri"].(string))
		if err != nil || strings.TrimPrefix(u.Path, "./") != hostile[i] || u.Host != "" || u.RawQuery != "" || u.Fragment != "" {
			t.Errorf("%q became the URI %v: %v", hostile[i], u, err)
		}
	}
	lines := strings.Split(strings.TrimSuffix(string(github), "\n"), "\n")
	if len(lines) != len(hostile)+1 {
		t.Errorf("%d lines for %d annotations", len(lines), len(hostile))
	}
	for i, line := range lines[:len(hostile)] {
		command, _, _ := strings.Cut(strings.TrimPrefix(line, "::"), "::")
		properties := strings.Split(strings.TrimPrefix(command, "error "), ",")
		if len(properties) != 2 || !strings.HasPrefix(properties[0], "file=") || !strings.HasPrefix(properties[1], "title=log-garbage") {
			t.Errorf("%q: properties %q", hostile[i], properties)
		}
	}
	// SARIF's detail is data, escaped as JSON asks for and no further.
	for _, out := range [][]byte{junit, github} {
		if i := bytes.IndexFunc(out, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == 0x202e }); i >= 0 {
			t.Errorf("%q stands in the output", out[i:i+1])
		}
	}
}

func TestFileURI(t *testing.T) {
	for path, want := range map[string]string{
		"orders-0/00.log":     "orders-0/00.log",
		"/var/lib/kafka/a b":  "file:///var/lib/kafka/a%20b",
		"a:b/c":               "./a:b/c",
		"caf\xe9":             "caf%E9",
		"../data/x.log":       "../data/x.log",
		"what?/x#y%z":         "what%3F/x%23y%25z",
		"/a//b/./c\x00\n.log": "file:///a//b/./c%00%0A.log",
	} {
		if filepath.Separator != '/' && strings.HasPrefix(path, "/") {
			continue
		}
		if got := fileURI(path); got != want {
			t.Errorf("fileURI(%q) = %q, want %q", path, got, want)
		}
	}
}

type failing struct{ after int }

var errFull = errors.New("disk full")

func (f *failing) Write(p []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// Wherever a write fails, the renderer says so, and does not write on.
func TestWriteErrorsSurface(t *testing.T) {
	renderers := map[string]func(io.Writer) Renderer{
		"junit":  func(w io.Writer) Renderer { return NewJUnit(w, failsAt(sanity.Error)) },
		"sarif":  func(w io.Writer) Renderer { return NewSARIF(w, "1", false) },
		"github": func(w io.Writer) Renderer { return NewGitHub(w) },
	}
	for name, make := range renderers {
		clean := false
		for after := 0; !clean && after < 100; after++ {
			r := make(&failing{after: after})
			_ = r.Finding(finding(sanity.LogGarbage, "a", 1, 2))
			_ = r.EndUnit("a-0")
			err := r.Close(Outcome{})
			clean = err == nil
			if err != nil && !errors.Is(err, errFull) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if !clean {
			t.Errorf("%s never ends without an error", name)
		}
	}
}

// Memory doesn't grow with the number of findings.
func TestRenderersStream(t *testing.T) {
	f := finding(sanity.LogGarbage, "a-0/0.log", 1, 2)
	for name, r := range map[string]Renderer{"sarif": NewSARIF(io.Discard, "1", false), "github": NewGitHub(io.Discard)} {
		if err := r.Finding(f); err != nil {
			t.Fatal(err)
		}
		w := &counting{}
		switch r := r.(type) {
		case *SARIF:
			r.w = w
		case *GitHub:
			r.w = w
		}
		if err := r.Finding(f); err != nil || w.n == 0 {
			t.Errorf("%s: a finding isn't written at once: %v", name, err)
		}
	}
}

type counting struct{ n int }

func (c *counting) Write(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain":        "plain",
		"tab\t\n":      `tab\t\n`,
		"\x1b[31m":     `\x1b[31m`,
		"\xff\xe9":     `\xff\xe9`,
		"\u202e\ufeff": `\u202e\ufeff`,
		"é日":           "é日",
		"\ufffd":       "\ufffd",
		"\U000e0001":   `\U000e0001`,
	} {
		if got := visible(in); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
}
