package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

const long = `Do a thing with
files.

  kept    as it is
  - too

.dotted

Examples:
  demo run a\b

EXIT STATUS
  0    done`

func demoTree() *cobra.Command {
	root := &cobra.Command{Use: "demo", Short: "a demonstration"}
	run := &cobra.Command{Use: "run PATH", Short: "run it", Long: long, Run: func(*cobra.Command, []string) {}}
	run.Flags().StringP("format", "f", "text", "output `format` of it")
	run.Flags().Bool("secret", false, "not shown")
	_ = run.Flags().MarkHidden("secret")
	root.AddCommand(run)
	root.AddCommand(&cobra.Command{Use: "hidden", Hidden: true, Run: func(*cobra.Command, []string) {}})
	return root
}

func TestManPageLayout(t *testing.T) {
	pages := manPages(demoTree(), "2026-01-31", "1.2.3")
	if _, ok := pages["demo-hidden.1"]; ok {
		t.Error("a hidden command has a page")
	}
	want := `.TH DEMO\-RUN 1 "2026-01-31" "kafsck 1.2.3" "User Commands"
.SH NAME
demo\-run \- run it
.SH SYNOPSIS
\fBdemo run\fR PATH [flags]
.SH DESCRIPTION
.PP
Do a thing with
files.
.PP
.EX
  kept    as it is
  \- too
.EE
.PP
\&.dotted
.SH OPTIONS
.TP
\fB\-f\fR, \fB\-\-format\fR \fIformat\fR
output format of it (default: text)
.TP
\fB\-h\fR, \fB\-\-help\fR
help for run
.SH EXAMPLES
.PP
.EX
  demo run a\eb
.EE
.SH EXIT STATUS
.PP
.EX
  0    done
.EE
.SH SEE ALSO
.BR demo (1)
`
	if diff := cmp.Diff(want, string(pages["demo-run.1"])); diff != "" {
		t.Errorf("page differs (-want +got):\n%s", diff)
	}
}

// The pages and scripts of the real command tree are complete and the same
// each time: a release must be reproducible.
func TestRealTreeIsReproducible(t *testing.T) {
	first, second := manPages(newRoot(), "2026-01-31", "1"), manPages(newRoot(), "2026-01-31", "1")
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("two runs differ:\n%s", diff)
	}
	for _, c := range visible(newRoot()) {
		page := string(first[pageName(c)+".1"])
		for _, want := range []string{".SH NAME\n", ".SH EXIT STATUS\n", ".SH EXAMPLES\n"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s.1 has no %q", pageName(c), strings.TrimSpace(want))
			}
		}
	}
	scripts, err := completionScripts(newRoot())
	if err != nil {
		t.Fatal(err)
	}
	again, err := completionScripts(newRoot())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kafsck.bash", "kafsck.zsh", "kafsck.fish", "kafsck.ps1"} {
		if !bytes.Contains(scripts[name], []byte("kafsck")) || !bytes.Equal(scripts[name], again[name]) {
			t.Errorf("%s is empty or not reproducible", name)
		}
	}
}

func TestParseDay(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		"2026-01-31":                "2026-01-31",
		"2026-01-31T23:30:00-02:00": "2026-02-01",
	} {
		if got, err := parseDay(in); err != nil || got != want {
			t.Errorf("parseDay(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	if _, err := parseDay("31.1.2026"); err == nil {
		t.Error("a day in another form is accepted")
	}
}

// The checked-in page is what the table of explanations makes.
func TestFindingsPageIsFresh(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "findings.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(page), string(findingsPage())); diff != "" {
		t.Errorf("docs/findings.md is not up to date; run go generate ./sanity (-checked in +made):\n%s", diff)
	}
}
