//go:build unix

package rebuild_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/brokerlock/locktest"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/rebuild"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// A dry run tells what it can of logs that a broker is writing, and changes
// nothing; what a broker took away is told from what is missing.
func TestDryRunBesideABroker(t *testing.T) {
	size := int64(len(batchtest.OneRecord(2)))
	for _, live := range []bool{true, false} {
		path, logs := locktest.Logs(t, live, batchtest.OneRecord(0), batchtest.OneRecord(1), append(batchtest.OneRecord(2), make([]byte, 4096)...))
		grown := false
		o := defaults()
		o.Workers = 1 // the first that is read is the first log
		o.Reading = func(r io.ReaderAt) io.ReaderAt {
			locktest.Remove(t, logs[1])
			return reading{r, func() {
				if !grown {
					grown = true
					if err := os.WriteFile(logs[0], bytes.Repeat(batchtest.OneRecord(0), 2), 0o644); err != nil {
						t.Error(err)
					}
				}
			}}
		}
		p, err := logdir.OpenPartition(path)
		if err != nil {
			t.Fatal(err)
		}
		var plans []*rebuild.Plan
		for plan, err := range rebuild.New(o).Partition(t.Context(), p, p.Segments, 0) {
			if err != nil {
				t.Fatal(err)
			}
			plans = append(plans, plan)
		}
		if len(plans) != 3 {
			t.Fatalf("broker %v: %d plans", live, len(plans))
		}
		if grew := plans[0]; live && (grew.Err != nil || !strings.Contains(strings.Join(grew.Notes, ""), "has gone on with it")) || !live && !errors.Is(grew.Err, rebuild.ErrChanged) {
			t.Errorf("broker %v, a log that grows: %v %q", live, grew.Err, grew.Notes)
		}
		if _, gone := errors.AsType[*logdir.GoneError](plans[1].Err); gone != live || !errors.Is(plans[1].Err, fs.ErrNotExist) {
			t.Errorf("broker %v, a log that goes: %v", live, plans[1].Err)
		}
		switch end := plans[2]; {
		case live && (end.Err != nil || end.Damage == nil || !end.Damage.InUse || end.Damage.Position != size || len(end.Files) == 0):
			t.Errorf("a preallocated log: %+v %+v", end, end.Damage)
		case !live && (!errors.Is(end.Err, rebuild.ErrDamaged) || end.Damage.InUse):
			t.Errorf("zeros where no broker runs: %+v %+v", end, end.Damage)
		}
		entries, err := os.ReadDir(path)
		if err != nil || len(entries) != 2 {
			t.Errorf("%v %v", entries, err)
		}
	}
}

// reading does something before each read.
type reading struct {
	io.ReaderAt
	do func()
}

func (r reading) ReadAt(p []byte, position int64) (int, error) {
	r.do()
	return r.ReaderAt.ReadAt(p, position)
}
