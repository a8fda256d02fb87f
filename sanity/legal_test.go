package sanity

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// TestLegal: what looks odd and is legal. None of it may be accused; what is
// worth knowing is an info.
func TestLegal(t *testing.T) {
	index := func(entries ...batchtest.IndexEntry) []byte { return batchtest.AppendIndex(nil, 0, entries...) }
	times := func(entries ...batchtest.TimeEntry) []byte { return batchtest.AppendTimeIndex(nil, 0, entries...) }
	zeros := func(n int) []byte { return make([]byte, n) }
	three := batchtest.NewBatch(0, at, batchtest.KV("a", ""), batchtest.KV("b", ""), batchtest.KV("c", ""))
	size := int64(len(three.Append(nil)))
	gap := batchtest.NewBatch(5, at, batchtest.KV("a", ""), batchtest.Record{OffsetDelta: 2, Key: []byte("b")}, batchtest.Record{OffsetDelta: 5, Key: []byte("c")})
	gap.LastOffsetDelta = 7
	emptied := batchtest.EmptyBatch(3, 3, at).WithAttributes(batchtest.AttrControl)
	for _, c := range []struct {
		name string
		tree tree
		want string // the codes found
	}{
		{"a rolled time index keeps its padding", small(func(t tree) { t[seg0+".timeindex"] = append(t[seg0+".timeindex"], zeros(1200)...) }), "timeindex-preallocated×1 transaction-open×1"},
		{"a time index that was never written", small(func(t tree) { t[seg8+".timeindex"] = zeros(10485756) }), "transaction-open×1 timeindex-preallocated×1"},
		{"an offset index with a preallocated tail", small(func(t tree) { t[seg8+".index"] = append(t[seg8+".index"], zeros(10485760-8)...) }), "index-preallocated×1 transaction-open×1"},
		{"one zero entry", built(of(three, kv(3)), func(t tree) { t[seg0+".index"] = zeros(8) }), "index-preallocated×1"},
		{"an entry for the last offset of its batch", built(of(kv(0), three, kv(3)), func(t tree) {
			t[seg0+".log"] = batchtest.NewSegment(0, three, batchtest.NewBatch(3, at+5, batchtest.KV("", ""), batchtest.KV("", "")), kv(5)).Data
			t[seg0+".index"] = index(batchtest.IndexEntry{Offset: 4, Position: size})
			t[seg0+".timeindex"] = times(batchtest.TimeEntry{Timestamp: at + 5, Offset: 4})
			delete(t, dir0+"00000000000000000004.snapshot")
		}), ""},
		{"an entry for the first offset of its batch", built(of(three, batchtest.NewBatch(3, at+5, batchtest.KV("", ""), batchtest.KV("", ""))), func(t tree) {
			t[seg0+".index"] = index(batchtest.IndexEntry{Offset: 3, Position: size})
		}), ""},
		{"an entry for an append of three batches", built(of(three, kv(3), kv(4), kv(5), kv(6)), func(t tree) {
			t[seg0+".index"] = index(batchtest.IndexEntry{Offset: 5, Position: size})
		}), ""},
		{"a time entry for the record", built(of(three), func(t tree) { t[seg0+".timeindex"] = times(batchtest.TimeEntry{Timestamp: at, Offset: 1}) }), ""},
		{"a control batch without records", built(of(three, emptied, kv(7)), nil), ""},
		{"a compacted batch", built(of(kv(0), gap, kv(13)), nil), ""},
		{"an empty active segment without indexes", built(of(three), func(t tree) { t[dir0+"00000000000000000003.log"] = nil }), ""},
		{"an interrupted compaction", built(of(three), func(t tree) {
			t[seg0+".log.swap"] = t[seg0+".log"]
			t[dir0+"00000000000000000003.index"] = nil
		}), "file-leftover×1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := exhibit{tree: c.tree}
			r := check(t, Options{}, x.write(t)+"/small-0")
			if loud := r.loud(); len(loud) > 0 {
				t.Errorf("accused:\n%s", r)
			}
			if got := codes(r.findings); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// TestLive: while a broker holds the log directory, a torn or zero tail of the
// newest segment may be in mid-write. That of an older one is not.
func TestLive(t *testing.T) {
	files := smallV2().Build()
	m := newMemory(t, "small-0", files)
	for _, c := range []struct {
		name string
		data []byte
		want Severity
	}{
		{"00000000000000000008.log", files["00000000000000000008.log"][:100], Info},
		{"00000000000000000008.log", append(bytes.Clone(files["00000000000000000008.log"]), make([]byte, 300)...), Info},
		{"00000000000000000000.log", append(bytes.Clone(files["00000000000000000000.log"]), make([]byte, 300)...), Error},
	} {
		findings, _ := m.checkIn(environment{live: true}, Options{}, map[string][]byte{c.name: c.data})
		i := slices.IndexFunc(findings, func(f *Finding) bool { return f.Code == LogTornTail || f.Code == LogZeroTail })
		if i < 0 || findings[i].Severity != c.want {
			t.Errorf("%s: %v", c.name, findings)
		}
	}
}

// TestNoise: bytes of no meaning in every file cost bounded time and make a
// bounded number of findings.
func TestNoise(t *testing.T) {
	files := smallV2().Build()
	m := newMemory(t, "small-0", files)
	changed := map[string][]byte{}
	for name := range files {
		changed[name] = batchtest.Noise(uint64(len(name)), 400_000)
	}
	findings, summary := m.check(Options{}, changed)
	if len(findings) < len(files) || len(findings) > 8*MostOfCode || summary.Batches != 0 {
		t.Errorf("%d findings, %+v", len(findings), summary)
	}
}

// TestInterrupt: the end of the context ends a check, with what was found.
func TestInterrupt(t *testing.T) {
	x := exhibit{tree: small(nil)}
	root := x.write(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	targets := resolve(t, root+"/small-0")
	if _, err := Check(ctx, targets, Options{}, func(*Finding) error { return nil }); err == nil {
		t.Error("a check ended well that was interrupted before it began")
	}
}
