package layers

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const self = "github.com/kafsck/kafsck"

// importers says for a dependency which of our packages may import it
// directly; "pkg" stands for the package and everything below it.
var importers = []struct {
	dependency, only, why string
}{
	{"github.com/spf13/cobra", "cmd", "only cmd parses command lines"},
	{"github.com/spf13/pflag", "cmd", "only cmd parses command lines"},
	{"github.com/olekukonko/tablewriter", "cmd", "only cmd renders"},
	{"github.com/schollz/progressbar/v3", "cmd", "only cmd draws progress"},
	{"golang.org/x/term", "cmd", "only cmd knows what a terminal is"},
	{"github.com/klauspost/compress", "recordbatch", "one place bounds what decompression may produce"},
	{"github.com/pierrec/lz4/v4", "recordbatch", "one place bounds what decompression may produce"},
	{"github.com/golang/snappy", "recordbatch", "one place bounds what decompression may produce"},
	{"os/exec", "", "kafsck starts no other program"},
	{"net", "", "kafsck works offline"},
	{"net/http", "", "kafsck works offline"},
	{"unsafe", "", "file contents are never cast"},
}

// goPackage is what is used of the output of go list -json.
type goPackage struct {
	Dir, ImportPath, Name string
	Imports, Deps         []string
}

// linked are the project's own packages in the binary, on any system.
var linked = sync.OnceValues(func() (map[string]goPackage, error) {
	packages := make(map[string]goPackage)
	for _, goos := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-json=Dir,ImportPath,Name,Imports,Deps", self)
		list.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, err
		}
		for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p goPackage
			if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			name, ours := ownName(p.ImportPath)
			if !ours {
				continue
			}
			known := packages[name]
			p.Imports = append(p.Imports, known.Imports...)
			p.Deps = append(p.Deps, known.Deps...)
			packages[name] = p
		}
	}
	return packages, nil
})

// ownName turns an import path of this module into the path below its root;
// the root itself is ".".
func ownName(importPath string) (string, bool) {
	if importPath == self {
		return ".", true
	}
	return strings.CutPrefix(importPath, self+"/")
}

// within says whether a package is the named one or lies below it.
func within(pkg, name string) bool {
	return name != "" && (pkg == name || strings.HasPrefix(pkg, name+"/"))
}

func linkedPackages(t *testing.T) map[string]goPackage {
	t.Helper()
	packages, err := linked()
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := packages["cmd"]; !ok {
		t.Fatal("go list found no package cmd: the tests would pass on nothing")
	}
	return packages
}

func TestOnlyOneLayerImports(t *testing.T) {
	for name, p := range linkedPackages(t) {
		for _, rule := range importers {
			if within(name, rule.only) {
				continue
			}
			for _, imported := range p.Imports {
				exact := !strings.Contains(rule.dependency, ".") // a package of the standard library
				if imported == rule.dependency || !exact && within(imported, rule.dependency) {
					t.Errorf("%s imports %s: %s", name, imported, rule.why)
				}
			}
		}
	}
}

// drawn is the line of each package in the picture of docs/architecture.md.
func drawn(t *testing.T) map[string]int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```\n")
	picture, _, whole := strings.Cut(rest, "```\n")
	if !whole {
		t.Fatal("docs/architecture.md has no picture")
	}
	lines := map[string]int{}
	for i, line := range strings.Split(picture, "\n") {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "main.go" {
			name = "."
		} else if !strings.Contains(name, "/") {
			continue // the heading of a group
		}
		name = strings.TrimSuffix(name, "/")
		if _, twice := lines[name]; twice {
			t.Errorf("%s is drawn twice", name)
		}
		lines[name] = i
	}
	return lines
}

func TestPackagesImportWhatIsDrawnBelowThem(t *testing.T) {
	lines := drawn(t)
	packages := linkedPackages(t)
	for name, p := range packages {
		line, there := lines[name]
		if !there {
			t.Errorf("%s is not in the picture of docs/architecture.md", name)
			continue
		}
		for _, imported := range p.Imports {
			if lower, ours := ownName(imported); ours && lines[lower] <= line {
				t.Errorf("%s imports %s, which isn't drawn below it", name, lower)
			}
		}
	}
	for name := range lines {
		if _, linked := packages[name]; !linked {
			t.Errorf("%s is drawn, and not part of the program", name)
		}
	}
	// The two formats know nothing of each other.
	for name, other := range map[string]string{"recordbatch": "indexfile", "indexfile": "recordbatch"} {
		for _, dep := range packages[name].Deps {
			if reached, ours := ownName(dep); ours && reached == other {
				t.Errorf("%s reaches %s", name, other)
			}
		}
	}
}

// A client that could talk to a broker is for tests alone.
func TestNoKafkaClientIsLinked(t *testing.T) {
	root := linkedPackages(t)["."]
	for _, dep := range root.Deps {
		if within(dep, "github.com/twmb/franz-go/pkg/kgo") || within(dep, self+"/internal/oracle") {
			t.Errorf("the binary links %s", dep)
		}
	}
}

// Every format package, check and repair has its own directory at the root,
// and nothing else has.
func TestTopLevelIsTheArchitecture(t *testing.T) {
	allowed := []string{"cmd", "docs", "indexfile", "internal", "rebuild", "recordbatch", "sanity", "testdata"}
	entries, err := os.ReadDir(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	// Made by a release and ignored by git.
	made := []string{"completions", "dist", "man"}
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || slices.Contains(made, e.Name()) {
			continue
		}
		if !slices.Contains(allowed, e.Name()) {
			t.Errorf("%s/ is a new top-level directory", e.Name())
		}
	}
}
