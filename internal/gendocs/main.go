// Command gendocs writes the man pages and the shell completions of kafsck,
// made from its command tree, for a release:
//
//	go run ./internal/gendocs -date 2026-01-31 -man man -completions completions
//
// and the page about findings, which go generate keeps up to date:
//
//	go run ./internal/gendocs -findings docs/findings.md
//
// It is a program of its own so that none of this is linked into kafsck. The
// same command tree, date and version always give the same bytes.
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/cmd"
)

func main() {
	date := flag.String("date", "", "`day` in the man pages' footer, as 2026-01-31 or RFC 3339; none if empty")
	version := flag.String("version", "", "`version` in the man pages' footer")
	man := flag.String("man", "", "write man pages into this `directory`")
	compressed := flag.String("compressed", "", "write man pages, compressed as packages have them, into this `directory`")
	completions := flag.String("completions", "", "write completions into this `directory`")
	findings := flag.String("findings", "", "write the page about findings to this `file`")
	flag.Parse()
	err := run(*date, *version, *man, *compressed, *completions)
	if err == nil && *findings != "" {
		err = os.WriteFile(*findings, findingsPage(), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

func run(date, version, man, compressed, completions string) error {
	day, err := parseDay(date)
	if err != nil {
		return err
	}
	pages := manPages(newRoot(), day, version)
	if man != "" {
		if err := writeFiles(man, pages); err != nil {
			return err
		}
	}
	if compressed != "" {
		smaller, err := gzipped(pages)
		if err != nil {
			return err
		}
		if err := writeFiles(compressed, smaller); err != nil {
			return err
		}
	}
	if completions == "" {
		return nil
	}
	files, err := completionScripts(newRoot())
	if err != nil {
		return err
	}
	return writeFiles(completions, files)
}

func newRoot() *cobra.Command {
	return cmd.NewRootCommand(cmd.Streams{In: bytes.NewReader(nil), Out: io.Discard, Err: io.Discard})
}

// parseDay accepts a day or a full time and returns the day in UTC, so that
// the pages don't depend on where they were made.
func parseDay(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC().Format(time.DateOnly), nil
		}
	}
	return "", fmt.Errorf("date %q is neither a day nor RFC 3339", s)
}

// completionScripts returns one script a shell, by file name.
func completionScripts(root *cobra.Command) (map[string][]byte, error) {
	files := make(map[string][]byte)
	for name, generate := range map[string]func(io.Writer) error{
		"kafsck.bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"kafsck.zsh":  root.GenZshCompletion,
		"kafsck.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"kafsck.ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		var script bytes.Buffer
		if err := generate(&script); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = script.Bytes()
	}
	return files, nil
}

// gzipped compresses each file, without a name or a time in it.
func gzipped(files map[string][]byte) (map[string][]byte, error) {
	smaller := make(map[string][]byte, len(files))
	for name, content := range files {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(content); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		smaller[name+".gz"] = b.Bytes()
	}
	return smaller, nil
}

func writeFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
