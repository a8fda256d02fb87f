//go:build unix

package compare

import (
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/internal/brokerlock/locktest"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// Replicas are compared as they were when they were opened, up to where a broker
// is writing.
func TestReplicaThatIsInUse(t *testing.T) {
	batch := func(offset int64) []byte { return batchtest.NewBatch(offset, 1000, batchtest.KV("k", "v")).Encode() }
	const first, second = "00000000000000000000.log", "00000000000000000001.log"
	still := locktest.Partition(t, false, map[string][]byte{first: batch(0), second: batch(1)})
	for _, live := range []bool{true, false} {
		used := locktest.Partition(t, live, map[string][]byte{first: batch(0), second: slices.Concat(batch(1), batch(2)[:50])})
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
			locktest.Remove(t, filepath.Join(used, second))
			return r
		}})
		if live && (err != nil || !s.Equal) || !live && err == nil {
			t.Errorf("broker %v: %+v %v", live, s, err)
		}
	}
}
