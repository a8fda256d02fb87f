package sanity

import (
	"bytes"
	"context"
	"maps"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/indexfile"
)

// A broker that rolls a segment cuts the zeros off its files while they are
// read: that is no fault, and no failure of the check. Where no broker runs,
// somebody else cut the file, and it was not checked.
func TestFilesThatAreCutWhileTheyAreRead(t *testing.T) {
	m := newMemory(t, "small-0", smallV2().Build())
	const newest = "00000000000000000008"
	for _, extension := range []string{".log", ".index", ".timeindex"} {
		check := func(live bool) []*Finding {
			c := newChecker(context.Background(), Options{})
			c.source = func(path string) (opened, int64, error) {
				data := m.files[path]
				size := int64(len(data))
				if strings.HasSuffix(path, newest+extension) {
					size += 24 << 10 // as preallocated; whole entries of both kinds
				}
				return memoryFile{bytes.NewReader(data)}, size, nil
			}
			return c.partition(context.Background(), m.listing, environment{live: live}, nil).report.sorted()
		}
		for _, f := range check(true) {
			if f.Severity > Info {
				t.Errorf("%s: %s", extension, f.AppendJSON(nil))
			}
		}
		unread := 0
		for _, f := range check(false) {
			if f.Code == IOError && strings.HasSuffix(f.File, newest+extension) {
				unread++
			}
		}
		if unread != 1 {
			t.Errorf("%s: nobody holds the directory, and %d findings say that the file was not read", extension, unread)
		}
	}
}

// A broker appends the abort marker first and its entry in the .txnindex a
// moment later. The entry is looked for again before it is called missing.
func TestTxnIndexThatIsBehindTheLog(t *testing.T) {
	m := newMemory(t, "small-0", smallV2().Build())
	const index = "00000000000000000000.txnindex"
	whole := m.files[m.path(index)]
	if len(whole) != indexfile.TxnEntrySize {
		t.Fatalf("%d bytes", len(whole))
	}
	check := func(live bool, comes int) int {
		c := newChecker(context.Background(), Options{})
		opens := 0
		c.source = func(path string) (opened, int64, error) {
			data := m.files[path]
			if path == m.path(index) {
				if opens++; opens < comes {
					data = nil
				}
			}
			return memoryFile{bytes.NewReader(data)}, int64(len(data)), nil
		}
		missing := 0
		for _, f := range c.partition(context.Background(), m.listing, environment{live: live}, nil).report.sorted() {
			if f.Code == TxnIndexEntryMissing {
				missing++
			}
		}
		return missing
	}
	for _, c := range []struct {
		live    bool
		comes   int // the first opening that finds the entry
		missing int
	}{{true, 1, 0}, {true, 2, 0}, {true, 4, 0}, {true, 1 << 30, 1}, {false, 2, 1}} {
		if got := check(c.live, c.comes); got != c.missing {
			t.Errorf("%+v: %d missing", c, got)
		}
	}
}

// A snapshot is written in place: an empty one is read again before it is
// called bad.
func TestSnapshotThatIsBeingWritten(t *testing.T) {
	m := newMemory(t, "small-0", smallV2().Build())
	const name = "00000000000000000008.snapshot"
	check := func(live bool, comes int) int {
		c := newChecker(context.Background(), Options{})
		opens := 0
		c.source = func(path string) (opened, int64, error) {
			data := m.files[path]
			if path == m.path(name) {
				if opens++; opens < comes {
					data = data[:len(data)/2]
				}
			}
			return memoryFile{bytes.NewReader(data)}, int64(len(data)), nil
		}
		bad := 0
		for _, f := range c.partition(context.Background(), m.listing, environment{live: live}, nil).report.sorted() {
			if f.File == m.path(name) && f.Severity > Info {
				bad++
			}
		}
		if whole := live && comes == 1; whole && opens != 1 {
			t.Errorf("what is checked and what is compared come from %d readings", opens)
		}
		return bad
	}
	for _, c := range []struct {
		live  bool
		comes int // the first opening that finds all of it
		bad   int
	}{{true, 1, 0}, {true, 3, 0}, {true, 1 << 30, 1}, {false, 2, 1}} {
		if got := check(c.live, c.comes); got != c.bad {
			t.Errorf("%+v: %d findings", c, got)
		}
	}
}

// A listing may show a log whose index is being made or has been renamed, or an
// index whose log has been. Where the directory is another one by the end, it is
// checked again.
func TestFilesThatAListingMissed(t *testing.T) {
	files := smallV2().Build()
	for _, c := range []struct {
		missed string
		code   Code
	}{{"00000000000000000008.index", IndexMissing}, {"00000000000000000008.timeindex", TimeIndexMissing}, {"00000000000000000000.log", FileOrphan}} {
		check := func(live, comes bool) int {
			listed := maps.Clone(files)
			delete(listed, c.missed)
			m := newMemory(t, "small-0", listed)
			if comes {
				path := m.path(c.missed)
				m.files[path] = files[c.missed]
				if err := os.WriteFile(path, files[c.missed], 0o644); err != nil {
					t.Fatal(err)
				}
			}
			n := 0
			findings, _ := m.checkIn(environment{live: live}, Options{}, nil)
			for _, f := range findings {
				if f.Code == c.code {
					n++
				}
			}
			return n
		}
		if n := check(true, true); n != 0 {
			t.Errorf("%s: it is there, and %d findings say no", c.missed, n)
		}
		if check(true, false) == 0 || check(false, true) == 0 {
			t.Errorf("%s: nothing says that it is missing", c.missed)
		}
	}
}

// Where a log can't be opened, nothing of its indexes is kept.
func TestUnreadableLogLeavesNothingOpen(t *testing.T) {
	m := newMemory(t, "small-0", smallV2().Build())
	check := func(refused error) {
		c := newChecker(context.Background(), Options{})
		c.source = func(path string) (opened, int64, error) {
			if refused != nil && strings.HasSuffix(path, ".log") {
				return nil, 0, refused
			}
			data := m.files[path]
			return memoryFile{bytes.NewReader(data)}, int64(len(data)), nil
		}
		c.partition(context.Background(), m.listing, environment{}, nil)
	}
	check(nil)
	before := runtime.NumGoroutine()
	for range 20 {
		check(os.ErrPermission)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, then %d", before, after)
	}
}
