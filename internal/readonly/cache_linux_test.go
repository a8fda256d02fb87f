package readonly

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// cold makes a file of a size that isn't in the page cache, and a guard to ask
// about it. The test is skipped where the system doesn't tell or can't forget.
func cold(t *testing.T, size int64) (path string, ask *guard) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "file")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	piece := bytes.Repeat([]byte("kafka"), block/5+1)[:block]
	for range size / block {
		if _, err := f.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	ask = newGuard(f, size)
	if err := errors.Join(f.Sync(), ask.advise(0, 0, unix.FADV_DONTNEED)); err != nil {
		t.Fatal(err)
	}
	if pages, ok := ask.cached(0, size); !ok || pages > 0 {
		t.Skipf("%d pages are still cached, known: %t", pages, ok)
	}
	return path, ask
}

// scan reads a file through, as a scan of a log does.
func scan(t *testing.T, path string) {
	t.Helper()
	f, size, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, block)
	for at := int64(0); at < size; at += block {
		if _, err := f.ReadAt(buffer, at); err != nil && err != io.EOF {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// touch reads a part of a file as somebody else.
func touch(t *testing.T, g *guard, from, to int64) {
	t.Helper()
	if err := g.advise(0, 0, unix.FADV_RANDOM); err != nil { // no reading ahead
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, io.NewSectionReader(g.file, from, to-from)); err != nil {
		t.Fatal(err)
	}
}

func bytesCached(g *guard, from, to int64) int64 {
	pages, _ := g.cached(from, to-from)
	return pages * int64(os.Getpagesize())
}

// usedUp is a process that has left in the cache what it may.
func usedUp(t *testing.T) {
	before := left.Swap(allowance)
	t.Cleanup(func() { left.Store(before) })
}

const scanned = 120 << 20

func TestScanLeavesCacheAsItWas(t *testing.T) {
	usedUp(t)
	path, ask := cold(t, scanned)
	scan(t, path)
	if n := bytesCached(ask, 0, scanned); n > 0 {
		t.Errorf("%d bytes of a file that wasn't cached are", n)
	}

	// A part that is cached is somebody's, wherever it lies.
	from, to := int64(21<<20+5000), int64(47<<20+5000)
	touch(t, ask, from, to)
	touch(t, ask, 101<<20, 101<<20+4096)
	before := bytesCached(ask, 0, scanned)
	scan(t, path)
	if n := bytesCached(ask, from, to); n < to-from {
		t.Errorf("of %d cached bytes %d are left", to-from, n)
	}
	if n := bytesCached(ask, 101<<20, 101<<20+4096); n < 4096 {
		t.Errorf("of a cached page %d bytes are left", n)
	}
	// The rest of a block that was cached in part may stay.
	if n := bytesCached(ask, 0, scanned); n > before+3*block {
		t.Errorf("%d bytes are cached; before the scan it were %d", n, before)
	}

	touch(t, ask, 0, scanned)
	scan(t, path)
	if n := bytesCached(ask, 0, scanned); n < scanned {
		t.Errorf("of a cached file %d of %d bytes are left", n, scanned)
	}
}

func TestSmallFilesMayStay(t *testing.T) {
	before := left.Swap(0)
	defer left.Store(before)
	path, ask := cold(t, 24<<20)
	scan(t, path)
	if n := bytesCached(ask, 0, 24<<20); n < 24<<20 {
		t.Errorf("%d bytes are cached", n)
	}
	if n := left.Load(); n != 24<<20 {
		t.Errorf("%d bytes were counted", n)
	}
}

// A scan that goes back, or jumps, cleans up too.
func TestJumpsLeaveNothingBehind(t *testing.T) {
	usedUp(t)
	path, ask := cold(t, scanned)
	f, _, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 256<<10)
	for _, at := range []int64{0, 30 << 20, 1 << 20, 110 << 20, 118 << 20, 50 << 20, 51 << 20} {
		if _, err := f.ReadAt(buffer, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if n := bytesCached(ask, 0, scanned); n > 0 {
		t.Errorf("%d bytes are left in the cache", n)
	}
}
