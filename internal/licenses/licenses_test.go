package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("text of "+name+" \r\n\r\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Licences on the way from the module's root to a linked package count; those
// of packages that are not linked don't.
func TestLicenceFiles(t *testing.T) {
	root := t.TempDir()
	write(t, root, "LICENSE", "NOTICE.txt", "license.go", "a/b/Licence.md", "a/b/b.go", "other/COPYING")
	got, err := licenceFiles(root, []string{filepath.Join(root, "a", "b")})
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i] = filepath.ToSlash(got[i])
	}
	if diff := cmp.Diff([]string{"LICENSE", "NOTICE.txt", "a/b/Licence.md"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNoLicenceIsAnError(t *testing.T) {
	root := t.TempDir()
	write(t, root, "main.go")
	if _, err := render([]*module{{path: "example.org/bare", dir: root}}); err == nil ||
		!strings.Contains(err.Error(), "example.org/bare: no licence file") {
		t.Errorf("error = %v", err)
	}
}

func TestRender(t *testing.T) {
	root := t.TempDir()
	write(t, root, "LICENSE")
	got, err := render([]*module{{path: "example.org/m", version: "v1.2.3", dir: root, systems: []string{"windows"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := header + "\n" + rule + "\nexample.org/m v1.2.3\n(only in the binaries for windows)\n" + rule +
		"\n\n--- LICENSE ---\n\ntext of LICENSE\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What only one system links is found from every other.
func TestLinkedModulesOfAllTargets(t *testing.T) {
	modules, err := linkedModules("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(modules) == 0 || modules[0].version != "" {
		t.Fatal("the standard library does not come first")
	}
	i := slices.IndexFunc(modules, func(m *module) bool { return m.path == "github.com/inconshreveable/mousetrap" })
	if i < 0 || !slices.Equal(modules[i].systems, []string{"windows"}) {
		t.Error("mousetrap, which cobra links on Windows alone, is not listed so")
	}
}
