//go:build unix

package salvage

import (
	"io"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/internal/brokerlock/locktest"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// What a broker takes away after the salvage began is salvaged, and what it is
// writing isn't left behind.
func TestPartitionThatIsInUse(t *testing.T) {
	for _, live := range []bool{true, false} {
		path, logs := locktest.Logs(t, live, batchtest.OneRecord(0), slices.Concat(batchtest.OneRecord(1), batchtest.OneRecord(2)[:50]))
		jobs, _, err := Plan(&Request{Paths: []string{path}})
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		o := DefaultOptions()
		o.Tell = func(object any) error {
			if l, ok := object.(*Left); ok {
				left = append(left, l.Reason)
			}
			return nil
		}
		o.Reading = func(r io.ReaderAt) io.ReaderAt {
			locktest.Remove(t, logs[1])
			return r
		}
		records := 0
		s, err := Records(t.Context(), &jobs[0], 0, 9, o, func(string, *recordbatch.Batch, *recordbatch.Record) error {
			records++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if live && (records != 2 || s.Exit != 0 || !slices.Equal(left, []string{BeingWritten})) || !live && (records != 1 || s.Exit != 1) {
			t.Errorf("broker %v: %d records, left %q, %+v", live, records, left, s)
		}
	}
}
