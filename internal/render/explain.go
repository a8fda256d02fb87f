package render

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/kafsck/kafsck/sanity"
)

// ExplanationList writes one line a code.
func ExplanationList(w io.Writer, explanations []sanity.Explanation) error {
	width := 0
	for _, e := range explanations {
		width = max(width, len(e.Code))
	}
	var b strings.Builder
	for _, e := range explanations {
		fmt.Fprintf(&b, "%-*s  %-7s  %s\n", width, e.Code, e.Code.Severity(), e.Title)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// ExplanationPages writes a page a code, for people.
func ExplanationPages(w io.Writer, explanations []sanity.Explanation) error {
	var b strings.Builder
	for i, e := range explanations {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s: %s\n", e.Code, e.Title)
		rule := e.Code.Severity().String()
		if e.Rule != "" {
			rule += "; " + e.Rule
		}
		for _, p := range []struct{ title, text string }{
			{"Severity", rule},
			{"Meaning", e.Meaning},
			{"How it comes about", e.Cause},
			{"What a broker does", e.Broker},
			{"When it is legal", e.Legal},
		} {
			b.WriteString("\n" + p.title + "\n")
			writeWrapped(&b, "  ", "  ", p.text)
		}
		b.WriteString("\nNext\n")
		for _, s := range e.Next {
			writeWrapped(&b, "  - ", "    ", s.Do)
			if s.Command != "" {
				b.WriteString("      " + s.Command + "\n")
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeWrapped writes text in lines of at most 79 letters.
func writeWrapped(b *strings.Builder, first, rest, text string) {
	line := first
	for _, word := range strings.Fields(text) {
		if len(line)+len(word) > 79 && strings.TrimSpace(line) != "" {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = rest
		}
		line += word + " "
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// ExplanationsJSON writes one object a code, each on its line.
func ExplanationsJSON(w io.Writer, explanations []sanity.Explanation) error {
	type step struct {
		Do      string  `json:"do"`
		Command *string `json:"command"`
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for _, e := range explanations {
		steps := make([]step, 0, len(e.Next))
		for _, s := range e.Next {
			n := step{Do: s.Do}
			if s.Command != "" {
				n.Command = &s.Command
			}
			steps = append(steps, n)
		}
		err := encoder.Encode(struct {
			Type      string `json:"type"`
			Code      string `json:"code"`
			Severity  string `json:"severity"`
			Unchecked bool   `json:"unchecked"`
			Title     string `json:"title"`
			Meaning   string `json:"meaning"`
			Cause     string `json:"cause"`
			Broker    string `json:"broker"`
			Legal     string `json:"legal"`
			Rule      string `json:"severityRule"`
			Next      []step `json:"next"`
		}{
			"explanation", string(e.Code), e.Code.Severity().String(), e.Code.Unchecked(),
			e.Title, e.Meaning, e.Cause, e.Broker, e.Legal, e.Rule, steps,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
