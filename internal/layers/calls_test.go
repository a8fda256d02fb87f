package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// writers are the packages that may change something on disk: the one that
// publishes indexes, and the one that puts new files in their place.
var writers = []string{"rebuild", "internal/place"}

// changing lists, by import path, the functions that change a file system or
// hand out something that can.
var changing = map[string][]string{
	"os": {
		"Chmod", "Chown", "Chtimes", "CopyFS", "Create", "CreateTemp", "Lchown", "Link",
		"Mkdir", "MkdirAll", "MkdirTemp", "OpenFile", "OpenRoot", "Remove", "RemoveAll",
		"Rename", "StartProcess", "Symlink", "Truncate", "WriteFile",
	},
	"syscall":                  lowLevel,
	"golang.org/x/sys/unix":    lowLevel,
	"golang.org/x/sys/windows": lowLevel,
}

var lowLevel = []string{
	"Chmod", "Chown", "Creat", "CreateFile", "CreateHardLink", "DeleteFile", "Exec",
	"Fallocate", "Fchmod", "Fchown", "Ftruncate", "Link", "Linkat", "Mkdir", "Mkdirat",
	"MoveFile", "MoveFileEx", "Open", "Openat", "Pwrite", "Rename", "Renameat", "Renameat2",
	"Rmdir", "Symlink", "Symlinkat", "Truncate", "Unlink", "Unlinkat", "Write",
}

// forbiddenCalls returns "file:line: os.Create" for each use of a function of
// the table in a Go source.
func forbiddenCalls(fset *token.FileSet, file *ast.File, table map[string][]string) []string {
	names := make(map[string]string) // what a package is called in this file
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || table[path] == nil {
			continue
		}
		name := filepath.Base(path)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = path
	}
	var found []string
	if path, dotted := names["."]; dotted {
		found = append(found, fset.Position(file.Pos()).String()+": dot import of "+path)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := sel.X.(*ast.Ident)
		// An identifier that the parser resolved is a variable of that name.
		if ok && pkg.Obj == nil && slices.Contains(table[names[pkg.Name]], sel.Sel.Name) {
			found = append(found, fset.Position(sel.Pos()).String()+": "+names[pkg.Name]+"."+sel.Sel.Name)
		}
		return true
	})
	return found
}

// callsInLinked applies the table to every source of the linked packages, for
// every system, except those that skip wants skipped.
func callsInLinked(t *testing.T, table map[string][]string, skip func(pkg, file string) bool) (found []string, files int) {
	t.Helper()
	for name, p := range linkedPackages(t) {
		entries, err := os.ReadDir(p.Dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") || skip(name, e.Name()) {
				continue
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, e.Name()), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			// A generator beside the package it generates for.
			if file.Name.Name == "main" && p.Name != "main" {
				continue
			}
			files++
			found = append(found, forbiddenCalls(fset, file, table)...)
		}
	}
	return found, files
}

func TestOnlyWritersWrite(t *testing.T) {
	found, files := callsInLinked(t, changing, func(pkg, _ string) bool {
		return slices.ContainsFunc(writers, func(w string) bool { return within(pkg, w) })
	})
	for _, f := range found {
		t.Errorf("%s: only %s may change files", f, strings.Join(writers, " and "))
	}
	if files == 0 {
		t.Error("no source was looked at")
	}
}

func TestOnlyMainExits(t *testing.T) {
	exits := map[string][]string{"os": {"Exit"}, "syscall": {"Exit", "Kill"}, "log": {"Fatal", "Fatalf", "Fatalln"}}
	found, _ := callsInLinked(t, exits, func(pkg, file string) bool { return pkg == "." && file == "main.go" })
	for _, f := range found {
		t.Errorf("%s: only main.go ends the process", f)
	}
}

// The guard itself must see through an alias and leave variables alone.
func TestForbiddenCalls(t *testing.T) {
	const source = `package x
import (
	system "os"
	"golang.org/x/sys/unix"
)
type file struct{}
func (file) Create() {}
func f() {
	os := file{}
	os.Create()
	system.Create("a")
	system.Open("b")
	g := system.Remove
	unix.Unlink("c")
	_ = g
}`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := forbiddenCalls(fset, file, changing)
	want := []string{"x.go:11:2: os.Create", "x.go:13:7: os.Remove", "x.go:14:2: golang.org/x/sys/unix.Unlink"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
