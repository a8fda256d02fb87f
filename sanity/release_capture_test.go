package sanity

import (
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
)

// readers are releases on both sides of every border between two of them.
var readers = []string{"0.8.0", "0.8.1", "0.8.2", "0.9.0.1", "0.10.0", "0.10.1.1", "0.10.2.2", "0.11", "1.0", "1.1.1", "2.0", "2.1.1", "2.2.2",
	"2.3", "2.4.1", "2.7", "2.8", "3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6.0", "3.6.1", "3.7", "3.8", "3.9.1", "4.0", "4.3", "4.4"}

// TestCapturesAreCleanToTheirReaders: what a release wrote is nothing to
// complain of for that release, nor for a later one. There is no exception:
// since 0.8.0 no release has refused what an earlier one had written there.
func TestCapturesAreCleanToTheirReaders(t *testing.T) {
	checks := 0
	for p := range fixture.Partitions(t) {
		own := "4.4"
		if p.Version != "" {
			own = p.Version
		}
		wrote := mustParse(t, own)
		dir := p.Dir(t)
		for i, reader := range readers {
			v := mustParse(t, reader)
			if v.Before(wrote[:]...) {
				continue
			}
			if last := i == len(readers)-1; testing.Short() && reader != own && !last {
				continue
			}
			r := check(t, Options{KafkaVersion: v, Depth: Checksums, Workers: 2}, dir)
			if loud := r.loud(); len(loud) > 0 {
				t.Errorf("%s, read by %s: %s, first %s", p, reader, codes(loud), loud[0].AppendJSON(nil))
			}
			checks++
		}
	}
	if checks < 250 {
		t.Errorf("only %d checks", checks)
	}
}

// TestStatesAreCleanToTheirReader: whole log directories, which 4.3.1 and 4.4.0
// left. The one that was damaged stays as damaged as it is.
func TestStatesAreCleanToTheirReader(t *testing.T) {
	for _, name := range fixture.States(t) {
		for _, dir := range fixture.LogDirs(t, fixture.State(t, name)) {
			r := check(t, Options{KafkaVersion: mustParse(t, "4.4"), Depth: Checksums, Workers: 2}, dir)
			if strings.Contains(dir, "torn/torn") || strings.HasSuffix(dir, "/torn") || strings.Contains(dir, "stray-before") {
				continue
			}
			if loud := r.loud(); len(loud) > 0 {
				t.Errorf("%s: %s, first %s", dir, codes(loud), loud[0].AppendJSON(nil))
			}
		}
	}
}

// TestEarlierReaders: what an earlier release makes of files that a later one
// wrote. It says more the earlier it is, and it never says less about batches.
func TestEarlierReaders(t *testing.T) {
	for _, c := range []struct{ capture, partition, reader, want string }{
		{"legacy/3.9.1", "zstd-0", "2.1", ""},
		{"legacy/3.9.1", "zstd-0", "2.0.1", "batch-bad-codec"},
		{"legacy/3.9.1", "zstd-0", "0.10.2.2", "batch-bad-magic"},
		{"legacy/3.9.1", "none-0", "0.11", ""},
		{"legacy/2.2.2", "mixmagic-0", "0.11", ""},
		{"legacy/2.2.2", "mixmagic-0", "0.10.2.2", "batch-bad-magic"},
		{"legacy/2.2.2", "mixmagic-0", "0.9.0.1", "batch-bad-magic"},
		{"legacy/0.10.2.2", "lz4-0", "0.10.0", ""},
		{"legacy/0.10.2.2", "lz4-0", "0.9", "batch-bad-magic"},
		{"legacy/0.9.0.1", "lz4-0", "0.8.2", ""},
		{"legacy/0.9.0.1", "lz4-0", "0.8.1", "batch-bad-codec"},
	} {
		seen := false
		for p := range fixture.Partitions(t, c.capture) {
			if p.Name != c.partition || p.Kind != fixture.Closed {
				continue
			}
			seen = true
			r := check(t, Options{KafkaVersion: mustParse(t, c.reader), Workers: 2}, p.Dir(t))
			got := map[Code]bool{}
			for _, f := range r.loud() {
				got[f.Code] = true
			}
			if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !got[Code(c.want)]) {
				t.Errorf("%s/%s, read by %s: %s, want %q", c.capture, c.partition, c.reader, codes(r.loud()), c.want)
			}
		}
		if !seen {
			t.Errorf("%s has no %s", c.capture, c.partition)
		}
	}
}
