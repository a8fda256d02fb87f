//go:build unix

package dump

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/brokerlock/locktest"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// A file that goes between the listing and its turn is left out where a broker
// runs, and named; else it is missing. The others are dumped.
func TestFileThatGoes(t *testing.T) {
	log := batchtest.OneRecord(0)
	for _, live := range []bool{true, false} {
		path, logs := locktest.Logs(t, live, log, log, log)
		var out, messages bytes.Buffer
		o := DefaultOptions()
		o.Reading = func(r io.ReaderAt) io.ReaderAt {
			locktest.Remove(t, logs[1])
			return r
		}
		sink := NewSink(&out, &messages, o.Format)
		rows, err := Path(t.Context(), sink, path, &o)
		if err := sink.Flush(); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "Dumping "); n != 2 {
			t.Errorf("broker %v: %d files are dumped", live, n)
		}
		_, gone := errors.AsType[*logdir.GoneError](err)
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), logs[1]) || gone != live {
			t.Errorf("broker %v: %v", live, err)
		}
		if want := map[bool]int{true: 2, false: 3}[live]; len(rows) != want {
			t.Errorf("broker %v: %d rows", live, len(rows))
		}
	}
}

// A preallocated segment that is rolled, and so trimmed, while it is dumped has
// no damage: its zeros have been read, and there is a newer segment when they are
// judged.
func TestSegmentThatIsRolled(t *testing.T) {
	log := batchtest.OneRecord(0)
	const first, second = "00000000000000000000.log", "00000000000000000001.log"
	for _, c := range []struct{ live, trimmed bool }{{true, true}, {true, false}, {false, false}} {
		path := locktest.Partition(t, c.live, map[string][]byte{first: append(bytes.Clone(log), make([]byte, 1<<16)...)})
		var out, messages bytes.Buffer
		o := DefaultOptions()
		o.Reading = func(r io.ReaderAt) io.ReaderAt {
			return afterwards{r, func() {
				if c.trimmed {
					if err := os.Truncate(filepath.Join(path, first), int64(len(log))); err != nil {
						t.Error(err)
					}
				}
				if err := os.WriteFile(filepath.Join(path, second), nil, 0o644); err != nil {
					t.Error(err)
				}
			}}
		}
		sink := NewSink(&out, &messages, o.Format)
		if _, err := Path(t.Context(), sink, filepath.Join(path, first), &o); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if excused := sink.Summary.Findings == 0; excused != (c.live && c.trimmed) {
			t.Errorf("%+v: %+v\n%s", c, sink.Summary, messages.String())
		}
	}
}

// afterwards does something after each read.
type afterwards struct {
	io.ReaderAt
	do func()
}

func (a afterwards) ReadAt(p []byte, position int64) (int, error) {
	n, err := a.ReaderAt.ReadAt(p, position)
	a.do()
	return n, err
}

// A snapshot that a broker is writing is dumped when it is whole.
func TestSnapshotThatIsWritten(t *testing.T) {
	whole := statefile.AppendProducerSnapshot(nil, []statefile.ProducerEntry{{ProducerID: 7, LastOffset: 3, CurrentTxnFirstOffset: -1}})
	const name = "00000000000000000004.snapshot"
	for _, c := range []struct {
		live, comes bool
		findings    int64
	}{{true, true, 0}, {true, false, 1}, {false, true, 1}} {
		path := filepath.Join(locktest.Partition(t, c.live, map[string][]byte{name: whole[:12]}), name)
		var out, messages bytes.Buffer
		o := DefaultOptions()
		o.Reading = func(r io.ReaderAt) io.ReaderAt {
			return afterwards{r, func() {
				if c.comes {
					if err := os.WriteFile(path, whole, 0o644); err != nil {
						t.Error(err)
					}
				}
			}}
		}
		sink := NewSink(&out, &messages, o.Format)
		if _, err := Path(t.Context(), sink, path, &o); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if err := sink.Flush(); err != nil {
			t.Fatal(err)
		}
		if sink.Summary.Findings != c.findings || strings.Contains(out.String(), "producerId: 7") != (c.findings == 0) {
			t.Errorf("%+v: %d findings\n%s%s", c, sink.Summary.Findings, out.String(), messages.String())
		}
	}
}
