package main

import (
	"fmt"
	"strings"

	"github.com/kafsck/kafsck/sanity"
)

// findingsPage is docs/findings.md: what every code means, from the same
// table that "kafsck explain" prints.
func findingsPage() []byte {
	var w strings.Builder
	w.WriteString(`<!-- Generated from the explanations in package sanity: go generate ./sanity -->

# Findings

What the codes of ` + "`kafsck sanity-check`" + ` mean, what a broker does about each,
and what to do next. ` + "`kafsck explain CODE`" + ` prints the same.

An **error** means that data is lost or unreadable, or that a broker acts on it
or answers wrongly. A **warning** is suspicious, costs something, or will be
rebuilt. An **info** is legal and worth knowing. Nothing that a real broker wrote
is an error or a warning as long as nothing happened to it since.

With ` + "`--kafka-version`" + ` findings are those of the release that is going to read the
files: what it would rebuild is a warning, what it doesn't read an info, what it
can't read an error ([which](cli.md#which-release-is-going-to-read-the-files)).

In commands ` + "`FILE`" + ` is the file of the finding, ` + "`DIR`" + ` its partition directory,
` + "`OUT`" + ` a new directory on another disk. Commands of kafsck write nothing but what
` + "`salvage`" + ` and ` + "`rebuild-index`" + ` are told to.

| code | severity | |
|---|---|---|
`)
	for _, e := range sanity.Explanations() {
		fmt.Fprintf(&w, "| [`%s`](#%s) | %s | %s |\n", e.Code, e.Code, e.Code.Severity(), e.Title)
	}
	for _, chapter := range sanity.Chapters() {
		fmt.Fprintf(&w, "\n## %s\n", chapter.Title)
		for _, e := range chapter.Explanations {
			writeExplanation(&w, e)
		}
	}
	return []byte(w.String())
}

func writeExplanation(w *strings.Builder, e sanity.Explanation) {
	fmt.Fprintf(w, "\n### %s\n\n**%s**", e.Code, e.Code.Severity())
	if e.Rule != "" {
		fmt.Fprintf(w, " (%s)", e.Rule)
	}
	fmt.Fprintf(w, ": %s.\n\n%s\n", e.Title, e.Meaning)
	for _, p := range []struct{ title, text string }{
		{"How it comes about", e.Cause},
		{"What a broker does", e.Broker},
		{"When it is legal", e.Legal},
	} {
		fmt.Fprintf(w, "\n*%s.* %s\n", p.title, p.text)
	}
	w.WriteString("\nNext:\n\n")
	for i, s := range e.Next {
		fmt.Fprintf(w, "%d. %s", i+1, s.Do)
		if s.Command != "" {
			fmt.Fprintf(w, ": `%s`", s.Command)
		}
		w.WriteString("\n")
	}
}
