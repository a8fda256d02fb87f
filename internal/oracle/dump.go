//go:build kafka

package oracle

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Dump is what DumpLogSegments printed and how it ended.
type Dump struct {
	Logged
	// Outcome is returned, exit or exception; the process of the real tool
	// ends with 0, with Status, or with 1.
	Outcome   string `json:"outcome"`
	Status    int    `json:"status"`
	Message   string `json:"message"`
	Exception *Error `json:"exception"`
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
}

// ExitStatus is the exit status of the tool's process.
func (d *Dump) ExitStatus() int {
	switch d.Outcome {
	case "returned":
		return 0
	case "exit":
		return d.Status
	default:
		return 1
	}
}

// Dump runs the dump tool with these arguments (--files a.log --deep-iteration
// and so on). The text is Java's, so bytes that aren't UTF-8 in records appear
// as Java prints them.
func (c *Client) Dump(args ...string) *Dump {
	c.tb.Helper()
	d := new(Dump)
	c.must("dump", map[string]any{"args": slices.Clone(args)}, nil, d)
	if d.Outcome == "" {
		c.tb.Fatal(fmt.Errorf("kafka dump %q: no outcome", args))
	}
	return d
}

// DumpIn is Dump as if the tool ran in dir, with the names after --files
// relative to it.
func (c *Client) DumpIn(dir string, args ...string) *Dump {
	c.tb.Helper()
	args = slices.Clone(args)
	for i := 1; i < len(args); i++ {
		if args[i-1] != "--files" {
			continue
		}
		files := strings.Split(args[i], ",")
		for j, f := range files {
			files[j] = filepath.Join(dir, f)
		}
		args[i] = strings.Join(files, ",")
	}
	d := c.Dump(args...)
	prefix := dir + string(filepath.Separator)
	d.Stdout = strings.ReplaceAll(d.Stdout, prefix, "")
	d.Stderr = strings.ReplaceAll(d.Stderr, prefix, "")
	return d
}
