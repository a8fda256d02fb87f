//go:build unix

package lookup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/internal/brokerlock/locktest"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// A segment that is listed and has gone when the search comes to it is looked up
// in what is there now, where a broker runs; else that is a failure.
func TestSegmentThatGoes(t *testing.T) {
	const first, second = "00000000000000000000.log", "00000000000000000005.log"
	segment := func(base int64) []byte {
		var data []byte
		for offset := base; offset < base+5; offset++ {
			data = batchtest.NewBatch(offset, 1000+offset, batchtest.KV("k", "v")).Append(data)
		}
		return data
	}
	for _, live := range []bool{true, false} {
		dir := t.TempDir()
		if live {
			locktest.Hold(t, dir)
		}
		path := filepath.Join(dir, "t-0")
		if err := errors.Join(os.Mkdir(path, 0o755), os.WriteFile(filepath.Join(path, first), segment(0), 0o644), os.WriteFile(filepath.Join(path, second), segment(5), 0o644)); err != nil {
			t.Fatal(err)
		}
		opened = func() {
			if err := os.Remove(filepath.Join(path, first)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
		_, r, err := At(t.Context(), path, Target{Offset: 2}, Options{NoIndex: true})
		opened = func() {}
		if live && (err != nil || r.Found != nil || r.Why != BeforeStart) || !live && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("broker %v: %+v %v", live, r, err)
		}
	}
}
