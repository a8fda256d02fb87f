package cmd

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// groups are the commands by what one wants, in the order of a help.
var commandGroups = []struct {
	title    string
	commands []string
}{
	{"Check", []string{"sanity-check", "recovery", "explain"}},
	{"Look", []string{"dump", "index", "lookup", "transactions", "groups", "cluster", "compare"}},
	{"Save and mend", []string{"salvage", "rebuild-index"}},
	{"Other", nil}, // all that no other group names
}

// writeHelp is the help of every command: what it does, how it is called, its
// flags, and what its exit status means, last, where it is found on a screen.
func writeHelp(global *globalOptions, cmd *cobra.Command) {
	w := bufio.NewWriter(cmd.OutOrStdout())
	defer func() { _ = w.Flush() }() // an error of writing is kept by the stream
	width := terminalWidth(global.streams.Out, 0)
	body, exits := strings.CutSuffix(cmd.Long, exitStatusHelp)
	if body == "" {
		body = cmd.Short + "."
	}
	_, _ = fmt.Fprintf(w, "%s\n\nUsage:\n  %s\n", reflow(strings.TrimSpace(body), width), cmd.UseLine())
	writeCommands(w, cmd, width)
	if flags := cmd.LocalFlags(); flags.HasAvailableFlags() {
		_, _ = fmt.Fprintf(w, "\nFlags:\n%s", flags.FlagUsagesWrapped(width))
	}
	if flags := cmd.InheritedFlags(); flags.HasAvailableFlags() {
		_, _ = fmt.Fprintf(w, "\nCommon flags:\n%s", flags.FlagUsagesWrapped(width))
	}
	if exits {
		_, _ = fmt.Fprintf(w, "%s\n", exitStatusHelp)
	}
	if cmd.HasAvailableSubCommands() {
		_, _ = fmt.Fprintf(w, "\n%s\n", reflow(fmt.Sprintf("%s COMMAND --help says all about a command.", cmd.CommandPath()), width))
	}
}

// writeCommands lists subcommands, those of the root in groups.
func writeCommands(w *bufio.Writer, cmd *cobra.Command, width int) {
	rest := map[string]*cobra.Command{}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			rest[c.Name()] = c
			names = append(names, c.Name())
		}
	}
	list := func(title string, names []string) {
		_, _ = fmt.Fprintf(w, "\n%s:\n", title)
		for _, name := range names {
			indent := strings.Repeat(" ", 17)
			_, _ = fmt.Fprintf(w, "  %-15s%s\n", name, strings.TrimSpace(wrap(indent, rest[name].Short, width)))
			delete(rest, name)
		}
	}
	if cmd.HasParent() {
		if len(names) > 0 {
			list("Commands", names)
		}
		return
	}
	for _, g := range commandGroups {
		chosen := g.commands
		if chosen == nil {
			chosen = slices.DeleteFunc(names, func(name string) bool { return rest[name] == nil })
		}
		list(g.title, chosen)
	}
}

// reflow breaks the paragraphs of a text that is laid out for 80 columns anew
// where a terminal has less. Indented lines and headings stay as they are.
func reflow(text string, width int) string {
	if width <= 0 || width >= 80 {
		return text
	}
	var paragraphs []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if !strings.Contains(paragraph, "\n ") {
			paragraph = wrap("", strings.ReplaceAll(paragraph, "\n", " "), width)
		}
		paragraphs = append(paragraphs, paragraph)
	}
	return strings.Join(paragraphs, "\n\n")
}

// wrap breaks text into lines of at most width columns, each behind the indent;
// a width of 0 is none.
func wrap(indent, text string, width int) string {
	var out strings.Builder
	at := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case at == 0:
			out.WriteString(indent)
			at = len(indent)
		case width > 0 && at+1+n > width:
			out.WriteString("\n" + indent)
			at = len(indent)
		default:
			out.WriteByte(' ')
			at++
		}
		out.WriteString(word)
		at += n
	}
	return out.String()
}
