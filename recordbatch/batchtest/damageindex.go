package batchtest

import "math"

// The tables below are for indexes of at least eight entries, as a rebuild at
// interval 0 gives for [Plain]; damage hits slot 3 unless it says otherwise.
const hitSlot = 3

// indexKind is how entries of an index are read and written.
type indexKind[E any] struct {
	file   string
	size   int
	parse  func(b []byte, base int64) E
	append func(dst []byte, base int64, e ...E) []byte
}

var offsetKind = indexKind[IndexEntry]{
	".index", IndexEntrySize,
	func(b []byte, base int64) IndexEntry {
		return IndexEntry{base + int64(int32(be.Uint32(b))), int64(int32(be.Uint32(b[4:])))}
	},
	AppendIndex,
}

var timeKind = indexKind[TimeEntry]{
	".timeindex", TimeIndexEntrySize,
	func(b []byte, base int64) TimeEntry {
		return TimeEntry{int64(be.Uint64(b)), base + int64(int32(be.Uint32(b[8:])))}
	},
	AppendTimeIndex,
}

var txnKind = indexKind[AbortedTxn]{
	".txnindex", TxnIndexEntrySize,
	func(b []byte, _ int64) AbortedTxn {
		at := func(i int) int64 { return int64(be.Uint64(b[2+8*i:])) }
		return AbortedTxn{int16(be.Uint16(b)), at(0), at(1), at(2), at(3)}
	},
	func(dst []byte, _ int64, e ...AbortedTxn) []byte { return AppendTxnIndex(dst, e...) },
}

// entries makes a damage that changes entries; the function returns the slots
// hit, and the entries.
func (k indexKind[E]) entries(name string, change func(e []E, l *Layout) ([]E, int, int), codes ...string) Damage {
	return k.bytes(name, func(data []byte, l *Layout) ([]byte, int, int) {
		var entries []E
		for ; len(data) >= k.size; data = data[k.size:] {
			entries = append(entries, k.parse(data, l.BaseOffset))
		}
		entries, from, to := change(entries, l)
		return k.append([]byte{}, l.BaseOffset, entries...), from, to
	}, codes...)
}

// bytes makes a damage of an index as bytes; slots of -1 are none.
func (k indexKind[E]) bytes(name string, change func(data []byte, l *Layout) ([]byte, int, int), codes ...string) Damage {
	return Damage{Name: name, File: k.file, Apply: func(data []byte, l *Layout) ([]byte, Expect) {
		out, from, to := change(append([]byte{}, data...), l)
		what := Expect{At: -1, Slot: from, LastSlot: to, Batch: -1, FirstOffset: -1, LastOffset: -1, Codes: codes}
		what.End = int64(len(out))
		if from >= 0 {
			what.Position, what.End = int64(from*k.size), min(int64((to+1)*k.size), what.End)
			what.At = what.Position
		}
		for i := range l.Batches {
			what.Intact = append(what.Intact, Intact{i, l.Batches[i].Position}) // the log is as it was
		}
		return out, what
	}}
}

// one makes a damage of the entry in one slot; below 0 it counts from the end.
func (k indexKind[E]) one(name string, slot int, change func(e []E, i int), codes ...string) Damage {
	return k.entries(name, func(e []E, _ *Layout) ([]E, int, int) {
		i := slot
		if i < 0 {
			i += len(e)
		}
		change(e, i)
		return e, i, i
	}, codes...)
}

// shape is what happens to every kind of index alike.
func (k indexKind[E]) shape(size, order []string) []Damage {
	return []Damage{
		k.entries("entries swapped", func(e []E, _ *Layout) ([]E, int, int) {
			e[hitSlot], e[hitSlot+1] = e[hitSlot+1], e[hitSlot]
			return e, hitSlot, hitSlot + 1
		}, order...),
		k.bytes("three bytes too many", func(b []byte, _ *Layout) ([]byte, int, int) {
			return append(b, 1, 2, 3), len(b) / k.size, len(b) / k.size
		}, size...),
		k.bytes("last byte missing", func(b []byte, _ *Layout) ([]byte, int, int) {
			return b[:len(b)-1], len(b)/k.size - 1, len(b)/k.size - 1
		}, size...),
	}
}

// mapped is what happens to the two indexes that a broker maps into memory.
func (k indexKind[E]) mapped(hole, preallocated []string) []Damage {
	return []Damage{
		k.bytes("zero hole", func(b []byte, _ *Layout) ([]byte, int, int) {
			clear(b[hitSlot*k.size : (hitSlot+2)*k.size])
			return b, hitSlot, hitSlot + 1
		}, hole...),
		k.bytes("zeros in front", func(b []byte, _ *Layout) ([]byte, int, int) {
			clear(b[:2*k.size])
			return b, 0, 1
		}, hole...),
		k.bytes("preallocated tail", func(b []byte, _ *Layout) ([]byte, int, int) {
			out := Preallocate(b, k.size, 4096)
			return out, len(b) / k.size, len(out)/k.size - 1
		}, preallocated...),
		k.bytes("preallocated and never written", func([]byte, *Layout) ([]byte, int, int) {
			out := Preallocate(nil, k.size, 4096)
			return out, 0, len(out)/k.size - 1
		}, preallocated...),
	}
}

// IndexDamages is what happens to an .index.
func IndexDamages() []Damage {
	const notABatch, mismatch, order = "index-position-not-a-batch", "index-offset-mismatch", "index-not-increasing"
	pastEnd := []string{"index-position-out-of-range", "index-beyond-log"}
	one := offsetKind.one
	return concat(
		offsetKind.shape([]string{"index-size"}, []string{order}),
		offsetKind.mapped([]string{"index-zero-hole", order}, []string{"index-preallocated"}),
		[]Damage{
			one("position inside a batch", hitSlot, func(e []IndexEntry, i int) { e[i].Position += 7 }, notABatch),
			one("position past the end", -1, func(e []IndexEntry, i int) { e[i].Position = 0x7ffffff0 }, pastEnd...),
			one("position negative", hitSlot, func(e []IndexEntry, i int) { e[i].Position = -8 }, "index-position-out-of-range", order),
			one("position of the entry before", hitSlot, func(e []IndexEntry, i int) { e[i].Position = e[i-1].Position }, order, mismatch),
			one("entry twice", hitSlot, func(e []IndexEntry, i int) { e[i] = e[i-1] }, order),
			one("offset overflowed to below the base", hitSlot, func(e []IndexEntry, i int) { e[i].Offset = e[0].Offset - math.MaxInt32 },
				"index-offset-out-of-range", order),
			one("offset past the log", -1, func(e []IndexEntry, i int) { e[i].Offset += 1 << 20 }, "index-offset-out-of-range", "index-beyond-log", mismatch),
			offsetKind.entries("position of the batch before", func(e []IndexEntry, l *Layout) ([]IndexEntry, int, int) {
				e[hitSlot].Position = l.Batches[l.Covering(e[hitSlot].Position)-1].Position
				return e, hitSlot, hitSlot
			}, mismatch, order),
			offsetKind.entries("entries of a log that was longer", func(e []IndexEntry, l *Layout) ([]IndexEntry, int, int) {
				n := len(e)
				for i := range int64(3) {
					e = append(e, IndexEntry{l.NextOffset() + 10*i, l.Size + 200*i})
				}
				return e, n, n + 2
			}, "index-beyond-log", "index-position-out-of-range", "index-offset-out-of-range"),
			offsetKind.entries("index of another log", func(e []IndexEntry, l *Layout) ([]IndexEntry, int, int) {
				for i := range e {
					e[i] = IndexEntry{l.BaseOffset + int64(3*i+1), int64(71*i + 71)}
				}
				return e, 0, len(e) - 1
			}, notABatch, mismatch, "index-position-out-of-range", "index-offset-out-of-range", "index-beyond-log"),
			offsetKind.bytes("stale tail after a truncation", staleIndexTail, "index-stale-tail"),
			offsetKind.bytes("empty", func([]byte, *Layout) ([]byte, int, int) { return []byte{}, -1, -1 }),
		})
}

// staleIndexTail is what a follower that truncated and was killed leaves: a
// preallocated file with entries past the log's end, then zeros.
func staleIndexTail(b []byte, l *Layout) ([]byte, int, int) {
	n := len(b) / IndexEntrySize
	b = AppendIndex(b, l.BaseOffset, IndexEntry{l.NextOffset() + 5, l.Size + 90}, IndexEntry{l.NextOffset() + 15, l.Size + 290})
	return Preallocate(b, IndexEntrySize, 4096), n, n + 1
}

// TimeIndexDamages is what happens to a .timeindex.
func TimeIndexDamages() []Damage {
	const mismatch, order, rangeCode = "timeindex-mismatch", "timeindex-not-increasing", "timeindex-offset-out-of-range"
	one := timeKind.one
	return concat(
		timeKind.shape([]string{"timeindex-size"}, []string{order}),
		timeKind.mapped([]string{"timeindex-zero-hole", order}, []string{"timeindex-preallocated"}),
		[]Damage{
			one("timestamp goes back", hitSlot, func(e []TimeEntry, i int) { e[i].Timestamp -= 1e12 }, order, mismatch),
			one("timestamp a millisecond late", hitSlot, func(e []TimeEntry, i int) { e[i].Timestamp++ }, mismatch, order),
			one("entry twice", hitSlot, func(e []TimeEntry, i int) { e[i] = e[i-1] }, order),
			one("offset past the log", -1, func(e []TimeEntry, i int) { e[i].Offset += 1 << 30 }, rangeCode, mismatch),
			one("offset below the base", 0, func(e []TimeEntry, i int) { e[i].Offset -= math.MaxInt32 }, rangeCode, mismatch),
			one("offset of the batch before", hitSlot, func(e []TimeEntry, i int) { e[i].Offset = e[i-1].Offset }, mismatch),
			timeKind.entries("all a millisecond late", func(e []TimeEntry, _ *Layout) ([]TimeEntry, int, int) {
				for i := range e {
					e[i].Timestamp++
				}
				return e, 0, len(e) - 1
			}, mismatch),
			timeKind.entries("last entry missing", func(e []TimeEntry, _ *Layout) ([]TimeEntry, int, int) {
				return e[:len(e)-1], -1, -1
			}, "timeindex-last-entry-missing"),
		})
}

// TxnIndexDamages is what happens to a .txnindex of at least five entries.
func TxnIndexDamages() []Damage {
	const mismatch, missing = "txnindex-mismatch", "txnindex-entry-missing"
	one := txnKind.one
	return concat(
		txnKind.shape([]string{"txnindex-size"}, []string{"txnindex-not-increasing"}),
		[]Damage{
			txnKind.entries("entry missing", func(e []AbortedTxn, _ *Layout) ([]AbortedTxn, int, int) {
				return append(e[:hitSlot:hitSlot], e[hitSlot+1:]...), -1, -1
			}, missing),
			txnKind.entries("emptied", func([]AbortedTxn, *Layout) ([]AbortedTxn, int, int) { return nil, -1, -1 }, missing),
			one("another producer", hitSlot, func(e []AbortedTxn, i int) { e[i].ProducerID += 77 }, mismatch, missing),
			one("first offset changed", hitSlot, func(e []AbortedTxn, i int) { e[i].FirstOffset++ }, mismatch),
			one("last offset names no marker", hitSlot, func(e []AbortedTxn, i int) { e[i].LastOffset-- }, mismatch, missing, "txnindex-not-increasing"),
			one("stable offset past the marker", hitSlot, func(e []AbortedTxn, i int) { e[i].LastStableOffset = e[i].LastOffset + 9 }, mismatch),
			one("unknown version", hitSlot, func(e []AbortedTxn, i int) { e[i].Version = 0x0300 }, "txnindex-version"),
			one("entry twice", hitSlot, func(e []AbortedTxn, i int) { e[i] = e[i-1] }, "txnindex-not-increasing"),
		})
}
