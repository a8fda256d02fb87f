package sanity

import (
	"bytes"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// long is a log of forty batches of 4,000 bytes.
func long() *batchtest.Partition {
	var entries []batchtest.Entry
	for i := range int64(40) {
		entries = append(entries, batchtest.NewBatch(i, at+i, batchtest.KV("k", string(bytes.Repeat([]byte{'x'}, 4000)))))
	}
	p := of(entries...)
	p.IndexInterval = 0
	return p
}

func indexExhibits() []exhibit {
	index := func(t tree, edit func([]byte) []byte) { t[seg0+".index"] = edit(bytes.Clone(t[seg0+".index"])) }
	live := func(name string, stale ...batchtest.TimeEntry) exhibit {
		p := smallV2()
		p.Preallocated = 240
		return exhibit{code: TimeIndexStaleTail, name: name, file: seg8 + ".timeindex", position: 12, slot: 1, severity: Info, quiet: true,
			tree: built(p, func(t tree) {
				data := t[seg8+".timeindex"]
				copy(data[12:], batchtest.AppendTimeIndex(nil, 8, stale...))
			})}
	}
	return []exhibit{
		{code: IndexMissing, name: "first segment", tree: small(func(t tree) { delete(t, seg0+".index") }), file: seg0 + ".index", position: -1, slot: -1, severity: Warning, quiet: true},
		{code: IndexMissing, name: "newest segment", tree: small(func(t tree) { delete(t, seg8+".index") }), file: seg8 + ".index", position: -1, slot: -1, severity: Warning, quiet: true},
		{code: IndexMissing, name: "v1", targets: []string{"old-0"}, tree: built(smallV1(), func(t tree) { delete(t, "old-0/00000000000000000000.index") }), file: "old-0/00000000000000000000.index", position: -1, slot: -1, severity: Warning, quiet: true},

		{code: IndexOffsetMismatch, name: "one too small", tree: small(func(t tree) { index(t, func(b []byte) []byte { b[3]--; b[3]--; b[3]--; return b }) }), file: seg0 + ".index", position: 0, slot: 0, severity: Error, quiet: true},
		{code: IndexOffsetMismatch, name: "in the middle of its batch", tree: small(func(t tree) { index(t, func(b []byte) []byte { b[3] = 3; return b }) }), file: seg0 + ".index", position: 0, slot: 0, severity: Error, quiet: true},
		{code: IndexOffsetMismatch, name: "that of the batch before", tree: small(func(t tree) { index(t, func(b []byte) []byte { b[11] = 4; return b }) }), file: seg0 + ".index", position: 8, slot: 1, severity: Error},

		{code: IndexSparse, name: "empty", tree: built(long(), func(t tree) { t[seg0+".index"] = nil }), file: seg0 + ".index", position: -1, slot: -1, severity: Info, quiet: true},
		{code: IndexSparse, name: "first entry alone", tree: built(long(), func(t tree) { index(t, func(b []byte) []byte { return b[:8] }) }), file: seg0 + ".index", position: -1, slot: -1, severity: Info, quiet: true},
		{code: IndexSparse, name: "last entry alone", tree: built(long(), func(t tree) { index(t, func(b []byte) []byte { return b[len(b)-8:] }) }), file: seg0 + ".index", position: -1, slot: -1, severity: Info, quiet: true},

		{code: TimeIndexMissing, name: "first segment", tree: small(func(t tree) { delete(t, seg0+".timeindex") }), file: seg0 + ".timeindex", position: -1, slot: -1, severity: Warning, quiet: true},
		{code: TimeIndexMissing, name: "newest segment", tree: small(func(t tree) { delete(t, seg8+".timeindex") }), file: seg8 + ".timeindex", position: -1, slot: -1, severity: Warning, quiet: true},
		{code: TimeIndexMissing, name: "all", tree: small(func(t tree) { delete(t, seg0+".timeindex"); delete(t, seg8+".timeindex") }), file: seg8 + ".timeindex", position: -1, slot: -1, severity: Warning},

		live("one", batchtest.TimeEntry{Timestamp: at + 900, Offset: 30}),
		live("two", batchtest.TimeEntry{Timestamp: at + 900, Offset: 30}, batchtest.TimeEntry{Timestamp: at + 990, Offset: 34}),
		live("times go back", batchtest.TimeEntry{Timestamp: at + 900, Offset: 30}, batchtest.TimeEntry{Timestamp: at + 800, Offset: 34}),
	}
}
