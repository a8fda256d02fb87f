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

// isTerminal says whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalWidth is the width of the terminal behind w, or fallback where w is
// none.
func terminalWidth(w io.Writer, fallback int) int {
	f, ok := w.(*os.File)
	if !ok {
		return fallback
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return fallback
	}
	return width
}
