// Command licenses writes THIRD_PARTY_LICENSES: the licence texts of
// everything that is linked into kafsck on any release target.
//
//	go run ./internal/licenses           writes the file
//	go run ./internal/licenses -check    says whether it is fresh
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
)

const output = "THIRD_PARTY_LICENSES"

func main() {
	check := flag.Bool("check", false, "write nothing; fail if "+output+" is not what would be written")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	modules, err := linkedModules(".")
	if err != nil {
		return err
	}
	content, err := render(modules)
	if err != nil {
		return err
	}
	if !check {
		return os.WriteFile(output, content, 0o644)
	}
	have, err := os.ReadFile(output)
	if err != nil {
		return err
	}
	// A checkout may have turned line ends into those of its system.
	if !bytes.Equal(bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n")), content) {
		return fmt.Errorf("%s is stale; run: go run ./internal/licenses", output)
	}
	return nil
}
