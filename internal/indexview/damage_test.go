package indexview

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
	"github.com/kafsck/kafsck/sanity"
)

// verdicts are the judgements of all entries of an index.
func verdicts(t testing.TB, data []byte, log *Log, kind indexfile.Kind) (list []Judgement, findings []sanity.Finding, s Summary) {
	t.Helper()
	f := Findings{File: "index", Kind: kind}
	r, size := bytes.NewReader(data), int64(len(data))
	base := int64(0)
	if log != nil {
		base = log.BaseOffset
	}
	var err error
	switch kind {
	case indexfile.Offset:
		x := indexfile.NewOffsetReader(r, size, base)
		layout, _ := x.Layout()
		s, err = Offsets(x, &layout, log, func(views []Offset) error {
			f.Offsets(views)
			for i := range views {
				list = append(list, views[i].Judgement)
			}
			return nil
		})
	case indexfile.Time:
		x := indexfile.NewTimeReader(r, size, base)
		layout, _ := x.Layout()
		s, err = Times(x, &layout, log, func(views []Time) error {
			f.Times(views)
			for i := range views {
				list = append(list, views[i].Judgement)
			}
			return nil
		})
	default:
		x := indexfile.NewTxnReader(r, size, base)
		layout, _ := x.Layout()
		s, err = Txns(x, &layout, log, func(views []Txn) error {
			f.Txns(views)
			for i := range views {
				list = append(list, views[i].Judgement)
			}
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return list, f.List(), s
}

// However many entries are false, there are findings for a person to read, and
// all of the entries are counted in them.
func TestFindingsAreFew(t *testing.T) {
	segment := batchtest.NewSegment(0)
	for i := range int64(100) {
		segment.Add(batchtest.NewBatch(i, 1000, batchtest.KV("k", "v")))
	}
	random := rand.New(rand.NewPCG(5, 6))
	for _, kind := range []indexfile.Kind{indexfile.Offset, indexfile.Time, indexfile.Txn} {
		data := make([]byte, 20000*kind.EntrySize())
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		list, findings, s := verdicts(t, data, logOf(segment), kind)
		codes, counted := map[sanity.Code]int{}, 0
		for _, f := range findings {
			codes[f.Code]++
			count, lastSlot := f.Detail["count"].(int), f.Detail["lastSlot"].(int)
			counted += count
			if list[f.Slot].Code != f.Code || list[lastSlot].Code != f.Code || f.EndPosition != int64((lastSlot+1)*kind.EntrySize()) {
				t.Errorf("%v: slots %d to %d end at position %d and aren't both %s", kind, f.Slot, lastSlot, f.EndPosition, f.Code)
			}
			if folded := count <= lastSlot-int(f.Slot); folded != strings.Contains(f.Message, fmt.Sprintf("; the first of %d up to slot %d", count, lastSlot)) {
				t.Errorf("%v: %d faults in slots %d to %d: %s", kind, count, f.Slot, lastSlot, f.Message)
			}
		}
		for code, n := range codes {
			if n > sanity.MostOfCode {
				t.Errorf("%v: %d findings of %s", kind, n, code)
			}
		}
		if counted != s.Wrong || s.Wrong < 10000 {
			t.Errorf("%v: %d faults in the findings, %d false entries", kind, counted, s.Wrong)
		}
	}
}

func logOf(s *batchtest.Segment) *Log {
	return &Log{File: "log", R: bytes.NewReader(s.Data), Size: int64(len(s.Data)), BaseOffset: s.Layout.BaseOffset}
}

// aborted is a segment with six aborted transactions.
func aborted() (*batchtest.Segment, []byte) {
	s := batchtest.NewSegment(50)
	var p batchtest.Producers
	for i := range int64(6) {
		at := 50 + 3*i
		s.Add(batchtest.NewBatch(at, 1000, batchtest.Record{}, batchtest.Record{OffsetDelta: 1}).WithProducer(7, 0, int32(2*i)).WithAttributes(batchtest.AttrTransactional),
			batchtest.Marker(at+2, 1000, 7, 0, false, 1))
	}
	for b := range s.Layout.All() {
		p.Append(b)
	}
	return s, batchtest.AppendTxnIndex(nil, p.Aborted...)
}

// Every damage that makes an entry wrong is seen at its slot, with a code that
// fits; what is legal is never called wrong.
func TestDamagedEntriesAreFalse(t *testing.T) {
	plain := batchtest.Generate(3, batchtest.Plain())
	index, times := plain.Layout.RebuiltIndexes(0)
	txns, txnIndex := aborted()
	for _, c := range []struct {
		kind    indexfile.Kind
		segment *batchtest.Segment
		data    []byte
		damages []batchtest.Damage
	}{
		{indexfile.Offset, plain, batchtest.AppendIndex(nil, 0, index...), batchtest.IndexDamages()},
		{indexfile.Time, plain, batchtest.AppendTimeIndex(nil, 0, times...), batchtest.TimeIndexDamages()},
		{indexfile.Txn, txns, txnIndex, batchtest.TxnIndexDamages()},
	} {
		list, findings, s := verdicts(t, c.data, logOf(c.segment), c.kind)
		if s.Right != len(list) || len(list) < 5 || len(findings) > 0 {
			t.Fatalf("%v: the sound index: %+v, %v", c.kind, s, findings)
		}
		for _, d := range c.damages {
			out, what := d.Apply(c.data, &c.segment.Layout)
			list, findings, s := verdicts(t, out, logOf(c.segment), c.kind)
			// What is no entry, and what only producers or a rebuild know, is
			// not for a judge of entries.
			if what.Slot < 0 || what.Slot >= len(list) || d.Name == "first offset changed" {
				if s.Wrong > 0 {
					t.Errorf("%v, %s: %v", c.kind, d.Name, findings)
				}
				continue
			}
			serious := slices.ContainsFunc(what.Codes, func(code string) bool {
				return sanity.Code(code).Severity() == sanity.Error && code != string(sizeCode(c.kind))
			})
			if serious != (s.Wrong > 0) {
				t.Errorf("%v, %s: %d wrong, codes %v", c.kind, d.Name, s.Wrong, what.Codes)
			}
			for _, f := range findings {
				if !slices.Contains(what.Codes, string(f.Code)) && f.Code != sanity.IndexNotIncreasing && f.Code != sanity.TimeIndexNotIncreasing {
					t.Errorf("%v, %s: slot %d: %s: %s, expected %v", c.kind, d.Name, f.Slot, f.Code, f.Message, what.Codes)
				}
			}
		}
	}
}

func sizeCode(kind indexfile.Kind) sanity.Code {
	return map[indexfile.Kind]sanity.Code{indexfile.Offset: sanity.IndexSize, indexfile.Time: sanity.TimeIndexSize, indexfile.Txn: sanity.TxnIndexSize}[kind]
}

// Behind a truncation old entries stay in a file that is never trimmed. They
// are stale; but not where an entry was due since: then they are damage.
func TestStaleTails(t *testing.T) {
	s := batchtest.Generate(5, batchtest.Plain())
	entries, times := s.Layout.RebuiltIndexes(500)
	end := int64(len(s.Data))
	stale := batchtest.IndexEntry{Offset: s.Layout.NextOffset() + 3, Position: end + 40}
	staleTime := batchtest.TimeEntry{Timestamp: times[0].Timestamp, Offset: times[0].Offset}
	for _, test := range []struct {
		name string
		data []byte
		kind indexfile.Kind
		want Verdict
	}{
		{"offsets", batchtest.Preallocate(batchtest.AppendIndex(nil, 0, append(slices.Clone(entries), stale)...), 8, 4096), indexfile.Offset, Stale},
		{"offsets of a trimmed file", batchtest.AppendIndex(nil, 0, append(slices.Clone(entries), stale)...), indexfile.Offset, False},
		{"times", batchtest.Preallocate(batchtest.AppendTimeIndex(nil, 0, append(slices.Clone(times), staleTime)...), 12, 4096), indexfile.Time, Stale},
		{"times of a trimmed file", batchtest.AppendTimeIndex(nil, 0, append(slices.Clone(times), staleTime)...), indexfile.Time, False},
	} {
		list, _, _ := verdicts(t, test.data, logOf(s), test.kind)
		if got := list[len(list)-1].Verdict; got != test.want || list[len(list)-2].Verdict != True {
			t.Errorf("%s: verdict %d, want %d", test.name, got, test.want)
		}
	}

	// A log of 16 KiB batches: an entry is due long before its end.
	large := batchtest.NewSegment(0)
	for i := range int64(20) {
		large.Add(batchtest.NewBatch(i, 1000+i, batchtest.Record{Value: make([]byte, 16<<10)}))
	}
	written := batchtest.Preallocate(batchtest.AppendIndex(nil, 0, batchtest.IndexEntry{Offset: 99, Position: 999_999}), 8, 4096)
	if list, _, _ := verdicts(t, written, logOf(large), indexfile.Offset); list[0].Verdict != False {
		t.Errorf("an index that was written over: %+v", list)
	}
}

// Without a log nothing is true, and only what can't be right anywhere is
// false.
func TestWithoutLog(t *testing.T) {
	s := batchtest.Generate(3, batchtest.Plain())
	entries, times := s.Layout.RebuiltIndexes(0)
	for kind, data := range map[indexfile.Kind][]byte{
		indexfile.Offset: batchtest.AppendIndex(nil, 0, entries...), indexfile.Time: batchtest.AppendTimeIndex(nil, 0, times...),
	} {
		size := kind.EntrySize()
		if _, _, sum := verdicts(t, data, nil, kind); sum.Unchecked != sum.Entries {
			t.Errorf("%v: %+v", kind, sum)
		}
		swapped := slices.Concat(data[size:2*size], data[:size], data[2*size:])
		if _, findings, sum := verdicts(t, swapped, nil, kind); sum.Wrong != 1 || len(findings) != 1 || findings[0].Slot != 1 {
			t.Errorf("%v: swapped: %+v, %v", kind, sum, findings)
		}
	}
}

// Entries that lead into a damaged part of the log can't be judged; those
// behind it are.
func TestDamagedLogLeavesEntriesUnjudged(t *testing.T) {
	s := batchtest.Generate(3, batchtest.Plain())
	entries, _ := s.Layout.RebuiltIndexes(0)
	data := slices.Clone(s.Data)
	hit := s.Layout.Batches[10]
	copy(data[hit.Position+8:], []byte{0xff, 0xff, 0xff, 0xff}) // its length
	log := &Log{R: bytes.NewReader(data), Size: int64(len(data))}
	list, findings, sum := verdicts(t, batchtest.AppendIndex(nil, 0, entries...), log, indexfile.Offset)
	if len(sum.LogDamage) != 1 || sum.Unchecked != 1 || sum.Wrong != 0 || len(findings) != 0 {
		t.Errorf("%+v, %v", sum, findings)
	}
	for i, e := range entries {
		if want := e.Position != hit.Position; (list[i].Verdict == True) != want {
			t.Errorf("slot %d at %d: %+v", i, e.Position, list[i])
		}
	}
}

// Many wrong entries in a row are one finding.
func TestRunsAreOneFinding(t *testing.T) {
	s := batchtest.Generate(3, batchtest.Plain())
	entries, _ := s.Layout.RebuiltIndexes(0)
	for i := 3; i < 9; i++ {
		entries[i].Position += 3
	}
	_, findings, _ := verdicts(t, batchtest.AppendIndex(nil, 0, entries...), logOf(s), indexfile.Offset)
	if len(findings) != 1 || findings[0].Slot != 3 || findings[0].EndPosition != 72 || findings[0].Detail["count"] != 6 || findings[0].Detail["lastSlot"] != 8 {
		t.Errorf("%+v", findings)
	}
}

// Any bytes can be judged, and every entry is counted once.
func FuzzJudge(f *testing.F) {
	profile := batchtest.Plain()
	profile.Batches, profile.MaxRecords = 6, 2
	s := batchtest.Generate(3, profile)
	entries, times := s.Layout.RebuiltIndexes(0)
	f.Add(s.Data, batchtest.AppendIndex(nil, 0, entries...))
	f.Add(s.Data, batchtest.AppendTimeIndex(nil, 0, times...))
	txns, txnIndex := aborted()
	f.Add(txns.Data, txnIndex)
	f.Fuzz(func(t *testing.T, log, index []byte) {
		for _, kind := range []indexfile.Kind{indexfile.Offset, indexfile.Time, indexfile.Txn} {
			for _, l := range []*Log{nil, {R: bytes.NewReader(log), Size: int64(len(log))}} {
				list, findings, sum := verdicts(t, index, l, kind)
				if sum.Entries != len(list) || sum.Right+sum.Wrong+sum.Stale+sum.Unchecked != len(list) || sum.Wrong < len(findings) {
					t.Fatalf("%v: %d entries: %+v, %d findings", kind, len(list), sum, len(findings))
				}
				if l == nil && sum.Right+sum.Stale > 0 {
					t.Fatalf("%v: judged without a log: %+v", kind, sum)
				}
			}
		}
	})
}

func BenchmarkOffsets(b *testing.B) {
	log := batchtest.Uniform(256<<20, 16<<10, batchtest.Codec(0))
	entries, _ := log.RebuiltIndexes(4096)
	data := batchtest.AppendIndex(nil, 0, entries...)
	b.SetBytes(log.Size())
	b.ReportAllocs()
	for b.Loop() {
		if _, _, s := verdicts(b, data, &Log{R: log, Size: log.Size()}, indexfile.Offset); s.Right != len(entries) {
			b.Fatalf("%+v", s)
		}
	}
}
