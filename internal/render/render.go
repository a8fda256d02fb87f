package render

import (
	"io"
	"strings"
	"unicode"

	"github.com/kafsck/kafsck/sanity"
)

// Renderer writes the outcome of a check. Findings come grouped by unit: all
// of one partition directory, or of one other file or directory, before
// EndUnit closes it. An error is one of the writer behind it.
type Renderer interface {
	// Finding writes one finding, or keeps it until EndUnit.
	Finding(f *sanity.Finding) error
	// EndUnit says that what was checked at path is done, with or without
	// findings.
	EndUnit(path string) error
	// Close ends the document. It is called once, also after an interrupt:
	// what was written until then is well-formed with it.
	Close(o Outcome) error
}

// Outcome is how a check ended.
type Outcome struct {
	Exit                               int // the exit code of the process
	Files, Bytes, Batches, Records     int64
	Errors, Warnings, Infos, Unchecked int64
}

// exits are what the exit codes of a check mean.
var exits = map[int]string{
	0:   "nothing wrong was found",
	1:   "a part could not be checked",
	3:   "damage was found",
	130: "interrupted: not everything was checked",
}

// verdict is the exit code in words.
func (o *Outcome) verdict() string {
	if s, ok := exits[o.Exit]; ok {
		return s
	}
	return "the check did not end as it should"
}

// Fails says whether a finding counts as a failure. What could not be checked
// always does.
type Fails func(*sanity.Finding) bool

// Known says whether a finding was marked as one of a baseline.
func Known(f *sanity.Finding) bool {
	mark, ok := f.Detail[BaselineDetail].(bool)
	return ok && mark
}

// BaselineDetail is the field of a finding's detail that says, where it is
// true, that the finding was in the baseline and doesn't fail the check.
const BaselineDetail = "baseline"

// place says in words where a finding is, without the file.
func place(f *sanity.Finding) string {
	var b strings.Builder
	for _, p := range []struct {
		name     string
		from, to int64
	}{
		{"position", f.Position, f.EndPosition},
		{"offset", f.Offset, f.LastOffset},
		{"slot", f.Slot, -1},
	} {
		if p.from < 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.name + " ")
		writeInt(&b, p.from)
		if p.to > p.from {
			b.WriteString("-")
			writeInt(&b, p.to)
		}
	}
	return b.String()
}

// text is what a finding says, in one or two sentences of one line.
func text(f *sanity.Finding) string {
	s := f.Message
	if at := place(f); at != "" {
		s = at + ": " + s
	}
	if f.Broker != "" {
		s += "; " + f.Broker
	}
	return visible(s)
}

// visible makes what a terminal, a log viewer or a reader could take for
// something else visible: control characters, invisible and bidirectional
// ones, bytes that are no UTF-8.
func visible(s string) string {
	clean := strings.IndexFunc(s, func(r rune) bool {
		return r == unicode.ReplacementChar || !unicode.IsPrint(r)
	}) < 0
	if clean {
		return s
	}
	return quoteRunes(s)
}

// lines writes to w and remembers the first error, so that renderers can write
// without asking each time.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) write(parts ...string) {
	for _, p := range parts {
		if l.err != nil {
			return
		}
		_, l.err = io.WriteString(l.w, p)
	}
}
