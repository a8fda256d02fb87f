//go:build unix

package bundle

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/internal/brokerlock/locktest"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// A file that a broker takes away while the bundle is made is left out, which the
// manifest says; where no broker runs, that is a failure.
func TestFileThatGoes(t *testing.T) {
	for _, live := range []bool{true, false} {
		path, logs := locktest.Logs(t, live, batchtest.OneRecord(0), batchtest.OneRecord(1))
		result, err := write(t, t.Context(), path, filepath.Join(t.TempDir(), "report.tar.gz"), Options{Recovery: testRecovery(), Reading: func(r io.ReaderAt) io.ReaderAt {
			locktest.Remove(t, logs[1])
			return r
		}})
		if err != nil {
			t.Fatal(err)
		}
		gone := false
		for _, omission := range result.LeftOut {
			gone = gone || omission.File == "t-0/"+filepath.Base(logs[1]) && omission.Why == goneSince
		}
		if gone != live || (len(result.Failures) == 0) != live {
			t.Errorf("broker %v: left out %+v, failures %v", live, result.LeftOut, result.Failures)
		}
	}
}
