//go:build unix

package topiclog

import (
	"path/filepath"
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
	batch := func(offset int64) []byte { return batchtest.NewBatch(offset, 1000, batchtest.KV("k", "v")).Encode() }
	const first, second = "00000000000000000000.log", "00000000000000000001.log"
	for _, live := range []bool{true, false} {
		path := locktest.Partition(t, live, map[string][]byte{first: batch(0), second: batch(1)})
		p, err := logdir.OpenPartition(path)
		if err != nil {
			t.Fatal(err)
		}
		source := Source{Name: "t-0", Path: path}
		source.list(p)
		batches := 0
		done, err := Replay(t.Context(), []Log{{topics.TransactionState, source}}, All, Visitor{
			File:  func(logdir.Entry) { locktest.Remove(t, filepath.Join(path, second)) },
			Batch: func(*recordbatch.Batch) { batches++ },
		})
		if (batches == 2 && err == nil) != live || (batches == 1 && err != nil) == live {
			t.Errorf("broker %v: %d batches, %+v, %v", live, batches, done, err)
		}
	}
}
