package readonly

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// build writes pieces at their positions into a new file of a size.
func build(t *testing.T, size int64, pieces map[int64]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for at, data := range pieces {
		if _, err := f.WriteAt([]byte(data), at); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(f.Truncate(size), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, path string) (*File, int64) {
	t.Helper()
	f, size, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f, size
}

// What NextData passes over is zeros, and ReadAt gives what is there, whatever
// the size and place of the read.
func TestReadsWhatIsThere(t *testing.T) {
	for name, path := range map[string]string{
		"empty":       build(t, 0, nil),
		"no hole":     build(t, 200_000, map[int64]string{0: string(bytes.Repeat([]byte("kafka"), 40_000))}),
		"only a hole": build(t, 1<<20+7, nil),
		"islands":     build(t, 1<<20, map[int64]string{5: "a", 300_000: "bb", 1<<20 - 1: "c"}),
		"hole at end": build(t, 1<<20+1, map[int64]string{0: "a", 65_536: "b"}),
	} {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, size := open(t, path)
		if size != int64(len(want)) {
			t.Errorf("%s: %d bytes, want %d", name, size, len(want))
		}
		for position := int64(0); position <= size; position += 4093 {
			next, err := f.NextData(position)
			if err != nil || next < position || next > size {
				t.Fatalf("%s: the data behind %d is at %d of %d, %v", name, position, next, size, err)
			}
			if len(bytes.Trim(want[position:next], "\x00")) > 0 {
				t.Fatalf("%s: data between %d and %d", name, position, next)
			}
			for _, n := range []int64{1, 4096, largeRead, 200_000} {
				got := bytes.Repeat([]byte{0xff}, int(n))
				m, err := f.ReadAt(got, position)
				if rest := want[position:min(position+n, size)]; !bytes.Equal(got[:m], rest) || (int64(m) < n) != (err == io.EOF) {
					t.Fatalf("%s: %d bytes at %d: %d, %v, or others than are there", name, n, position, m, err)
				}
			}
		}
	}
}

// A file may grow into its hole, and be cut, while it is open.
func TestFileChangesMeanwhile(t *testing.T) {
	path := build(t, 1<<20, map[int64]string{0: "head"})
	f, size := open(t, path)
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.WriteAt([]byte("new"), 600_000); err != nil {
		t.Fatal(err)
	}
	if next, err := f.NextData(500_000); err != nil || next > 600_000 {
		t.Errorf("the data at 600000 was passed over: %d, %v", next, err)
	}
	p := make([]byte, 200_000)
	if _, err := f.ReadAt(p, 500_000); err != nil || string(p[100_000:100_003]) != "new" {
		t.Errorf("the data at 600000 isn't there: %v", err)
	}
	if err := w.Truncate(550_000); err != nil {
		t.Fatal(err)
	}
	if n, err := f.ReadAt(p, 500_000); n != 50_000 || err != io.EOF {
		t.Errorf("%d bytes of a cut file, %v", n, err)
	}
	if n, err := f.ReadAt(p, size-int64(len(p))); n != 0 || err != io.EOF {
		t.Errorf("%d bytes behind the end of a cut file, %v", n, err)
	}
}

func TestOpenOfNothing(t *testing.T) {
	if _, _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// plain hides all methods of a reader but one.
type plain struct{ io.ReaderAt }

func TestNextDataOfAnyReader(t *testing.T) {
	f, size := open(t, build(t, 1<<20, nil))
	if next, err := NextData(plain{f}, 17); next != 17 || err != nil {
		t.Errorf("a reader that knows nothing of holes: %d, %v", next, err)
	}
	direct, _ := f.NextData(17)
	if next, err := NextData(f, 17); next != direct || err != nil || next > size {
		t.Errorf("%d, %v, want %d", next, err, direct)
	}
}
