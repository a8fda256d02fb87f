//go:build unix

package compare

import (
	"io"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/internal/brokerlock/locktest"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// Replicas are compared as they were when they were opened, up to where a broker
// is writing.
func TestReplicaThatIsInUse(t *testing.T) {
	still, _ := locktest.Logs(t, false, batchtest.OneRecord(0), batchtest.OneRecord(1))
	for _, live := range []bool{true, false} {
		used, logs := locktest.Logs(t, live, batchtest.OneRecord(0), slices.Concat(batchtest.OneRecord(1), batchtest.OneRecord(2)[:50]))
		var sides [2]*Source
		for i, path := range []string{used, still} {
			p, err := logdir.OpenPartition(path)
			if err != nil {
				t.Fatal(err)
			}
			if sides[i], err = Of(p); err != nil {
				t.Fatal(err)
			}
			defer sides[i].Close()
		}
		s, err := Replicas(t.Context(), sides[0], sides[1], Options{Reading: func(r io.ReaderAt) io.ReaderAt {
			locktest.Remove(t, logs[1])
			return r
		}})
		if live && (err != nil || !s.Equal) || !live && err == nil {
			t.Errorf("broker %v: %+v %v", live, s, err)
		}
	}
}
