package cmd

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/kafsck/kafsck/internal/dump"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/sanity"
)

// emitter writes what a command says: data to stdout, findings as objects
// among the data in JSON and as lines on stderr otherwise. The first error of
// writing is kept and ends nothing by itself.
type emitter struct {
	global *globalOptions
	format string
	out    *bufio.Writer
	code   int // of the exit, by the findings so far
	err    error
	beside sanity.Beside
}

func newEmitter(global *globalOptions, format string) *emitter {
	return &emitter{global: global, format: format, out: bufio.NewWriterSize(global.streams.Out, 64<<10)}
}

// object writes one JSON object.
func (e *emitter) object(v any) {
	encoder := json.NewEncoder(e.out)
	encoder.SetEscapeHTML(false)
	e.keep(encoder.Encode(v))
}

// line writes one line of text; paths and the like have to be quoted before.
func (e *emitter) line(format string, args ...any) {
	_, err := fmt.Fprintf(e.out, format+"\n", args...)
	e.keep(err)
}

// table writes a summary of few rows.
func (e *emitter) table(header []string, rows [][]string) {
	e.keep(e.global.writeTable(e.out, header, rows))
}

// findings writes findings and takes them into account for the exit code.
func (e *emitter) findings(list []sanity.Finding) {
	for i := range list {
		f := &list[i]
		e.beside.Judge(f)
		switch {
		case f.Code.Unchecked():
			e.code = worseExit(e.code, exitFailed)
		case f.Severity == sanity.Error:
			e.code = worseExit(e.code, exitDamage)
		}
		switch {
		case e.format == formatJSON:
			_, err := e.out.Write(append(f.AppendJSON(nil), '\n'))
			e.keep(err)
		case f.Severity != sanity.Info || !e.global.quiet:
			e.flush() // both may go to one terminal: keep their order
			_, err := e.global.streams.Err.Write(dump.AppendFindingLine(nil, f))
			e.keep(err)
		}
	}
}

// finding is findings for one.
func (e *emitter) finding(f sanity.Finding) { e.findings([]sanity.Finding{f}) }

// failedParts is failed for each of what errors.Join put together, or for none.
// It returns the error that ends the command, of an interrupt alone.
func (e *emitter) failedParts(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if parts := joinedParts(err); parts != nil {
		for _, part := range parts {
			if err := e.failedParts(ctx, part); err != nil {
				return err
			}
		}
	} else if err != nil {
		e.failed(err)
	}
	return nil
}

// note says what is worth a line on stderr and changes nothing.
func (e *emitter) note(format string, args ...any) {
	if !e.global.quiet {
		e.flush()
		_, err := fmt.Fprintf(e.global.streams.Err, "kafsck: "+format+"\n", args...)
		e.keep(err)
	}
}

// noteBroker says of a path that a broker is changing it: what is told of it is
// told as of now.
func noteBroker(e *emitter, path string) {
	if logdir.HeldNear(path) {
		e.note("note: %s: a broker is running on it; this is what was there when it was opened", quoted(path))
	}
}

// failed says that something could not be done, and goes on.
func (e *emitter) failed(err error) {
	e.flush()
	if e.global.tell(err) {
		e.code = worseExit(e.code, exitFailed)
	}
}

func (e *emitter) keep(err error) {
	if e.err == nil {
		e.err = err
	}
}

// flush writes out what is written by now. A command defers it, so that its
// output ends with a whole line whatever ends the command.
func (e *emitter) flush() { e.keep(e.out.Flush()) }

// end is what a command returns at its end.
func (e *emitter) end() error {
	e.flush()
	if e.err != nil {
		return e.err
	}
	return exitWith(e.code)
}

// quoted makes text from names and files fit for a terminal.
func quoted(s string) string { return string(dump.AppendQuoted(nil, s)) }

// timeText is a timestamp for people.
func timeText(ms int64) string {
	if ms < 0 {
		return fmt.Sprintf("%d (none)", ms)
	}
	return fmt.Sprintf("%d (%s)", ms, time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z07:00"))
}

// counted is a number with the right form of a noun.
func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	for _, suffix := range []string{"ch", "s"} {
		if strings.HasSuffix(noun, suffix) {
			return fmt.Sprintf("%d %ses", n, noun)
		}
	}
	if stem, ok := strings.CutSuffix(noun, "ry"); ok {
		return fmt.Sprintf("%d %sries", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
