package logdir

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// beside has held answer for the rest of the test.
func beside(t *testing.T, logDir string) {
	t.Helper()
	asked := held
	t.Cleanup(func() { held = asked })
	held = func(dir string) bool { return dir == logDir }
}

// written is a partition directory with files that hold their names.
func written(t *testing.T, names ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t-0")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		put(t, filepath.Join(path, name))
	}
	return path
}

func put(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(filepath.Base(path)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

const log0, log5, log9 = "00000000000000000000.log", "00000000000000000005.log", "00000000000000000009.log"

// A listed file that is missing has gone where a broker runs; else it is missing.
func TestListed(t *testing.T) {
	path := written(t)
	dir := filepath.Dir(path)
	_, _, missing := OpenFile(filepath.Join(path, log0))
	isGone := func(path string, err error) bool {
		_, gone := errors.AsType[*GoneError](Listed(path, err))
		return gone
	}
	check := func(want bool) {
		t.Helper()
		for _, path := range []string{path, filepath.Join(path, log0), filepath.Join(dir, "recovery-point-offset-checkpoint")} {
			if isGone(path, missing) != want || !errors.Is(Listed(path, missing), fs.ErrNotExist) {
				t.Errorf("%s: %v", path, Listed(path, missing))
			}
		}
		_, err := PartitionRef{Path: filepath.Join(dir, "u-0")}.Open()
		if _, gone := errors.AsType[*GoneError](err); gone != want || err == nil {
			t.Errorf("a partition: %v", err)
		}
	}
	check(false)
	beside(t, dir)
	check(true)
	if isGone(path, fs.ErrPermission) || Listed(path, nil) != nil {
		t.Error("something else is taken for gone")
	}
}

func TestUnread(t *testing.T) {
	dir := t.TempDir()
	issues := []Issue{{"gone", Vanished, fs.ErrNotExist}, {"unread", Unreadable, fs.ErrPermission}, {"pipe", NotAFile, fs.ErrInvalid}}
	p, d := Partition{Path: filepath.Join(dir, "t-0"), Issues: issues}, Dir{Path: dir, Issues: issues}
	check := func(want string) {
		t.Helper()
		for _, err := range []error{p.Unread(), d.Unread()} {
			if err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
	check("gone: file does not exist\nunread: permission denied")
	beside(t, dir)
	check("unread: permission denied")
}

// What a broker cuts off a file is read as the zeros that it was.
func TestFileThatIsCut(t *testing.T) {
	path := filepath.Join(written(t), log0)
	read := func() ([]byte, error) {
		if err := os.WriteFile(path, append([]byte("data"), make([]byte, 1<<20)...), 0o644); err != nil {
			t.Fatal(err)
		}
		f, size, err := OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := os.Truncate(path, 4); err != nil {
			t.Fatal(err)
		}
		all := bytes.Repeat([]byte{7}, int(size)+10)
		n, err := f.ReadAt(all, 0)
		return all[:n], err
	}
	if data, err := read(); len(data) != 4 || err != io.EOF {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	beside(t, filepath.Dir(filepath.Dir(path)))
	want := append([]byte("data"), make([]byte, 1<<20)...)
	if data, err := read(); !bytes.Equal(data, want) || err != io.EOF {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

// A picture is whole: where a file goes before it is opened, the partition is
// listed again, and what is open stays whatever becomes of its name.
func TestHold(t *testing.T) {
	path := written(t, log0, log5)
	p, err := OpenPartition(path)
	if err != nil {
		t.Fatal(err)
	}
	names := func(p *Partition) (names []string) {
		for _, e := range p.Logs() {
			names = append(names, e.Name)
		}
		return names
	}
	at := func(name string) string { return filepath.Join(path, name) }
	read := func(picture *Picture, name string) string {
		f, size, err := picture.Open(at(name))
		if err != nil {
			return err.Error()
		}
		defer f.Close()
		data := make([]byte, size)
		_, _ = f.ReadAt(data, 0)
		return string(data)
	}

	// Where nobody runs it is the listing, and a file that goes is missing.
	picture, err := p.Hold((*Partition).Logs)
	if err != nil || picture.Partition != p {
		t.Fatal(picture, err)
	}
	remove(t, at(log0))
	if _, _, err := picture.Open(at(log0)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	picture.Close()
	put(t, at(log0))

	beside(t, filepath.Dir(path))
	asked := 0
	picture, err = p.Hold(func(p *Partition) []Entry {
		logs := p.Logs()
		if asked++; asked == 1 { // between listing and opening
			remove(t, at(log0))
			put(t, at(log9))
		}
		return logs
	})
	if err != nil || !slices.Equal(names(picture.Partition), []string{log5, log9}) {
		t.Fatal(names(picture.Partition), err)
	}
	remove(t, at(log5))
	if got := read(picture, log5); got != log5 {
		t.Errorf("%q", got)
	}
	if got := read(picture, log5); got != log5 {
		t.Errorf("read again: %q", got)
	}
	picture.Close()
	if _, _, err := picture.Open(at(log5)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("closed: %v", err)
	}

	// Without end, what is there is taken.
	picture, err = p.Hold(func(p *Partition) []Entry {
		put(t, at(log0))
		logs := p.Logs()
		remove(t, at(log0))
		return logs
	})
	if err != nil {
		t.Fatal(err)
	}
	picture.Close()

	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Hold((*Partition).Logs); err == nil {
		t.Error("the directory has gone")
	} else if _, gone := errors.AsType[*GoneError](err); !gone {
		t.Error(err)
	}
}
