package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/sanity"
)

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
