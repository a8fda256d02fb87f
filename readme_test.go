package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/cmd"
	"github.com/kafsck/kafsck/internal/fixture"
)

// What the README shows is what kafsck prints. A line that ends in … is cut
// there; lines may be left out.
func TestReadmeShowsTheTruth(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)\n```console\n(.*?)```").FindSubmatch(readme)
	if block == nil {
		t.Fatal("no example with output in the README")
	}
	t.Chdir(t.TempDir())
	if err := fixture.CopyTo("orders-0", "kafka-4.4.0/closed/many-0"); err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join("orders-0", "00000000000000000900.log")
	log, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	log[3000] = 0xff
	if err := os.WriteFile(damaged, log, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	commands := 0
	for line := range strings.Lines(string(block[1])) {
		line = strings.TrimSuffix(line, "\n")
		if command, ok := strings.CutPrefix(line, "$ kafsck "); ok {
			out.Reset()
			commands++
			cmd.Run(t.Context(), strings.Fields(command), cmd.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
			continue
		}
		begin, cut := strings.CutSuffix(line, "…")
		if shown := "\n" + strings.ReplaceAll(out.String(), `\`, "/"); !strings.Contains(shown, "\n"+begin) || !cut && !strings.Contains(shown, "\n"+line+"\n") {
			t.Errorf("not printed: %s\n%s", line, out.Bytes())
		}
	}
	if commands < 3 {
		t.Errorf("only %d commands", commands)
	}
}
