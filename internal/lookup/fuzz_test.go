package lookup

import (
	"context"
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// Whatever the files hold: a lookup ends, lands inside of the log, and where
// nothing was found wrong with log or index, the index changes nothing.
func FuzzLookup(f *testing.F) {
	for seed := range uint64(3) {
		profile := batchtest.Wild()
		profile.Batches, profile.Huge, profile.BaseOffset = 10, 0, 0
		s := batchtest.Generate(seed, profile)
		index, times := s.Layout.RebuiltIndexes(0)
		f.Add(s.Data, batchtest.AppendIndex(nil, 0, index...), batchtest.AppendTimeIndex(nil, 0, times...), s.Layout.NextOffset()/2, false)
		f.Add(s.Data, batchtest.AppendIndex(nil, 0, index...), batchtest.AppendTimeIndex(nil, 0, times...), int64(1_600_000_000_000), true)
	}
	f.Fuzz(func(t *testing.T, log, index, times []byte, target int64, byTime bool) {
		p := inMemory(0, log, index, times)
		at := Target{Offset: max(target, 0)}
		if byTime {
			at = Target{ByTime: true, Timestamp: max(target, 0)}
		}
		r, err := p.Lookup(context.Background(), at, Options{Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		if f := r.Found; f != nil && (f.BatchPosition < 0 || f.BatchPosition+f.BatchSize > int64(len(log))) {
			t.Fatalf("landed outside of %d bytes: %+v", len(log), *f)
		}
		for i := range r.Walks {
			if w := &r.Walks[i]; w.Bytes() < 0 || w.EndPosition > w.LogSize {
				t.Fatalf("%+v", *w)
			}
		}
		plain, err := p.Lookup(context.Background(), at, Options{NoIndex: true})
		if err != nil {
			t.Fatal(err)
		}
		if !same(r.Found, plain.Found) {
			t.Fatalf("verified %+v, scanned %+v", r.Found, plain.Found)
		}
	})
}
