package cmd

import (
	"errors"
	"io"
	"os"

	"golang.org/x/term"
)

// Streams are the three standard streams of a command. Data goes to Out;
// notes, progress and errors go to Err.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// fileOf is the file behind w, if w is one or guards one.
func fileOf(w io.Writer) (*os.File, bool) {
	switch t := w.(type) {
	case *os.File:
		return t, true
	case *guardedWriter:
		return fileOf(t.w)
	case *watchedWriter:
		return fileOf(t.w)
	case *terminalWriter:
		return fileOf(t.w)
	}
	return nil, false
}

// watchedWriter keeps the first error of writing: helps and tables are written
// by libraries that drop it, and output that is lost must not look like success.
type watchedWriter struct {
	w   io.Writer
	err error
}

func (w *watchedWriter) Write(b []byte) (int, error) {
	n, err := w.w.Write(b)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// outcome is the error of a command that wrote to w and returned err.
func (w *watchedWriter) outcome(err error) error {
	var coded *exitError
	silent := err == nil || errors.As(err, &coded) && coded.err == nil
	if w.err != nil && silent && !isBrokenPipe(w.err) {
		return w.err
	}
	return err
}

// isTerminal says whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := fileOf(w)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalWidth is the width of the terminal behind w, or fallback where w is
// none.
func terminalWidth(w io.Writer, fallback int) int {
	f, ok := fileOf(w)
	if !ok {
		return fallback
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return fallback
	}
	return width
}
