package cmd

import (
	"runtime"
	"strings"
)

const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"

// shellQuote makes s one word of the system's shells, to be pasted.
func shellQuote(s string) string {
	if runtime.GOOS == "windows" {
		return windowsQuote(s)
	}
	if s != "" && strings.Trim(s, plainInShell) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// windowsQuote is for cmd.exe and PowerShell: a backslash is nothing special
// there, single quotes are none for the former, and no path has double ones.
func windowsQuote(s string) string {
	if s != "" && strings.Trim(s, plainInShell+`\`) == "" {
		return s
	}
	return `"` + s + `"`
}
