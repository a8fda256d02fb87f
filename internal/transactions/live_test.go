//go:build unix

package transactions

import (
	"io"
	"os"
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
		dir := t.TempDir()
		if live {
			locktest.Hold(t, dir)
		}
		path := filepath.Join(dir, "t-0")
		put := func(name string, data []byte) {
			if err := os.WriteFile(filepath.Join(path, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		put("00000000000000000000.log", data)
		put("00000000000000000001.log", marker)
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
			_ = os.Remove(filepath.Join(path, "00000000000000000001.log"))
			return r
		}
		s, err := Scan(t.Context(), log, Options{Ended: true})
		if live && (err != nil || s.Open != 0 || s.Committed != 1) || !live && err == nil {
			t.Errorf("broker %v: %+v %v", live, s, err)
		}
	}
}
