package recovery_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/producerstate"
	"github.com/kafsck/kafsck/internal/recovery"
)

// onlyAppended are the topics that were produced to batch by batch, each an
// append of its own, and never compacted or converted.
var onlyAppended = regexp.MustCompile(`^(none|gzip|snappy|lz4|zstd|mixed|idem|txn|txn-open|lat-none|lat-gzip)-0$`)

// What a leader wrote while it appended is what the append rule builds: the
// entries of both indexes, of every release with v2 batches.
func TestAppendRuleBuildsWhatLeadersWrote(t *testing.T) {
	compared := 0
	for p := range fixture.Partitions(t, "legacy") {
		o := recovery.Options{Version: version(t, p.Version), Rule: recovery.Append, Interval: 256, MaxIndexSize: 4096}
		if p.Kind != fixture.Closed || o.Version.Before(1) || !onlyAppended.MatchString(p.Name) {
			continue
		}
		t.Run(p.String(), func(t *testing.T) {
			dir := p.Dir(t)
			recoverPartition(t, dir, o, func(base string, r *recovery.Result, _ *producerstate.State) {
				for suffix, got := range map[string][]byte{".index": r.Offset.Bytes(), ".timeindex": r.Time.Bytes(), ".txnindex": r.Txn.Bytes()} {
					want, err := os.ReadFile(filepath.Join(dir, base+suffix))
					if os.IsNotExist(err) && suffix == ".txnindex" {
						err = nil
					}
					if err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(got, want) {
						t.Errorf("%s%s: got %x, want %x", base, suffix, got, want)
					}
					compared++
				}
			})
		})
	}
	if compared < 200 {
		t.Errorf("only %d files were compared", compared)
	}
}
