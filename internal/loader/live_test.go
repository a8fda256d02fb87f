//go:build unix

package loader_test

import (
	"errors"
	"io"
	"io/fs"
	"testing"

	"github.com/kafsck/kafsck/internal/brokerlock/locktest"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// A segment that goes while the plan is made is part of it where a broker runs: the
// plan is of the moment when it was begun.
func TestSegmentThatGoes(t *testing.T) {
	for _, live := range []bool{true, false} {
		path, logs := locktest.Logs(t, live, batchtest.OneRecord(0), batchtest.OneRecord(1))
		p, err := logdir.OpenPartition(path)
		if err != nil {
			t.Fatal(err)
		}
		o := loader.Options{Version: kafkaversion.Latest, Interval: 4096, MaxIndexSize: 10 << 20, Reading: func(r io.ReaderAt) io.ReaderAt {
			locktest.Remove(t, logs[1])
			return r
		}}
		plan, err := loader.Partition(t.Context(), p, o)
		if live && (err != nil || !plan.Loads || len(plan.Segments) != 2) || !live && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("broker %v: %+v %v", live, plan, err)
		}
	}
}
