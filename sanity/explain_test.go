package sanity

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// declaredCodes reads the constants of type Code from the source, so that a
// new one cannot be forgotten.
func declaredCodes(t *testing.T) []Code {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "code.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes []Code
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); !ok || name.Name != "Code" {
			return true
		}
		for _, v := range spec.Values {
			text, err := strconv.Unquote(v.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, Code(text))
		}
		return true
	})
	if len(codes) < 70 {
		t.Fatalf("only %d codes found in code.go", len(codes))
	}
	return codes
}

func TestEveryCodeIsExplainedOnce(t *testing.T) {
	declared := declaredCodes(t)
	seen := map[Code]int{}
	for _, e := range Explanations() {
		seen[e.Code]++
		if !slices.Contains(declared, e.Code) {
			t.Errorf("%s is explained and isn't a code", e.Code)
		}
	}
	for _, c := range declared {
		if seen[c] != 1 {
			t.Errorf("%s is explained %d times", c, seen[c])
		}
		if e, ok := Explain(c); !ok || e.Code != c {
			t.Errorf("Explain(%s) = %v, %v", c, e.Code, ok)
		}
	}
}

func TestExplanationsAreComplete(t *testing.T) {
	titles := map[string]Code{}
	for _, e := range Explanations() {
		for name, text := range map[string]string{"Meaning": e.Meaning, "Cause": e.Cause, "Broker": e.Broker, "Legal": e.Legal} {
			if !strings.HasSuffix(text, ".") || len(text) < 6 {
				t.Errorf("%s: %s is no sentence: %q", e.Code, name, text)
			}
		}
		for name, text := range map[string]string{"Title": e.Title, "Rule": e.Rule} {
			if strings.HasSuffix(text, ".") || strings.ContainsAny(text, "\n`") {
				t.Errorf("%s: %s is no line: %q", e.Code, name, text)
			}
		}
		if e.Title == "" || len(e.Title) > 80 {
			t.Errorf("%s: title of %d letters", e.Code, len(e.Title))
		}
		if other, twice := titles[e.Title]; twice {
			t.Errorf("%s and %s have the same title", e.Code, other)
		}
		titles[e.Title] = e.Code
		if len(e.Next) == 0 {
			t.Errorf("%s: nothing to do next", e.Code)
		}
		for _, s := range e.Next {
			if s.Do == "" || strings.HasSuffix(s.Do, ".") {
				t.Errorf("%s: step %q", e.Code, s.Do)
			}
		}
		if e.Code.Unchecked() != strings.Contains(e.Rule, "unchecked") {
			t.Errorf("%s: the rule %q doesn't say whether it counts as unchecked", e.Code, e.Rule)
		}
	}
}

// A severity that a rule narrows is said in words; the words must not name the
// code's own severity as the exception.
func TestRulesAreExceptions(t *testing.T) {
	for _, e := range Explanations() {
		if strings.HasPrefix(e.Rule, e.Code.Severity().String()+" ") {
			t.Errorf("%s: %q is its own severity", e.Code, e.Rule)
		}
	}
}

func TestSimilarCodes(t *testing.T) {
	for name, want := range map[string]Code{
		"batch-crc-mismach":    BatchCRCMismatch,
		"BATCH-CRC-MISMATCH":   BatchCRCMismatch,
		"crc-mismatch":         BatchCRCMismatch,
		"time-index-mismatch":  TimeIndexMismatch,
		"log_zero_tail":        LogZeroTail,
		"index-missng":         IndexMissing,
		"txn-index-size":       TxnIndexSize,
		"partition-duplicates": PartitionDuplicate,
	} {
		if got := SimilarCodes(name); !slices.Contains(got, want) || len(got) > 3 {
			t.Errorf("SimilarCodes(%q) = %v, want %s among them", name, got, want)
		}
	}
	for _, name := range []string{"", "nonsense", "\x1b[2J", strings.Repeat("a", 1<<20)} {
		if got := SimilarCodes(name); len(got) != 0 {
			t.Errorf("SimilarCodes(%.20q) = %v", name, got)
		}
	}
	for _, c := range declaredCodes(t) {
		if got := SimilarCodes(string(c)); len(got) == 0 || got[0] != c {
			t.Errorf("SimilarCodes(%s) = %v", c, got)
		}
	}
}

func TestParseCode(t *testing.T) {
	for _, c := range declaredCodes(t) {
		if got, ok := ParseCode(string(c)); !ok || got != c || !slices.Contains(Codes, c) {
			t.Errorf("%s is declared and not listed", c)
		}
	}
	if len(Codes) != len(declaredCodes(t)) {
		t.Errorf("%d codes are listed, %d declared", len(Codes), len(declaredCodes(t)))
	}
	if c, ok := ParseCode("log-garbage"); !ok || c != LogGarbage {
		t.Errorf("ParseCode = %q, %v", c, ok)
	}
	if _, ok := ParseCode("log-garbage "); ok {
		t.Error("a name with a space is a code")
	}
}

// The page is made from the table: go generate ./sanity
func TestDocIsLinkedFromTheTable(t *testing.T) {
	page, err := os.ReadFile("../docs/findings.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range declaredCodes(t) {
		if !strings.Contains(string(page), "\n### "+string(c)+"\n") {
			t.Errorf("docs/findings.md has no heading for %s; run go generate", c)
		}
	}
}
