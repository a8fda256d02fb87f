//go:build unix

package topiclog

import (
	"testing"

	"github.com/kafsck/kafsck/internal/brokerlock/locktest"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// A segment that a cleaner takes away while the one before is replayed holds a
// part of the state: it is read all the same where a broker runs, and missed
// where none does.
func TestSegmentThatGoes(t *testing.T) {
	for _, live := range []bool{true, false} {
		path, logs := locktest.Logs(t, live, batchtest.OneRecord(0), batchtest.OneRecord(1))
		p, err := logdir.OpenPartition(path)
		if err != nil {
			t.Fatal(err)
		}
		source := Source{Name: "t-0", Path: path}
		source.list(p)
		batches := 0
		done, err := Replay(t.Context(), []Log{{topics.TransactionState, source}}, All, Visitor{
			File:  func(logdir.Entry) { locktest.Remove(t, logs[1]) },
			Batch: func(*recordbatch.Batch) { batches++ },
		})
		if (batches == 2 && err == nil) != live || (batches == 1 && err != nil) == live {
			t.Errorf("broker %v: %d batches, %+v, %v", live, batches, done, err)
		}
	}
}
