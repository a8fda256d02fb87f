package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Exit codes. They are part of the contract (docs/cli.md): scripts and CI
// jobs branch on them.
const (
	exitOK          = 0   // did it; nothing wrong found
	exitFailed      = 1   // could not do it, or could not check a part of it
	exitUsage       = 2   // unknown command or flag, bad flag value, wrong number of arguments
	exitDamage      = 3   // did it, and found damage
	exitNotFound    = 4   // did it; what was asked for is not there
	exitInterrupted = 130 // Ctrl-C or SIGTERM
)

// exitError carries an exit code up to Main. A nil err means that everything
// there is to say has been said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// exitWith returns the error that makes the process end with code without a
// further message, or nil for exitOK.
func exitWith(code int) error {
	if code == exitOK {
		return nil
	}
	return &exitError{code: code}
}

// usageErrorf is an error of the command line itself: exit 2.
func usageErrorf(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// worseExit combines the outcomes of two parts of a run: 130, then 1, then 3,
// then 4, then 0.
func worseExit(a, b int) int {
	rank := func(c int) int {
		switch c {
		case exitInterrupted:
			return 5
		case exitUsage:
			return 4
		case exitFailed:
			return 3
		case exitDamage:
			return 2
		case exitNotFound:
			return 1
		}
		return 0
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// Main runs the command line of the process and returns its exit code.
func Main() int {
	// A reader that went away (| head) must not kill us with a signal: the
	// write fails with EPIPE and the run ends quietly.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal the context is cancelled; a second one kills.
	context.AfterFunc(ctx, stop)
	return Run(ctx, os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
}

// Run executes one command line against the given streams and returns the
// exit code. It is what Main and the tests share.
func Run(ctx context.Context, args []string, streams Streams) int {
	out := &watchedWriter{w: streams.Out}
	if isTerminal(streams.Out) {
		out.w = &terminalWriter{w: streams.Out}
	}
	streams.Out = out
	root := NewRootCommand(streams)
	root.SetArgs(args)
	err := out.outcome(root.ExecuteContext(ctx))
	return report(ctx, err, streams.Err)
}

// report is the one place where an error becomes a message and an exit code.
func report(ctx context.Context, err error, w io.Writer) int {
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	if isBrokenPipe(err) {
		return exitOK
	}
	var coded *exitError
	if errors.As(err, &coded) {
		if coded.err != nil {
			complain(w, coded.err)
		}
		return coded.code
	}
	complain(w, err)
	return exitFailed
}
