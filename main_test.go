package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kafsck/kafsck/cmd"
	"github.com/kafsck/kafsck/internal/fixture"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"kafsck": func() {
			os.Exit(cmd.Run(context.Background(), os.Args[1:],
				cmd.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
		},
	})
}

// TestScripts runs testdata/script/*.txtar, the specification of the command
// line.
func TestScripts(t *testing.T) {
	segments, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("TESTDATA", segments+"/testdata")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"fixture": fixtureCmd,
			"state":   stateCmd,
		},
	})
}

// exits N PROGRAM ARGS... runs the program and checks its exact exit status;
// testscript's own ! only checks that it isn't 0.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N program args...")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("exits: %v", err)
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("exits: %v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%v: exit status %d, want %d", args[1:], got, want)
	}
}

// fixture REL DST copies what lies at testdata/segments/REL, a directory or a
// file, to the new path DST, with the zero tails that testdata leaves out.
func fixtureCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fixture rel dst")
	}
	ts.Check(fixture.CopyTo(ts.MkAbs(args[1]), args[0]))
}

// state NAME [ONLY...] unpacks an archive of testdata/states, or what lies below
// the paths ONLY in it, into a new directory NAME.
func stateCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: state name [only...]")
	}
	ts.Check(fixture.StateTo(ts.MkAbs("."), args[0], args[1:]...))
}
