package sanity

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
)

// TestCapturesAreClean: whatever a real broker wrote, of any version, live or
// closed, there is nothing above info to be said of it, at any depth.
func TestCapturesAreClean(t *testing.T) {
	n, batches := 0, int64(0)
	for p := range fixture.Partitions(t) {
		dir := p.Dir(t)
		for _, depth := range []Depth{Records, Checksums, Headers} {
			r := check(t, Options{Depth: depth, Workers: 2}, dir)
			if loud := r.loud(); len(loud) > 0 {
				t.Errorf("%s: %s, first %s", p, codes(loud), loud[0].AppendJSON(nil))
			}
			batches += r.summary.Batches
		}
		n++
	}
	if n < 190 || batches < 10000 {
		t.Errorf("%d partitions, %d batches", n, batches)
	}
}

// torn is what is wrong in the one state that was damaged by hand, by
// partition (damage.txt beside it).
var torn = map[string]string{
	"gz-0":   "index-missing×1",
	"idem-0": "log-torn-tail×1",
	"idem-1": "batch-crc-mismatch×1",
	"lz-0":   "log-zero-tail×1",
	"sn-0":   "batch-crc-mismatch×1",
	"txn-0":  "log-torn-tail×1",
	"zs-0":   "batch-bad-size×1",
}

// TestStates: whole log directories in odd but healthy states, and one that
// isn't.
func TestStates(t *testing.T) {
	dirs := 0
	for _, name := range fixture.States(t) {
		for _, dir := range fixture.LogDirs(t, fixture.State(t, name)) {
			if strings.Contains(dir, "stray-before") {
				continue // made by hand
			}
			dirs++
			r := check(t, Options{Workers: 2}, dir)
			if r.summary.Unchecked > 0 {
				t.Errorf("%s: %d unchecked", dir, r.summary.Unchecked)
			}
			want := map[string]string{}
			if filepath.Base(filepath.Dir(dir)) == "torn" {
				want = torn
			}
			got := map[string][]*Finding{}
			for _, f := range r.loud() {
				partition := filepath.Base(filepath.Dir(f.File))
				got[partition] = append(got[partition], f)
			}
			for partition, findings := range got {
				if codes(findings) != want[partition] {
					t.Errorf("%s: %s: %s, want %q; first %s", dir, partition, codes(findings), want[partition], findings[0].AppendJSON(nil))
				}
			}
			for partition := range want {
				if len(got[partition]) == 0 {
					t.Errorf("%s: nothing found in %s", dir, partition)
				}
			}
		}
	}
	if dirs < 40 {
		t.Errorf("%d log directories", dirs)
	}
}
