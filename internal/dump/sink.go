package dump

import (
	"bufio"
	"fmt"
	"io"

	"github.com/kafsck/kafsck/sanity"
)

// Sink takes what a dump produces: contents on out, findings in place among
// them (JSON) or as lines on errOut (text).
type Sink struct {
	out     *bufio.Writer
	errOut  io.Writer
	format  Format
	beside  sanity.Beside
	Summary Summary
	// Terminal: out is a terminal.
	Terminal bool
}

// Summary counts what one file, or all files of a run, held.
type Summary struct {
	Bytes       int64
	Batches     int64
	Records     int64
	FirstOffset int64 // −1 where there is no batch
	LastOffset  int64
	Findings    int64 // damage
	Unchecked   int64 // could not be checked
}

// NewSink writes contents to out and messages to errOut.
func NewSink(out, errOut io.Writer, format Format) *Sink {
	return &Sink{out: bufio.NewWriterSize(out, 128<<10), errOut: errOut, format: format,
		Summary: Summary{FirstOffset: -1, LastOffset: -1}}
}

// Flush writes what is buffered.
func (s *Sink) Flush() error { return s.out.Flush() }

func (s *Sink) write(b []byte) error {
	_, err := s.out.Write(b)
	return err
}

func (s *Sink) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(s.out, format, args...)
	return err
}

// path is a path as text shows it: quoted only where a terminal would act on
// what is in it.
func (s *Sink) path(p string) string {
	if !s.Terminal {
		return p
	}
	return string(AppendQuoted(nil, p))
}

func (s *Sink) count(r *rendered) {
	s.Summary.Batches += r.batches
	s.Summary.Records += r.records
	if r.first >= 0 && s.Summary.FirstOffset < 0 {
		s.Summary.FirstOffset = r.first
	}
	if r.last >= 0 {
		s.Summary.LastOffset = r.last
	}
}

// finding reports a finding: as an object among the others in JSON, as one
// line on the error stream otherwise.
func (s *Sink) finding(f *sanity.Finding) error {
	s.beside.Judge(f)
	switch {
	case f.Code.Unchecked():
		s.Summary.Unchecked++
	case f.Severity == sanity.Error:
		s.Summary.Findings++
	}
	if s.format == JSON {
		return s.write(append(f.AppendJSON(nil), '\n'))
	}
	if f.Severity == sanity.Info {
		return nil
	}
	// Contents and messages may go to the same terminal: keep their order.
	if err := s.out.Flush(); err != nil {
		return err
	}
	_, err := s.errOut.Write(AppendFindingLine(nil, f))
	return err
}

// AppendFindingLine appends the line for people of a finding.
func AppendFindingLine(dst []byte, f *sanity.Finding) []byte {
	dst = append(dst, "kafsck: "...)
	dst = AppendQuoted(dst, f.File)
	if f.Position >= 0 || f.Slot >= 0 || f.Offset >= 0 {
		dst = append(dst, ':')
	}
	if f.Position >= 0 {
		dst = appendInt(dst, " position ", f.Position)
	}
	if f.Slot >= 0 {
		dst = appendInt(dst, " slot ", f.Slot)
	}
	if f.Offset >= 0 {
		dst = appendInt(dst, " offset ", f.Offset)
	}
	dst = append(dst, ": "...)
	dst = append(dst, f.Code...)
	if f.Message != "" {
		dst = append(dst, ": "...)
		dst = AppendQuoted(dst, f.Message)
	}
	return append(dst, '\n')
}
