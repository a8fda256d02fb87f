package render

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kafsck/kafsck/sanity"
)

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	projectURL  = "https://github.com/kafsck/kafsck"
)

// SARIF writes one run in SARIF 2.1.0, for code scanning and viewers. The rules
// are the explanations of all codes; a result has the file as a URI, and the
// bytes concerned as byteOffset and byteLength. It also has startLine 1, which
// means nothing in these files, but without a line GitHub refuses a result.
type SARIF struct {
	lines
	version  string
	baseline bool
	opened   bool
	results  int
	rules    map[sanity.Code]int
}

// NewSARIF writes to w. The version is that of kafsck; with baseline, each
// result says whether it is new.
func NewSARIF(w io.Writer, version string, baseline bool) *SARIF {
	s := &SARIF{lines: lines{w: w}, version: version, baseline: baseline, rules: map[sanity.Code]int{}}
	for i, e := range sanity.Explanations() {
		s.rules[e.Code] = i
	}
	return s
}

type (
	sarifText struct {
		Text string `json:"text"`
	}
	sarifRule struct {
		ID      string    `json:"id"`
		Short   sarifText `json:"shortDescription"`
		Full    sarifText `json:"fullDescription"`
		Help    sarifHelp `json:"help"`
		HelpURI string    `json:"helpUri"`
		Default struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifRegion struct {
		StartLine  int    `json:"startLine"`
		ByteOffset *int64 `json:"byteOffset,omitempty"`
		ByteLength *int64 `json:"byteLength,omitempty"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region sarifRegion `json:"region"`
		} `json:"physicalLocation"`
	}
	sarifResult struct {
		RuleID        string            `json:"ruleId"`
		RuleIndex     *int              `json:"ruleIndex,omitempty"`
		Level         string            `json:"level"`
		Message       sarifText         `json:"message"`
		Locations     [1]sarifLocation  `json:"locations"`
		Fingerprints  map[string]string `json:"partialFingerprints"`
		BaselineState string            `json:"baselineState,omitempty"`
		Properties    map[string]any    `json:"properties"`
	}
)

// Finding writes a result.
func (s *SARIF) Finding(f *sanity.Finding) error {
	s.open()
	r := sarifResult{
		RuleID: string(f.Code), Level: sarifLevel(f.Severity),
		Message:      sarifText{text(f)},
		Fingerprints: map[string]string{"kafsckFinding/v1": fingerprint(f)},
		Properties:   map[string]any{"broker": f.Broker},
	}
	if len(f.Detail) > 0 {
		r.Properties["detail"] = f.Detail
	}
	if i, ok := s.rules[f.Code]; ok {
		r.RuleIndex = &i
	}
	if s.baseline {
		r.BaselineState = "new"
		if Known(f) {
			r.BaselineState = "unchanged"
		}
	}
	for _, p := range []struct {
		name  string
		value int64
	}{{"offset", f.Offset}, {"lastOffset", f.LastOffset}, {"slot", f.Slot}} {
		if p.value >= 0 {
			r.Properties[p.name] = p.value
		}
	}
	at := &r.Locations[0].Physical
	at.Artifact.URI = fileURI(f.File)
	at.Region.StartLine = 1
	if f.Position >= 0 {
		at.Region.ByteOffset = &f.Position
		if f.EndPosition >= f.Position {
			length := f.EndPosition - f.Position
			at.Region.ByteLength = &length
		}
	}
	if s.results > 0 {
		s.write(",\n")
	}
	s.results++
	s.json(r)
	return s.err
}

// EndUnit has nothing to write.
func (s *SARIF) EndUnit(string) error { return s.err }

// Close ends the document with how the check ended.
func (s *SARIF) Close(o Outcome) error {
	s.open()
	s.write("],\n\"invocations\":[")
	s.json(map[string]any{
		// What could not be checked or was interrupted is no success; that
		// something was found is one.
		"executionSuccessful": o.Exit == 0 || o.Exit == 3,
		"exitCode":            o.Exit,
		"exitCodeDescription": o.verdict(),
	})
	s.write("],\n\"properties\":")
	s.json(map[string]int64{
		"files": o.Files, "bytes": o.Bytes, "batches": o.Batches, "records": o.Records,
		"errors": o.Errors, "warnings": o.Warnings, "infos": o.Infos, "unchecked": o.Unchecked,
	})
	s.write("}]}\n")
	return s.err
}

func (s *SARIF) open() {
	if s.opened {
		return
	}
	s.opened = true
	var rules []sarifRule
	for _, e := range sanity.Explanations() {
		rules = append(rules, rule(e))
	}
	s.write(`{"$schema":"`, sarifSchema, `","version":"2.1.0","runs":[{"tool":{"driver":{"name":"kafsck","informationUri":"`, projectURL, `","version":`)
	s.json(s.version)
	s.write(`,"rules":`)
	s.json(rules)
	s.write("}},\n\"results\":[\n")
}

func rule(e sanity.Explanation) sarifRule {
	r := sarifRule{
		ID: string(e.Code), Short: sarifText{e.Title}, Full: sarifText{e.Meaning},
		HelpURI: projectURL + "/blob/main/docs/findings.md#" + string(e.Code),
	}
	r.Default.Level = sarifLevel(e.Code.Severity())
	var text, markdown strings.Builder
	for _, p := range []struct{ title, text string }{
		{"How it comes about", e.Cause}, {"What a broker does", e.Broker}, {"When it is legal", e.Legal},
	} {
		fmt.Fprintf(&text, "%s: %s\n", p.title, p.text)
		fmt.Fprintf(&markdown, "**%s.** %s\n\n", p.title, p.text)
	}
	text.WriteString("Next:\n")
	markdown.WriteString("**Next.**\n\n")
	for _, step := range e.Next {
		text.WriteString("- " + step.Do)
		markdown.WriteString("* " + step.Do)
		if step.Command != "" {
			text.WriteString(": " + step.Command)
			markdown.WriteString(": `" + step.Command + "`")
		}
		text.WriteString("\n")
		markdown.WriteString("\n")
	}
	r.Help = sarifHelp{text.String(), markdown.String()}
	return r
}

func (s *SARIF) json(v any) {
	if s.err != nil {
		return
	}
	b, err := json.Marshal(v)
	if err != nil {
		s.err = err
		return
	}
	_, s.err = s.w.Write(b)
}

func sarifLevel(s sanity.Severity) string {
	switch s {
	case sanity.Error:
		return "error"
	case sanity.Warning:
		return "warning"
	}
	return "note"
}

// fileURI is a path as a URI: relative as it was reached, or file:///… where
// it is absolute. Bytes that have no place in a URI are percent-encoded, so
// that every name there is can be had back.
func fileURI(path string) string {
	slashed := filepath.ToSlash(path)
	if filepath.IsAbs(path) {
		if !strings.HasPrefix(slashed, "/") {
			slashed = "/" + slashed // a drive
		}
		return "file://" + (&url.URL{Path: slashed}).EscapedPath()
	}
	return (&url.URL{Path: slashed}).String()
}

// fingerprint tells whether two runs speak of the same finding.
func fingerprint(f *sanity.Finding) string {
	h := sha256.New()
	for _, part := range []string{
		string(f.Code), filepath.ToSlash(f.File),
		strconv.FormatInt(f.Position, 10), strconv.FormatInt(f.Slot, 10), strconv.FormatInt(f.Offset, 10),
	} {
		_, _ = io.WriteString(h, part+"\x00")
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
