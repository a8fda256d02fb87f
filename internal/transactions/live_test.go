//go:build unix

package transactions

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/internal/brokerlock/locktest"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// A segment that is deleted while the one before is scanned may hold the marker
// of a transaction: without it, that would be open.
func TestMarkerThatIsDeletedMeanwhile(t *testing.T) {
	data := batchtest.NewBatch(0, 1000, batchtest.KV("k", "v")).WithProducer(7, 0, 0).WithAttributes(batchtest.AttrTransactional).Encode()
	marker := batchtest.Marker(1, 1000, 7, 0, true, 0).Encode()
	for _, live := range []bool{true, false} {
		path := locktest.Partition(t, live, map[string][]byte{"00000000000000000000.log": data, "00000000000000000001.log": marker})
		p, err := logdir.OpenPartition(path)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := p.Hold((*logdir.Partition).Logs)
		if err != nil {
			t.Fatal(err)
		}
		defer picture.Close()
		log := Of(picture)
		log.Reading = func(r io.ReaderAt) io.ReaderAt {
			locktest.Remove(t, filepath.Join(path, "00000000000000000001.log"))
			return r
		}
		s, err := Scan(t.Context(), log, Options{Ended: true})
		if live && (err != nil || s.Open != 0 || s.Committed != 1) || !live && err == nil {
			t.Errorf("broker %v: %+v %v", live, s, err)
		}
	}
}
