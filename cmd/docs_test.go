package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/sanity"
)

// invocation is a kafsck in running text: the command, and its flags up to
// whatever ends a command there.
var invocation = regexp.MustCompile(`\bkafsck ([a-z][a-z-]*)([^\n` + "`" + `|>;]*)`)

var flagName = regexp.MustCompile(`(?:^|\s)--([a-z][a-z-]*)`)

// checkCommands says which commands and flags in text don't exist, and how
// many do.
func checkCommands(text string) (found int, problems []string) {
	root := NewRootCommand(Streams{In: &bytes.Buffer{}, Out: &bytes.Buffer{}, Err: &bytes.Buffer{}})
	root.InitDefaultCompletionCmd()
	for _, m := range invocation.FindAllStringSubmatch(text, -1) {
		i := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == m[1] })
		if i < 0 {
			problems = append(problems, m[0]+": no such command")
			continue
		}
		found++
		command := root.Commands()[i]
		for _, f := range flagName.FindAllStringSubmatch(m[2], -1) {
			if command.Flags().Lookup(f[1]) == nil && command.InheritedFlags().Lookup(f[1]) == nil {
				problems = append(problems, m[0]+": no flag --"+f[1])
			}
		}
	}
	return found, problems
}

// What explanations tell people to run can be run.
func TestExplainedCommandsExist(t *testing.T) {
	commands := 0
	for _, e := range sanity.Explanations() {
		for _, s := range e.Next {
			found, problems := checkCommands(s.Command)
			commands += found
			for _, p := range problems {
				t.Errorf("%s: %s", e.Code, p)
			}
		}
	}
	if commands < 50 {
		t.Errorf("only %d commands were found", commands)
	}
}

// Command lines in code blocks and code spans of the documents can be run.
func TestDocumentedCommandsExist(t *testing.T) {
	documents, err := filepath.Glob(filepath.Join("..", "docs", "*.md"))
	if err != nil || len(documents) < 10 {
		t.Fatal(documents, err)
	}
	documents = append(documents, filepath.Join("..", "README.md"), filepath.Join("..", "CONTRIBUTING.md"), filepath.Join("..", "SECURITY.md"))
	found := 0
	for _, path := range documents {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// In YAML a command's arguments may be a list.
		text = regexp.MustCompile(`args: \[([^\]]*)\]`).ReplaceAllFunc(text, func(m []byte) []byte {
			return []byte("kafsck " + strings.NewReplacer("args: [", "", "]", "", ",", "", `"`, "").Replace(string(m)))
		})
		for _, code := range regexp.MustCompile("(?ms)^```.*?^```|^    [^\n]*|`[^`\n]*`").FindAll(text, -1) {
			n, problems := checkCommands(string(code))
			found += n
			for _, p := range problems {
				t.Errorf("%s: %s", path, p)
			}
		}
	}
	if found < 150 {
		t.Errorf("only %d commands were found", found)
	}
}

// The check itself must see what is wrong.
func TestCheckCommands(t *testing.T) {
	if n, problems := checkCommands("`kafsck dump --hex FILE | head` and kafsck explain CODE; kafsck version"); n != 3 || len(problems) > 0 {
		t.Errorf("%d commands, %q", n, problems)
	}
	for _, bad := range []string{"kafsck fix-all DIR", "kafsck dump --fix FILE", "kafsck sanity-check DIR --repair"} {
		if _, problems := checkCommands(bad); len(problems) != 1 {
			t.Errorf("%q passes", bad)
		}
	}
}
