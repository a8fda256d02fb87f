package sanity

import "github.com/kafsck/kafsck/internal/similar"

//go:generate go run ../internal/gendocs -findings ../docs/findings.md

// Explanation says what a code means, to somebody who has a finding of it in
// front of them. It is what "kafsck explain" prints, what docs/findings.md is
// made of, and what the rules of a SARIF report say.
//
// In commands FILE is the file of the finding, DIR its partition directory,
// LOGDIR the log dir that the partition lies in, OUT a new directory.
type Explanation struct {
	Code    Code
	Title   string // one line, without a period
	Meaning string // what is wrong, or legal and worth knowing
	Cause   string // how it comes about
	Broker  string // what brokers do about it, and which ones
	Legal   string // where this is no fault, and isn't reported or only as info
	Rule    string // when the severity isn't the code's own; "" if it always is
	Next    []Step // what to do, in this order
}

// Step is one thing to do next. A Command is exact but for the placeholders.
type Step struct {
	Do      string
	Command string // "" if it isn't a matter of one command
}

// Chapter is a group of explanations.
type Chapter struct {
	Title        string
	Explanations []Explanation
}

// chapters are the explanations in the order in which they are listed.
var chapters = []Chapter{
	{"Logs", logExplanations},
	{"Batches and records", batchExplanations},
	{"Offsets across batches", offsetExplanations},
	{"Leader epochs, producers and transactions", producerExplanations},
	{"Offset indexes", indexExplanations},
	{"Time indexes", timeIndexExplanations},
	{"Transaction indexes", txnIndexExplanations},
	{"Producer snapshots", snapshotExplanations},
	{"Checkpoints and metadata files", stateExplanations},
	{"Files", fileExplanations},
	{"What could not be checked", uncheckedExplanations},
}

// Chapters are the explanations of all codes, by what the codes are about.
// They are shared: callers must not change them.
func Chapters() []Chapter { return chapters }

// Explanations are those of all codes, one after another.
func Explanations() []Explanation {
	var all []Explanation
	for _, c := range chapters {
		all = append(all, c.Explanations...)
	}
	return all
}

// Explain is the explanation of a code; false if there is no such code.
func Explain(code Code) (Explanation, bool) {
	for _, c := range chapters {
		for _, e := range c.Explanations {
			if e.Code == code {
				return e, true
			}
		}
	}
	return Explanation{}, false
}

// SimilarCodes are the codes that somebody may have meant who wrote name, the
// likeliest first; at most three, and none that is too far away.
func SimilarCodes(name string) []Code {
	var names []string
	for _, e := range Explanations() {
		names = append(names, string(e.Code))
	}
	var codes []Code
	for _, s := range similar.To(name, names) {
		codes = append(codes, Code(s))
	}
	return codes
}
