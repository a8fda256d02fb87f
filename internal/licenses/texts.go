package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const header = `Third-party licences

kafsck is licensed under the Apache License 2.0 (see LICENSE). Its binaries
also contain the software listed here, under the licences that follow each
name. This file is made by internal/licenses from what is linked.
`

var rule = strings.Repeat("=", 78)

// render writes one part for each module.
func render(modules []*module) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(header)
	for _, m := range modules {
		texts, err := licenceFiles(m.dir, m.packageDirs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.path, err)
		}
		fmt.Fprintf(&b, "\n%s\n%s\n", rule, strings.TrimSpace(m.path+" "+m.version))
		if len(m.systems) < 3 {
			fmt.Fprintf(&b, "(only in the binaries for %s)\n", strings.Join(m.systems, ", "))
		}
		b.WriteString(rule + "\n")
		for _, name := range texts {
			text, err := os.ReadFile(filepath.Join(m.dir, name))
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&b, "\n--- %s ---\n\n", filepath.ToSlash(name))
			b.Write(normalise(text))
		}
	}
	return b.Bytes(), nil
}

// licenceFiles returns the licence and notice files of a module, relative to
// root: those in its root, and those beside a linked package or between it
// and the root, since a vendored algorithm often has its own. A module
// without any can't be shipped, which is an error.
func licenceFiles(root string, packageDirs []string) ([]string, error) {
	dirs := []string{root}
	for _, dir := range packageDirs {
		for dir != root && strings.HasPrefix(dir, root) {
			dirs = append(dirs, dir)
			dir = filepath.Dir(dir)
		}
	}
	slices.Sort(dirs)
	var found []string
	for _, dir := range slices.Compact(dirs) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() || !isLicenceName(e.Name()) {
				continue
			}
			name, err := filepath.Rel(root, filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no licence file in %s", root)
	}
	return found, nil
}

func isLicenceName(name string) bool {
	base := strings.ToUpper(name)
	if ext := filepath.Ext(base); ext == ".GO" || ext == ".S" {
		return false
	}
	for _, prefix := range []string{"LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "PATENTS", "UNLICENSE"} {
		if strings.HasPrefix(base, prefix) {
			return true
		}
	}
	return false
}

// normalise makes a text end in one line end and frees it of carriage
// returns and trailing blanks, so that the file is the same everywhere.
func normalise(text []byte) []byte {
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return []byte(strings.Trim(strings.Join(lines, "\n"), "\n") + "\n")
}
