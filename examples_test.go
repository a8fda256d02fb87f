package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kafsck/kafsck/cmd"
	"github.com/kafsck/kafsck/internal/fixture"
)

// Every example of every help works as it stands, with the paths in it being
// those of fixtures.
func TestExamples(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("examples are for a shell: ", err)
	}
	root := cmd.NewRootCommand(cmd.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	commands := root.Commands()
	for _, c := range root.Commands() {
		commands = append(commands, c.Commands()...)
	}
	commands = append(commands, root)
	dir := exampleDir(t)
	ran := 0
	for _, c := range commands {
		if c.Name() == "help" {
			continue
		}
		lines := examplesOf(c.Long)
		if len(lines) == 0 {
			t.Errorf("%s has no examples", c.CommandPath())
			continue
		}
		if !strings.Contains(c.Long, "\nEXIT STATUS\n") {
			t.Errorf("%s doesn't say what its exit status means", c.CommandPath())
		}
		ran += len(lines)
		for _, line := range lines {
			runExample(t, shellOf(c.CommandPath()), dir, line)
		}
	}
	if ran < 50 {
		t.Errorf("only %d examples were found", ran)
	}
}

// shellOf is the shell for which the examples of a command are.
func shellOf(command string) string {
	shell, ok := strings.CutPrefix(command, "kafsck completion ")
	switch {
	case !ok:
		return "bash"
	case shell == "powershell":
		return "pwsh"
	}
	return shell
}

// examplesOf are the command lines in a command's help.
func examplesOf(help string) (lines []string) {
	_, block, _ := strings.Cut(help, "\nExamples:\n")
	block, _, _ = strings.Cut(block, "\n\n")
	for line := range strings.Lines(block) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

// exampleDir holds what the paths in examples name: relative ones in it, and
// absolute ones below it.
func exampleDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	const closed = "kafka-4.4.0/closed/"
	for _, copied := range [][2]string{
		{closed + "many-0", "orders-0"},
		{closed + "many-0", "orders-3"},
		{closed + "many-0", "a/orders-3"},
		{closed + "many-0", "b/orders-3"},
		{closed + "many-0", "c/orders-3"},
		{closed + "many-0", "node1/orders-3"},
		{closed + "many-0", "node2/orders-3"},
		{closed + "many-0/00000000000000000000.log", "00000000000000000000.log"},
		{closed + "many-0/00000000000000000000.index", "00000000000000000000.index"},
		{closed + "many-0/00000000000000000000.log", "a/00000000000000000000.log"},
		{closed + "many-0/00000000000000000000.log", "b/00000000000000000000.log"},
		{closed + "many-0/00000000000000000000.log", "lost+found/12345"},
		{closed + "txn-0", "payments-4"},
		{closed + "__consumer_offsets-0", "__consumer_offsets-12"},
		{closed + "__transaction_state-1", "__transaction_state-7"},
		{closed + "__cluster_metadata-0", "__cluster_metadata-0"},
		{closed + "eight-0", "testdata/eight-0"},
		{closed, "var/lib/kafka/data"},
		{closed + "many-0", "var/lib/kafka/data/orders-3"},
		{closed + "many-0", "var/lib/kafka/orders-3"},
		{closed + "txn-0", "var/lib/kafka/payments-4"},
		{closed + "__cluster_metadata-0", "var/lib/kafka/metadata/__cluster_metadata-0"},
		{closed + "meta.properties", "var/lib/kafka/metadata/meta.properties"},
	} {
		to := filepath.Join(dir, filepath.FromSlash(copied[1]))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), fixture.CopyTo(to, copied[0])); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test binary is kafsck when it is called so.
	for _, make := range []func() error{
		func() error { return os.MkdirAll(filepath.Join(dir, "tmp"), 0o755) },
		func() error { return os.MkdirAll(filepath.Join(dir, "mnt/spare"), 0o755) },
		func() error { return os.MkdirAll(filepath.Join(dir, "bin"), 0o755) },
		func() error {
			return os.MkdirAll(filepath.Join(dir, "home/.local/share/bash-completion/completions"), 0o755)
		},
		func() error { return os.MkdirAll(filepath.Join(dir, "home/.config/fish/completions"), 0o755) },
		func() error { return os.Symlink(self, filepath.Join(dir, "bin/kafsck")) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func runExample(t *testing.T, shell, dir, line string) {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Logf("not run, as there is no %s: %s", shell, line)
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	script := strings.NewReplacer(" /var/lib/", " "+dir+"/var/lib/", " /tmp/", " "+dir+"/tmp/", " /mnt/", " "+dir+"/mnt/").Replace(line)
	if _, err := exec.LookPath("jq"); err != nil {
		script = strings.Replace(script, "| jq", "| cat #", 1)
	}
	if shell == "bash" {
		script = "set -o pipefail\n" + script
	}
	c := exec.CommandContext(ctx, path, "-c", script)
	c.Dir = dir
	c.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+filepath.Join(dir, "home"), "FPATH="+filepath.Join(dir, "home"))
	var out, notes bytes.Buffer
	c.Stdout, c.Stderr = &out, &notes
	if err := c.Run(); err != nil {
		t.Errorf("%s: %v\n%s%s", line, err, notes.Bytes(), out.Bytes()[:min(out.Len(), 500)])
	}
	// What is redirected, and what only sets the shell up, may be silent.
	if out.Len() == 0 && notes.Len() == 0 && !strings.ContainsAny(line, ">|") && !strings.HasPrefix(line, "alias ") && !strings.HasPrefix(line, "source ") {
		t.Errorf("%s says nothing", line)
	}
}
