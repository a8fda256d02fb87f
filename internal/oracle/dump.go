//go:build kafka

package oracle

import (
	"fmt"
	"slices"
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
