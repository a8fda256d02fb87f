package place

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
)

func TestRefuses(t *testing.T) {
	base := t.TempDir()
	in := func(path string) string { return filepath.Join(base, path) }
	write(t, in("data/meta.properties"), "version=1\n")
	write(t, in("data/t-0/0.log"), "")
	write(t, in("copy/t-0/0.log"), "")
	write(t, in("piece"), "")
	write(t, in("full/mine"), "")
	if err := os.Mkdir(in("empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	links := true
	for name, to := range map[string]string{"link": in("data"), "nowhere": in("gone")} {
		links = os.Symlink(to, in(name)) == nil && links
	}
	before, err := fixture.HashTree(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		out, source string
		link        bool
	}{
		{out: "full", source: "copy"},
		{out: "copy", source: "copy"},
		{out: "copy/t-0/out", source: "copy/t-0"},
		{out: "copy", source: "copy/t-0"},
		{out: "copy/t-0/out", source: "copy/t-0/0.log"},
		{out: ".", source: "piece"},
		{out: "data/out", source: "copy/t-0"},
		{out: "data/t-0/a/b", source: "copy/t-0"},
		{out: "link/out", source: "copy/t-0", link: true},
		{out: "nowhere", source: "copy/t-0", link: true},
		{out: "nowhere/out", source: "copy/t-0", link: true},
	} {
		if c.link && !links {
			continue
		}
		d, err := Open(in(c.out), Options{Sources: []string{in(c.source)}})
		if !errors.Is(err, ErrRefused) {
			t.Errorf("%s with the source %s: %v", c.out, c.source, err)
		}
		if d != nil {
			_ = d.Close()
		}
	}
	after, err := fixture.HashTree(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, difference := range fixture.DiffTrees(before, after) {
		t.Error("a refusal changed something:", difference)
	}
	for _, c := range []struct{ out, source string }{
		{"empty", "copy/t-0"}, {"new", "piece"}, {"copy-of-t-0", "copy/t-0"},
	} {
		d, err := Open(in(c.out), Options{Sources: []string{in(c.source)}})
		if err != nil {
			t.Errorf("%s with the source %s: %v", c.out, c.source, err)
			continue
		}
		_ = d.Close()
	}
}

func TestNamesStayInside(t *testing.T) {
	base := t.TempDir()
	d, err := Open(filepath.Join(base, "out"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, name := range []string{"", ".", "..", "../x", "a/b", "/x", filepath.Join(base, "x")} {
		if _, err := d.Create(name); err == nil {
			t.Errorf("a file called %q", name)
		}
		if _, err := d.Begin(name); err == nil {
			t.Errorf("a set called %q", name)
		}
	}
	// A directory that is swapped for a link while the work is under way.
	set, err := d.Begin("t-0")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(base, "out", "t-0"+partial)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(base, filepath.Join(base, "out", "t-0"+partial)); err != nil {
		t.Skip(err)
	}
	if _, err := set.Create("x"); err == nil {
		t.Error("a file was made behind a symbolic link")
	}
	if _, err := os.Lstat(filepath.Join(base, "x"+unfinished)); err == nil {
		t.Error("a file outside of the directory")
	}
}

// A set of an earlier run is thrown away only if it is nothing but files.
func TestResumeKeepsWhatIsNotItsOwn(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "t-0"+partial, "deeper", "x"), "mine")
	own := func(name string) bool { return name == "t-0" }
	if _, err := Open(dir, Options{Own: own}); !errors.Is(err, ErrRefused) {
		t.Error("not resumed:", err)
	}
	if _, err := Open(dir, Options{Resume: true, Own: own}); err == nil {
		t.Error("a directory within a set was accepted")
	}
	if b, err := os.ReadFile(filepath.Join(dir, "t-0"+partial, "deeper", "x")); string(b) != "mine" {
		t.Error(string(b), err)
	}
}
