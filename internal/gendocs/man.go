package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manPages returns a page in section 1 for every visible command, by file
// name. The help texts are laid out for a terminal already: their indented
// blocks are kept line by line and their headings become sections, which a
// detour through Markdown would lose.
func manPages(root *cobra.Command, day, version string) map[string][]byte {
	pages := make(map[string][]byte)
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		pages[pageName(c)+".1"] = manPage(c, day, version)
		for _, sub := range visible(c) {
			walk(sub)
		}
	}
	walk(root)
	return pages
}

func visible(c *cobra.Command) []*cobra.Command {
	var subs []*cobra.Command
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			subs = append(subs, sub)
		}
	}
	return subs
}

func pageName(c *cobra.Command) string {
	return strings.ReplaceAll(c.CommandPath(), " ", "-")
}

func manPage(c *cobra.Command, day, version string) []byte {
	c.InitDefaultHelpFlag()
	var w strings.Builder
	fmt.Fprintf(&w, ".TH %s 1 %q %q %q\n", roff(strings.ToUpper(pageName(c))), day,
		strings.TrimSpace("kafsck "+version), "User Commands")
	w.WriteString(".SH NAME\n")
	fmt.Fprintf(&w, "%s \\- %s\n", roff(pageName(c)), roff(c.Short))
	w.WriteString(".SH SYNOPSIS\n")
	fmt.Fprintf(&w, "\\fB%s\\fR%s\n", roff(c.CommandPath()), roff(strings.TrimPrefix(c.UseLine(), c.CommandPath())))

	description, sections := splitHelp(c.Long)
	if description == "" {
		description = c.Short + "."
	}
	w.WriteString(".SH DESCRIPTION\n")
	writeText(&w, description)
	if subs := visible(c); len(subs) > 0 {
		w.WriteString(".SH COMMANDS\n")
		for _, sub := range subs {
			fmt.Fprintf(&w, ".TP\n\\fB%s\\fR\n%s\n", roff(sub.Name()), roff(sub.Short))
		}
	}
	writeFlags(&w, "OPTIONS", c.NonInheritedFlags())
	writeFlags(&w, "COMMON OPTIONS", c.InheritedFlags())
	for _, s := range sections {
		fmt.Fprintf(&w, ".SH %s\n", roff(s.title))
		writeText(&w, s.text)
	}
	if c.Example != "" {
		w.WriteString(".SH EXAMPLES\n")
		writeText(&w, c.Example)
	}
	writeSeeAlso(&w, c)
	return []byte(w.String())
}

func writeFlags(w *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(w, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		w.WriteString(".TP\n")
		if f.Shorthand != "" && f.ShorthandDeprecated == "" {
			fmt.Fprintf(w, "\\fB\\-%s\\fR, ", f.Shorthand)
		}
		fmt.Fprintf(w, "\\fB\\-\\-%s\\fR", roff(f.Name))
		value, usage := pflag.UnquoteUsage(f)
		if value != "" {
			fmt.Fprintf(w, " \\fI%s\\fR", roff(value))
		}
		fmt.Fprintf(w, "\n%s", roff(usage))
		switch f.DefValue {
		case "", "0", "false", "[]":
		default:
			fmt.Fprintf(w, " (default: %s)", roff(f.DefValue))
		}
		w.WriteString("\n")
	})
}

func writeSeeAlso(w *strings.Builder, c *cobra.Command) {
	var others []string
	if c.HasParent() {
		others = append(others, pageName(c.Parent()))
	}
	for _, sub := range visible(c) {
		others = append(others, pageName(sub))
	}
	if len(others) == 0 {
		return
	}
	w.WriteString(".SH SEE ALSO\n")
	for i, name := range others {
		comma := ","
		if i == len(others)-1 {
			comma = ""
		}
		fmt.Fprintf(w, ".BR %s (1)%s\n", roff(name), comma)
	}
}
