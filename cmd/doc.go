// Package cmd is the command line of kafsck: each command parses its flags,
// calls the package that does the work, and renders the value it gets back.
// No other package knows about flags, terminals, tables or exit codes.
package cmd
