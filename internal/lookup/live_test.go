//go:build unix

package lookup

import (
	"errors"
	"io/fs"
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
		path := locktest.Partition(t, live, map[string][]byte{first: segment(0), second: segment(5)})
		opened = func() { locktest.Remove(t, filepath.Join(path, first)) }
		_, r, err := At(t.Context(), path, Target{Offset: 2}, Options{NoIndex: true})
		opened = func() {}
		if live && (err != nil || r.Found != nil || r.Why != BeforeStart) || !live && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("broker %v: %+v %v", live, r, err)
		}
	}
}
