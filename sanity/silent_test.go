package sanity

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// smallV2 is a partition of two small segments with all that a broker keeps:
// plain batches, two transactions, one of them aborted, and an open one.
func smallV2() *batchtest.Partition {
	const at = 1_700_000_000_000
	first := batchtest.NewSegment(0,
		batchtest.NewBatch(0, at, batchtest.KV("a", "1"), batchtest.KV("b", "2")),
		batchtest.NewBatch(2, at+10, batchtest.KV("c", "3"), batchtest.KV("d", "4"), batchtest.KV("e", "5")).WithProducer(7, 0, 0).WithAttributes(batchtest.AttrTransactional),
		batchtest.NewBatch(5, at+20, batchtest.KV("f", "6")).WithProducer(8, 1, 0).WithAttributes(batchtest.AttrTransactional),
		batchtest.Marker(6, at+30, 7, 0, false, 3),
		batchtest.Marker(7, at+40, 8, 1, true, 3),
	)
	second := batchtest.NewSegment(8,
		batchtest.NewBatch(8, at+50, batchtest.KV("g", "7"), batchtest.KV("h", "8")).WithProducer(7, 0, 3).WithAttributes(batchtest.AttrTransactional).WithEpoch(1),
		batchtest.NewBatch(10, at+60, batchtest.KV("i", "9")).WithEpoch(1),
	)
	return &batchtest.Partition{Topic: "small", TopicID: [16]byte{1, 2, 3}, Segments: []*batchtest.Segment{first, second}, IndexInterval: -1}
}

// smallV1 is one small segment of v1 messages, one of them a wrapper.
func smallV1() *batchtest.Partition {
	const at = 1_500_000_000_000
	s := batchtest.NewSegment(0,
		batchtest.V1(0, at, []byte("a"), []byte("1")),
		batchtest.NewWrapper(1, batchtest.Gzip, batchtest.Compression{Stored: true},
			batchtest.V1(1, at+10, []byte("b"), []byte("2")), batchtest.V1(2, at+20, []byte("c"), []byte("3"))),
		batchtest.V1(3, at+30, nil, []byte("4")),
		batchtest.V1(4, at+40, []byte("d"), nil),
	)
	return &batchtest.Partition{Topic: "old", Segments: []*batchtest.Segment{s}, IndexInterval: -1}
}

// silent says why a change of one byte may go unnoticed: file, position in the
// file, the entry's or batch's old and new content. docs/silent.md has the
// account in words.
type silent struct {
	file   string // suffix
	reason string
	is     func(p *batchtest.Partition, s *batchtest.Segment, position int, old, changed []byte) bool
}

var allSilent = []silent{
	{".index", "an entry may name the first offset of its batch (up to 1.1) or the last (since 2.0)",
		func(_ *batchtest.Partition, s *batchtest.Segment, position int, _, changed []byte) bool {
			slot := position / 8
			offset := s.Layout.BaseOffset + be32(changed[slot*8:])
			b := &s.Layout.Batches[slot+1]
			return position%8 < 4 && (offset == b.BaseOffset || offset == b.LastOffset)
		}},
	{".timeindex", "an entry may name any offset of the batch with the timestamp",
		func(_ *batchtest.Partition, s *batchtest.Segment, position int, old, changed []byte) bool {
			slot := position / 12
			was, is := s.Layout.BaseOffset+be32(old[slot*12+8:]), s.Layout.BaseOffset+be32(changed[slot*12+8:])
			for i := range s.Layout.Batches {
				b := &s.Layout.Batches[i]
				if b.BaseOffset <= was && was <= b.LastOffset {
					return position%12 >= 8 && b.BaseOffset <= is && is <= b.LastOffset
				}
			}
			return false
		}},
}

func be32(b []byte) int64 {
	return int64(int32(uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])))
}

// TestEveryFlipIsFoundOrExplained changes every bit, and every byte in several
// ways, of all binary files of two small partitions. Each change makes a
// finding that was not there before, or has an explanation.
func TestEveryFlipIsFoundOrExplained(t *testing.T) {
	used := map[string]int{}
	for _, p := range []*batchtest.Partition{smallV2(), smallV1()} {
		files := p.Build()
		m := newMemory(t, p.Dir(), files)
		before, _ := m.check(Options{}, nil)
		for _, f := range before {
			if f.Severity > Info {
				t.Fatalf("not clean: %s", f.AppendJSON(nil))
			}
		}
		known := fingerprint(before)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if strings.HasSuffix(name, "metadata") || strings.HasSuffix(name, "checkpoint") {
				continue // text
			}
			var segment *batchtest.Segment
			for _, s := range p.Segments {
				if strings.HasPrefix(name, batchtest.FileName(s.Layout.BaseOffset, ".")) {
					segment = s
				}
			}
			flips, unseen := 0, 0
			for position := range files[name] {
				for _, changed := range variants(files[name], position) {
					flips++
					after, _ := m.check(Options{}, map[string][]byte{name: changed})
					if fingerprint(after) != known {
						continue
					}
					unseen++
					reason := whySilent(p, segment, name, position, files[name], changed)
					if reason == "" {
						t.Errorf("%s: byte %d from %#02x to %#02x goes unnoticed", name, position, files[name][position], changed[position])
					}
					used[reason]++
				}
			}
			t.Logf("%s %s: %d changes, %d unseen", p.Topic, name, flips, unseen)
		}
	}
	for _, r := range allSilent {
		if used[r.reason] == 0 {
			t.Errorf("no change is unseen because %s", r.reason)
		}
	}
}

func whySilent(p *batchtest.Partition, s *batchtest.Segment, name string, position int, old, changed []byte) string {
	for _, r := range allSilent {
		if strings.HasSuffix(name, r.file) && r.is(p, s, position, old, changed) {
			return r.reason
		}
	}
	return ""
}

// variants are copies of data with one byte changed: each bit, and a few whole
// bytes.
func variants(data []byte, position int) [][]byte {
	var all [][]byte
	add := func(b byte) {
		if b == data[position] {
			return
		}
		c := bytes.Clone(data)
		c[position] = b
		all = append(all, c)
	}
	for bit := range 8 {
		add(data[position] ^ 1<<bit)
	}
	for _, b := range []byte{0x00, 0xff, data[position] + 1, data[position] - 1, ^data[position]} {
		add(b)
	}
	return all
}

func fingerprint(findings []*Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s %s %s %d %d\n", f.Code, f.Severity, f.File, f.Position, f.Slot)
	}
	return b.String()
}
