package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
)

// fullDisk fails as a file on a full disk does, or as a pipe without a reader.
type fullDisk struct{ err error }

func (f fullDisk) Write([]byte) (int, error) { return 0, f.err }

// Output that is lost is no success, whoever writes it; a reader that went
// away is.
func TestLostOutput(t *testing.T) {
	partition := fixture.Copy(t, "seed/log-demo-0")
	for _, line := range []string{
		"--help", "dump --help", "help lookup", "version", "version -f json", "explain", "explain -f table", "completion bash",
		"dump", "dump -f json", "dump -f table", "dump --hex", "index", "index -f table", "lookup --offset 3", "lookup --offset 3 --map",
		"sanity-check", "sanity-check -f table", "sanity-check -f sarif", "recovery", "recovery -f table", "rebuild-index",
		"transactions --all", "transactions -f table",
	} {
		args := strings.Fields(line)
		switch args[0] {
		case "--help", "help", "version", "explain", "completion":
		default:
			args = append(args, partition)
		}
		for want, lost := range map[int]error{exitFailed: syscall.ENOSPC, exitOK: syscall.EPIPE} {
			var stderr bytes.Buffer
			if got := Run(context.Background(), args, Streams{Out: fullDisk{lost}, Err: &stderr}); got != want {
				t.Errorf("%s, %v: exit status %d, want %d; %s", line, lost, got, want, &stderr)
			}
			if said := strings.Contains(stderr.String(), lost.Error()); said != (want == exitFailed) {
				t.Errorf("%s, %v: said %q", line, lost, &stderr)
			}
		}
	}
}

func TestComplainSaysEachOfJoinedErrors(t *testing.T) {
	first, second := errors.New("a\x1b[31m"), errors.New("b")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{errors.Join(first, second), "kafsck: a\\x1b[31m\nkafsck: b\n"},
		{fmt.Errorf("both %w and %w", first, second), "kafsck: both a\\x1b[31m and b\n"},
		{fmt.Errorf("x: %w", io.ErrUnexpectedEOF), "kafsck: x: unexpected EOF\n"},
	} {
		var out strings.Builder
		complain(&out, tt.err)
		if out.String() != tt.want {
			t.Errorf("complain(%q) wrote %q, want %q", tt.err, out.String(), tt.want)
		}
	}
}
