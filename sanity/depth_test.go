package sanity

import (
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// TestDepths: what each depth finds, and what it counts as records.
func TestDepths(t *testing.T) {
	wrapper := batchtest.NewWrapper(1, batchtest.Gzip, batchtest.Compression{}, batchtest.V1(0, at, nil, []byte("a")), batchtest.V1(1, at, nil, []byte("b")))
	size := len(kv(0).Encode())
	for _, c := range []struct {
		name    string
		tree    tree
		want    [3]string // codes above info at records, checksums, headers
		records [3]int64
	}{
		{"a bit of a payload", func() tree { t := logOf(kv(0), kv(1), kv(2)); t[seg0+".log"][2*size-3] ^= 1; return t }(),
			[3]string{"batch-crc-mismatch×1", "batch-crc-mismatch×1", ""}, [3]int64{2, 2, 3}},
		{"a bit of the last payload", func() tree { t := logOf(kv(0), kv(1), kv(2)); t[seg0+".log"][3*size-3] ^= 1; return t }(),
			[3]string{"batch-crc-mismatch×1", "batch-crc-mismatch×1", "batch-crc-mismatch×1"}, [3]int64{2, 2, 2}},
		{"a length", func() tree { t := logOf(kv(0), kv(1), kv(2)); t[seg0+".log"][size+11]++; return t }(),
			[3]string{"batch-bad-size×1", "batch-bad-size×1", "batch-bad-size×1"}, [3]int64{2, 2, 2}},
		{"a batch left out of the order", logOf(kv(0), kv(5), kv(2)),
			[3]string{"offset-not-increasing×1", "offset-not-increasing×1", "offset-not-increasing×1"}, [3]int64{3, 3, 3}},
		{"a wrapper", logOf(wrapper), [3]string{}, [3]int64{2, 1, 1}},
	} {
		for i, depth := range []Depth{Records, Checksums, Headers} {
			x := exhibit{tree: c.tree}
			r := check(t, Options{Depth: depth}, x.paths(x.write(t))...)
			if got := codes(r.loud()); got != c.want[i] || r.summary.Records != c.records[i] {
				t.Errorf("%s, depth %d: %q and %d records, want %q and %d\n%s", c.name, i, got, r.summary.Records, c.want[i], c.records[i], r)
			}
		}
	}
}
