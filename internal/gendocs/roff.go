package main

import "strings"

type section struct{ title, text string }

// splitHelp takes a command's long help apart: the description, and the
// sections behind it. A heading is a line of its own that is all capitals
// ("EXIT STATUS") or ends in a colon and stands before an indented block
// ("Examples:").
func splitHelp(long string) (description string, sections []section) {
	lines := strings.Split(strings.Trim(long, "\n"), "\n")
	var current []string
	title := ""
	flush := func() {
		text := strings.Trim(strings.Join(current, "\n"), "\n")
		if title == "" {
			description = text
		} else {
			sections = append(sections, section{title, text})
		}
		current = nil
	}
	for i, line := range lines {
		next := ""
		if i+1 < len(lines) {
			next = lines[i+1]
		}
		if heading, ok := headingOf(line, next); ok {
			flush()
			title = heading
			continue
		}
		current = append(current, line)
	}
	flush()
	return description, sections
}

func headingOf(line, next string) (string, bool) {
	if line == "" || line[0] == ' ' {
		return "", false
	}
	if name, ok := strings.CutSuffix(line, ":"); ok && indented(next) && !strings.Contains(name, " ") {
		return strings.ToUpper(name), true
	}
	letters := strings.ReplaceAll(line, " ", "")
	for _, r := range letters {
		if r < 'A' || r > 'Z' {
			return "", false
		}
	}
	return line, len(letters) > 3
}

func indented(line string) bool {
	return strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
}

// writeText writes paragraphs, which man may reflow, and indented blocks,
// which it may not.
func writeText(w *strings.Builder, text string) {
	verbatim, paragraph := false, false
	set := func(on bool) {
		switch {
		case on && !verbatim:
			w.WriteString(".PP\n.EX\n")
		case !on && verbatim:
			w.WriteString(".EE\n")
			paragraph = false
		}
		verbatim = on
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			if verbatim && i+1 < len(lines) && indented(lines[i+1]) {
				w.WriteString("\n")
				continue
			}
			set(false)
			paragraph = false
			continue
		}
		set(indented(line))
		if !verbatim && !paragraph {
			w.WriteString(".PP\n")
			paragraph = true
		}
		w.WriteString(roff(line) + "\n")
	}
	set(false)
}

// roff escapes text so that it reads the same in a man page: a hyphen stays
// one that can be copied, a backslash is itself, and no line starts a macro.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
