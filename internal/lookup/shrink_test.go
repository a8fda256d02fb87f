package lookup

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// shrinking is a file that is cut while it is read: from the read number after
// on, it ends at end.
type shrinking struct {
	io.ReaderAt
	end   int64
	after int
	reads *int
}

func (s shrinking) ReadAt(b []byte, at int64) (int, error) {
	if *s.reads++; *s.reads <= s.after {
		return s.ReaderAt.ReadAt(b, at)
	}
	n := max(min(int64(len(b)), s.end-at), 0)
	m, err := s.ReaderAt.ReadAt(b[:n], at)
	if err == nil && m < len(b) {
		err = io.EOF
	}
	return m, err
}

// A log that is cut while a lookup reads it is no log in which nothing is
// found: the answer is an error that says so, unless it was found before.
func TestLogShrinks(t *testing.T) {
	profile := batchtest.Plain()
	profile.Batches = 300
	s := batchtest.Generate(1, profile)
	base, size := s.Layout.BaseOffset, int64(len(s.Data))
	offsets, times := s.Layout.RebuiltIndexes(4096)
	index, timeIndex := batchtest.AppendIndex(nil, base, offsets...), batchtest.AppendTimeIndex(nil, base, times...)
	told := 0
	for _, end := range []int64{0, 1, size / 3, s.Layout.Batches[150].Position, size - 1} {
		for after := range 6 {
			for i, b := range s.Layout.Batches {
				if i%37 != 0 {
					continue
				}
				for _, o := range []Options{{}, {NoIndex: true}, {Verify: true}} {
					for _, target := range []Target{{Offset: b.BaseOffset}, {ByTime: true, Timestamp: b.MaxTimestamp}} {
						p := inMemory(base, s.Data, index, timeIndex)
						want, err := p.Lookup(t.Context(), target, o)
						if err != nil || want.Found == nil {
							t.Fatal(want, err)
						}
						p = inMemory(base, s.Data, index, timeIndex)
						open, reads := p.Segments[0].Log.Open, 0
						p.Segments[0].Log.Open = func() (Source, error) {
							source, err := open()
							source.R = shrinking{source.R, end, after, &reads}
							return source, err
						}
						r, err := p.Lookup(t.Context(), target, o)
						if err != nil {
							if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(err.Error(), ".log: it became shorter") {
								t.Errorf("cut at %d after %d reads, %+v %+v: %v", end, after, target, o, err)
							}
							told++
							continue
						}
						if r.Found == nil || *r.Found != *want.Found {
							t.Errorf("cut at %d after %d reads, %+v %+v: found %+v without an error, findings %v", end, after, target, o, r.Found, r.Findings)
						}
					}
				}
			}
		}
	}
	if told < 100 {
		t.Errorf("only %d of the lookups met the cut", told)
	}
}
