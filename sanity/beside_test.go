//go:build unix

package sanity

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/internal/brokerlock/locktest"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// What a log looked like for a moment is not held against it once it looks
// otherwise; what stays is damage, and so is everything where no broker runs.
func TestDamageOfAMoment(t *testing.T) {
	batch := func(offset int64) []byte {
		return batchtest.NewBatch(offset, 1000, batchtest.Record{Value: bytes.Repeat([]byte("v"), 90)}).Encode()
	}
	a, b, c := batch(0), batch(1), batch(2)
	small := batchtest.NewBatch(1, 1000, batchtest.Record{Value: []byte("v")}).Encode()
	bad := slices.Clone(b)
	bad[90] ^= 1
	zeros := make([]byte, 4096)
	written := func(parts ...[]byte) []byte { return slices.Concat(parts...) }
	const log, next = "00000000000000000000.log", "00000000000000000009.log"
	for _, x := range []struct {
		name      string
		read, now []byte // nil: the log has gone
		rolled    bool   // there is a newer segment now
		renamed   bool   // ".deleted" now
		code      Code
		excused   bool
	}{
		{name: "preallocated", read: written(a, b, zeros), now: written(a, b, zeros), code: LogZeroTail, excused: true},
		{name: "torn", read: written(a, b[:70]), now: written(a, b[:70]), code: LogTornTail, excused: true},
		{name: "rolled and trimmed", read: written(a, b, zeros), now: written(a, b), rolled: true, code: LogZeroTail, excused: true},
		{name: "rolled and not trimmed", read: written(a, b, zeros), now: written(a, b, zeros), rolled: true, code: LogZeroTail},
		{name: "torn, written on and rolled", read: written(a, b[:70]), now: written(a, b, c), rolled: true, code: LogTornTail, excused: true},
		{name: "torn and rolled", read: written(a, b[:70]), now: written(a, b[:70]), rolled: true, code: LogTornTail},
		{name: "rolled, trimmed and deleted", read: written(a, b, zeros), now: written(a, b), rolled: true, renamed: true, code: LogZeroTail, excused: true},
		{name: "rolled and deleted for good", read: written(a, b, zeros), rolled: true, code: LogZeroTail, excused: true},
		{name: "written over zeros", read: written(a, b[:90], zeros), now: written(a, b, zeros), code: BatchCRCMismatch, excused: true},
		{name: "written over zeros, not done yet", read: written(a, b[:90], zeros), now: written(a, b[:90], zeros), code: BatchCRCMismatch},
		{name: "written over zeros, and the next one is", read: written(a, b[:90], zeros), now: written(a, b, c[:64]), code: BatchCRCMismatch, excused: true},
		{name: "damaged and deleted for good", read: written(a, bad, c), rolled: true, code: BatchCRCMismatch},
		{name: "cut and written anew", read: written(a, b, c[:70]), now: written(a, small, c, c), rolled: true, code: LogTornTail, excused: true},
		{name: "damaged", read: written(a, bad, c), now: written(a, bad, c), code: BatchCRCMismatch},
	} {
		for _, live := range []bool{true, false} {
			files := map[string][]byte{}
			switch {
			case x.now != nil && x.renamed:
				files[log+".deleted"] = x.now
			case x.now != nil:
				files[log] = x.now
			}
			if x.rolled {
				files[next] = nil
			}
			path := filepath.Join(locktest.Partition(t, live, files), log)
			var found *Finding
			for _, err := range recordbatch.NewScanner(bytes.NewReader(x.read), int64(len(x.read)), recordbatch.Options{File: path}).Batches() {
				if damage := corruptOf(err); damage != nil {
					f := FromCorrupt(damage)
					found = &f
					break
				}
			}
			if found == nil || found.Code != x.code {
				t.Fatalf("%s: %+v", x.name, found)
			}
			judge := Beside{spent: livePatience - 3*livePause}
			if judge.Judge(found); (found.Severity == Info) != (live && x.excused) {
				t.Errorf("%s, broker %v: %s", x.name, live, found.AppendJSON(nil))
			}
		}
	}
}

// A batch that is written over the zeros of a preallocated log is looked at
// again, by a check of the whole partition too.
func TestBatchThatIsBeingWritten(t *testing.T) {
	m := newMemory(t, "small-0", smallV2().Build())
	path := m.path("00000000000000000008.log")
	whole := m.files[path]
	last := int64(0)
	for b := range recordbatch.Headers(bytes.NewReader(whole), int64(len(whole)), 0) {
		last = b.Position
	}
	half := slices.Clone(whole)
	clear(half[last+64:])
	for _, c := range []struct {
		live  bool
		comes int // the opening that finds all of it
		bad   int
	}{{true, 2, 0}, {true, 4, 0}, {true, 1 << 30, 1}, {false, 2, 1}} {
		check := newChecker(t.Context(), Options{})
		opens := 0
		check.source = func(name string) (opened, int64, error) {
			data := m.files[name]
			if name == path {
				if opens++; opens < c.comes {
					data = half
				}
			}
			if name == path {
				data = append(slices.Clone(data), make([]byte, 8192)...)
			}
			return memoryFile{bytes.NewReader(data)}, int64(len(data)), nil
		}
		bad := 0
		for _, f := range check.partition(t.Context(), m.listing, environment{live: c.live}, nil).report.sorted() {
			if f.File == path && f.Severity == Error {
				bad++
			}
		}
		if bad != c.bad {
			t.Errorf("%+v: %d errors", c, bad)
		}
	}
}

// What is wrong with a single file beside a broker has to be wrong twice: the
// log beside an index may be another one's for a moment.
func TestFileThatIsExchanged(t *testing.T) {
	files := smallV2().Build()
	const name = "00000000000000000000.index"
	for _, c := range []struct {
		live  bool
		comes int // the opening that finds the right one
		wrong int
	}{{true, 1, 0}, {true, 2, 0}, {true, 1 << 30, 1}, {false, 2, 1}} {
		path := filepath.Join(locktest.Partition(t, c.live, files), name)
		check := newChecker(t.Context(), Options{})
		disk, opens := check.source, 0
		check.source = func(path string) (opened, int64, error) {
			if filepath.Base(path) == name {
				if opens++; opens < c.comes {
					return memoryFile{bytes.NewReader(make([]byte, 7))}, 7, nil
				}
			}
			return disk(path)
		}
		wrong := 0
		for _, f := range check.file(t.Context(), &logdir.Entry{Name: name, Path: path, File: logdir.ParseName(name)}).report.sorted() {
			if f.Severity > Info {
				wrong++
			}
		}
		if wrong != c.wrong {
			t.Errorf("%+v: %d findings", c, wrong)
		}
	}
}
