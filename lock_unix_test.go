//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kafsck/kafsck/internal/brokerlock"
)

// locked DIR PROGRAM ARGS... runs a program, whatever its exit status, while
// this process holds the lock of a log dir as a broker does.
func locked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: locked dir program args...")
	}
	f, err := os.OpenFile(filepath.Join(ts.MkAbs(args[0]), brokerlock.Name), os.O_RDWR|os.O_CREATE, 0o600)
	ts.Check(err)
	defer f.Close()
	ts.Check(syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}))
	if err := ts.Exec(args[1], args[2:]...); err != nil && !errors.As(err, new(*exec.ExitError)) {
		ts.Fatalf("locked: %v", err)
	}
}

func TestScriptsUnderALock(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script/locked",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"locked": locked, "state": stateCmd, "fixture": fixtureCmd, "patch": patch},
	})
}
