package place

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func writeSingle(t *testing.T, path string, o FileOptions, text string) error {
	t.Helper()
	f, err := NewFile(path, o)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(f, text); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); err == nil && !o.Replace {
		t.Error("the file has its name before it is complete")
	}
	return f.Commit()
}

func TestNewFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	if err := writeSingle(t, path, FileOptions{}, "one"); err != nil {
		t.Fatal(err)
	}
	if err := writeSingle(t, path, FileOptions{}, "two"); !errors.Is(err, ErrRefused) {
		t.Errorf("an existing file: %v", err)
	}
	if err := writeSingle(t, path, FileOptions{Replace: true}, "three"); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "three" {
		t.Errorf("holds %q", got)
	}
	f, err := NewFile(path, FileOptions{Replace: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Discard(); err != nil {
		t.Fatal(err)
	}
	entries, _ := os.ReadDir(dir)
	if got, _ := os.ReadFile(path); string(got) != "three" || len(entries) != 1 {
		t.Errorf("a discarded file left %q and %d files", got, len(entries))
	}
}

// What a run left that was killed stands in the way only without Replace.
func TestNewFileBehindKilledRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path+unfinished, []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeSingle(t, path, FileOptions{}, "whole"); err == nil {
		t.Error("an unfinished file was taken over")
	}
	if err := writeSingle(t, path, FileOptions{Replace: true}, "whole"); err != nil {
		t.Error(err)
	}
}

func TestNewFileRefuses(t *testing.T) {
	dir := t.TempDir()
	partition := filepath.Join(dir, "copies", "orders-0")
	logs := filepath.Join(dir, "logs", "orders-0")
	for _, d := range []string{partition, logs} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	log := filepath.Join(partition, "00000000000000000000.log")
	for _, file := range []string{log, filepath.Join(dir, "logs", "meta.properties"), filepath.Join(dir, "00000000000000000000.index")} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(partition, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		path    string
		sources []string
	}{
		{filepath.Join(partition, "p.html"), []string{partition}},
		{filepath.Join(partition, "p.html"), []string{log}},
		{filepath.Join(dir, "link", "p.html"), []string{partition}},
		{filepath.Join(dir, "logs", "p.html"), []string{partition}},
		{filepath.Join(logs, "p.html"), []string{partition}},
		{filepath.Join(dir, "00000000000000000000.index"), []string{partition}},
		{filepath.Join(dir, "copies"), []string{partition}},
	} {
		if err := writeSingle(t, c.path, FileOptions{Sources: c.sources, Replace: true}, "x"); !errors.Is(err, ErrRefused) {
			t.Errorf("%s from %s: %v", c.path, c.sources, err)
		}
	}
	if err := writeSingle(t, filepath.Join(dir, "copies", "p.html"), FileOptions{Sources: []string{partition}}, "x"); err != nil {
		t.Errorf("beside a copied partition: %v", err)
	}
}
