package cmd

import (
	"os"
	"strconv"
)

// paint is a colour or style of text on a terminal: the numbers of an SGR
// sequence.
type paint string

const (
	bold   paint = "1"
	faint  paint = "2"
	red    paint = "31"
	green  paint = "32"
	yellow paint = "33"
	gold   paint = "38;5;178"
	ink    paint = "38;5;33"    // of the entries that a search compared
	ground paint = "38;5;240"   // of cells that nothing touched
	bright paint = "1;38;5;220" // of the place where a lookup landed
)

// painter colours text, or leaves it alone.
type painter struct{ on bool }

// painter is that of stdout, by --color and NO_COLOR.
func (g *globalOptions) painter() (painter, error) {
	switch g.color {
	case "always":
		return painter{true}, nil
	case "never":
		return painter{}, nil
	case "auto":
		return painter{isTerminal(g.streams.Out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}, nil
	}
	return painter{}, usageErrorf("--color %q: auto, always or never", g.color)
}

func (p painter) do(how paint, text string) string {
	if !p.on || text == "" {
		return text
	}
	return "\x1b[" + string(how) + "m" + text + "\x1b[0m"
}

// pictureWidth is how many columns a picture may take: those of the terminal,
// or of COLUMNS where there is none.
func (g *globalOptions) pictureWidth() int {
	fallback := 80
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		fallback = n
	}
	return min(max(terminalWidth(g.streams.Out, fallback), 40), 160)
}
