//go:build unix

package cmd

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/brokerlock/locktest"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// meanwhile is a stream with the first write of which something happens.
type meanwhile struct {
	bytes.Buffer
	do func()
}

func (m *meanwhile) Write(p []byte) (int, error) {
	m.do()
	return m.Buffer.Write(p)
}

// What a broker takes away between the listing and its turn is worth a note, but
// not to --quiet; where no broker runs it is a failure.
func TestFilesThatGoMeanwhile(t *testing.T) {
	first := batchtest.NewBatch(0, 1000, batchtest.KV("k", "v")).Encode()
	files := map[string][]byte{
		"00000000000000000000.log": first, "00000000000000000000.index": {1, 2, 3}, // damage is the first to be written of
		"00000000000000000001.log":   batchtest.NewBatch(1, 1000, batchtest.KV("k", "v")).Encode(),
		"00000000000000000001.index": nil, "00000000000000000001.timeindex": nil,
	}
	for _, c := range []struct {
		args []string
		goes string
	}{
		{[]string{"index"}, "00000000000000000001.timeindex"},
		{[]string{"index", "--simulate", "4096"}, "00000000000000000001.log"},
		{[]string{"dump"}, "00000000000000000001.timeindex"},
	} {
		for _, live := range []bool{true, false} {
			for _, quiet := range []string{"--quiet", "--quiet=false"} {
				files["00000000000000000000.log"] = first
				if len(c.args) > 1 { // of logs alone
					files["00000000000000000000.log"] = append(bytes.Clone(first), "garbage, garbage, garbage"...)
				}
				path := locktest.Partition(t, live, files)
				var out bytes.Buffer
				messages := &meanwhile{do: func() { locktest.Remove(t, filepath.Join(path, c.goes)) }}
				code := Run(t.Context(), append(c.args, quiet, path), Streams{Out: &out, Err: messages})
				noted := strings.Contains(messages.String(), "kafsck: note: "+filepath.Join(path, c.goes)+": the broker")
				want := exitFailed
				if live {
					want = exitDamage
				}
				if code != want || noted != (live && quiet != "--quiet") {
					t.Errorf("%q, broker %v, %s: exit %d\n%s", c.args, live, quiet, code, messages.String())
				}
			}
		}
	}
}
