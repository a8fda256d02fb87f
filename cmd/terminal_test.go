package cmd

import (
	"io"
	"strings"
	"testing"
)

// Whatever the pieces in which text is written, a terminal gets nothing that
// hides or reorders it; colours and letters pass.
func TestTerminalWriter(t *testing.T) {
	const text = "{\"key\":\"a\u202eb\u009b31mc\x7fd\u2066e\"} \x1b[31mé世🦀\x1b[0m \xff\n"
	const want = `{"key":"a\u202eb\u009b31mc\u007fd\u2066e"} ` + "\x1b[31mé世🦀\x1b[0m \xff\n"
	for size := 1; size <= len(text); size++ {
		var out strings.Builder
		w := &terminalWriter{w: &out}
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if m, err := io.WriteString(w, rest[:n]); m != n || err != nil {
				t.Fatalf("%d, %v", m, err)
			}
			rest = rest[n:]
		}
		if out.String() != want {
			t.Fatalf("in pieces of %d: %q, want %q", size, out.String(), want)
		}
	}
}
