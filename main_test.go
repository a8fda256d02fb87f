package main

import (
	"context"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"slices"
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
			"patch":   patch,
			"keeps":   keeps,
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

// patch damages a file:
//
//	patch FILE put POSITION HEX       overwrites
//	patch FILE flip POSITION BIT      flips one bit
//	patch FILE insert POSITION HEX    inserts
//	patch FILE delete FROM TO         takes bytes out
//	patch FILE zero FROM TO           overwrites with zeros
//	patch FILE cut SIZE               truncates
//	patch FILE pad COUNT              appends zeros
func patch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: patch file verb numbers...")
	}
	file := ts.MkAbs(args[0])
	data, err := os.ReadFile(file)
	ts.Check(err)
	number := func(i int) int {
		n, err := strconv.Atoi(args[i])
		ts.Check(err)
		return n
	}
	raw := func() []byte {
		b, err := hex.DecodeString(args[3])
		ts.Check(err)
		return b
	}
	at := number(2)
	switch args[1] {
	case "put":
		copy(data[at:], raw())
	case "flip":
		data[at] ^= 1 << number(3)
	case "insert":
		data = slices.Insert(data, at, raw()...)
	case "delete":
		data = slices.Delete(data, at, number(3))
	case "zero":
		clear(data[at:number(3)])
	case "cut":
		data = data[:at]
	case "pad":
		data = append(data, make([]byte, at)...)
	default:
		ts.Fatalf("patch: unknown verb %q", args[1])
	}
	ts.Check(os.WriteFile(file, data, 0o644))
}

// keeps DIR PROGRAM ARGS... runs a program, whatever its exit status, and fails
// if anything below DIR is different after it: reading never writes.
func keeps(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: keeps dir program args...")
	}
	dir := ts.MkAbs(args[0])
	before, err := fixture.HashTree(dir)
	ts.Check(err)
	if err := ts.Exec(args[1], args[2:]...); err != nil && !errors.As(err, new(*exec.ExitError)) {
		ts.Fatalf("keeps: %v", err)
	}
	after, err := fixture.HashTree(dir)
	ts.Check(err)
	for path, sum := range before {
		if after[path] != sum {
			ts.Fatalf("keeps: %s changed", path)
		}
	}
	if len(after) != len(before) {
		ts.Fatalf("keeps: %d files before, %d after", len(before), len(after))
	}
}
