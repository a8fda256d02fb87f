package cmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/kafsck/kafsck/internal/fixture"
)

// onTerminal runs a command with stdout on a terminal of so many columns, and
// returns what appears there.
func onTerminal(t *testing.T, columns uint16, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here: ", err)
	}
	defer master.Close()
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var screen bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(&screen, master) // ends with EIO when the other side is closed
	}()
	var notes bytes.Buffer
	Run(t.Context(), args, Streams{In: strings.NewReader(""), Out: tty, Err: &notes})
	_ = tty.Close()
	<-done
	return strings.ReplaceAll(screen.String(), "\r\n", "\n")
}

// What is in columns fits on the terminal: a table that doesn't, as every table
// with many numbers on 64 columns, is written in blocks.
func TestColumnsFitTheTerminal(t *testing.T) {
	many := fixture.Copy(t, "kafka-4.4.0/closed/many-0")
	txn := fixture.Copy(t, "kafka-4.4.0/closed/txn-0")
	groups := fixture.Copy(t, "kafka-4.4.0/closed/__consumer_offsets-0")
	t.Chdir(filepath.Dir(many))
	for _, args := range [][]string{
		{"dump", "-f", "table", "many-0"},
		{"index", "-f", "table", "many-0"},
		{"rebuild-index", "-f", "table", "many-0"},
		{"recovery", "-f", "table", "many-0"},
		{"index", "--simulate", "1024,4096", "-f", "table", "many-0"},
		{"lookup", "-f", "table", "--offset", "500", "many-0"},
		{"transactions", "-f", "table", txn},
		{"groups", groups},
		{"groups", "-f", "table", groups},
	} {
		wide, narrow := onTerminal(t, 250, args...), onTerminal(t, 64, args...)
		if strings.Count(narrow, "\n") < 2 {
			t.Errorf("%q: %q", args, narrow)
		}
		for line := range strings.Lines(narrow) {
			line = strings.TrimSuffix(line, "\n")
			// One word alone, as a path, may be longer.
			if utf8.RuneCountInString(line) > 64 && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("%q: %d columns: %s", args, utf8.RuneCountInString(line), line)
			}
		}
		for _, word := range strings.Fields(wide) {
			if strings.ContainsAny(word, "0123456789") && !strings.Contains(narrow, word) {
				t.Errorf("%q: %q is lost on the narrow terminal", args, word)
			}
		}
	}
}

// The lines of an index fit as well; what they leave out on a narrow terminal
// follows from what they have.
func TestIndexFitsTheTerminal(t *testing.T) {
	many := fixture.Copy(t, "kafka-4.4.0/closed/many-0")
	t.Chdir(filepath.Dir(many))
	screen := onTerminal(t, 60, "--color", "never", "index", "many-0/00000000000000000450.index", "many-0/00000000000000000450.timeindex")
	entries := 0
	for line := range strings.Lines(screen) {
		if !strings.Contains(line, ": true") {
			continue
		}
		entries++
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 60 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if entries != 11+6 {
		t.Errorf("%d entries:\n%s", entries, screen)
	}
}

// Colours are for terminals that want them.
func TestColoursObey(t *testing.T) {
	dir := fixture.Copy(t, "kafka-4.4.0/closed/many-0")
	coloured := func(args ...string) bool {
		return strings.Contains(onTerminal(t, 100, append(args, "lookup", "--offset", "500", "--map", dir)...), "\x1b[")
	}
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm-256color")
	if !coloured() || coloured("--color", "never") {
		t.Error("a terminal gets colours, unless --color is never")
	}
	t.Setenv("TERM", "dumb")
	if coloured() {
		t.Error("colours for TERM=dumb")
	}
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "1")
	if coloured() || !coloured("--color", "always") {
		t.Error("NO_COLOR holds, unless --color says otherwise")
	}
}
