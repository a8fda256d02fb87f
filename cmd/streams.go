package cmd

import (
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
	if g, guarded := w.(*guardedWriter); guarded {
		w = g.w
	}
	f, ok := w.(*os.File)
	return f, ok
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
