package render

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"
	"testing"

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
