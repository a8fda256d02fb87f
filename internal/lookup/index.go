package lookup

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// index is an open index, and how many of its slots are entries.
type index[E any] struct {
	kind    indexfile.Kind
	file    File
	source  Source
	reader  *indexfile.Reader[E]
	key     func(E) int64 // by which entries rise
	state   IndexState
	entries int
	zeros   int
	stale   int
}

type offsetIndex struct {
	index[indexfile.OffsetEntry]
	r *indexfile.OffsetReader
}

type timeIndex struct {
	index[indexfile.TimeEntry]
	r *indexfile.TimeReader
}

// offsets opens the .index of the open segment.
func (l *lookup) offsets() *offsetIndex {
	f := l.open
	if f.index != nil {
		return f.index
	}
	x := new(offsetIndex)
	x.kind, x.file, x.key = indexfile.Offset, f.segment.Index, func(e indexfile.OffsetEntry) int64 { return e.Offset }
	f.index = x
	if x.openFile(l) {
		x.r = indexfile.NewOffsetReader(x.source.R, x.source.Size, f.segment.BaseOffset)
		if x.count(l, &x.r.Reader) {
			l.cutStaleOffsets(x)
		}
	}
	return x
}

// times opens the .timeindex of the open segment.
func (l *lookup) times() *timeIndex {
	f := l.open
	if f.times != nil {
		return f.times
	}
	x := new(timeIndex)
	x.kind, x.file, x.key = indexfile.Time, f.segment.TimeIndex, func(e indexfile.TimeEntry) int64 { return e.Timestamp }
	f.times = x
	if x.openFile(l) {
		x.r = indexfile.NewTimeReader(x.source.R, x.source.Size, f.segment.BaseOffset)
		if x.count(l, &x.r.Reader) {
			l.cutStaleTimes(x)
		}
	}
	return x
}

var (
	missingCodes       = [...]sanity.Code{indexfile.Offset: sanity.IndexMissing, indexfile.Time: sanity.TimeIndexMissing}
	sizeCodes          = [...]sanity.Code{indexfile.Offset: sanity.IndexSize, indexfile.Time: sanity.TimeIndexSize}
	notIncreasingCodes = [...]sanity.Code{indexfile.Offset: sanity.IndexNotIncreasing, indexfile.Time: sanity.TimeIndexNotIncreasing}
	zeroHoleCodes      = [...]sanity.Code{indexfile.Offset: sanity.IndexZeroHole, indexfile.Time: sanity.TimeIndexZeroHole}
)

// openFile opens the file, or says in state why it can't be used.
func (x *index[E]) openFile(l *lookup) bool {
	switch {
	case l.options.NoIndex:
		x.state = IndexIgnored
		return false
	case x.file.Open == nil:
		x.state = IndexMissing
		// Logs without timestamps have no .timeindex: largest knows.
		if l.open.log.Size > 0 && x.kind != indexfile.Time {
			l.missing(x.kind)
		}
		return false
	}
	var err error
	if x.source, err = x.file.Open(); err != nil {
		x.unreadable(l, err)
		return false
	}
	return true
}

// missing reports an index that should be there.
func (l *lookup) missing(kind indexfile.Kind) {
	f := sanity.At(missingCodes[kind], l.open.segment.Log.Path)
	f.Message = fmt.Sprintf("no %s beside it: the log is scanned", kind.Suffix())
	l.report(f)
}

func (x *index[E]) unreadable(l *lookup, err error) {
	x.state = IndexUnreadable
	code := sanity.IOError
	if errors.Is(err, indexfile.ErrTooLarge) {
		code = sizeCodes[x.kind]
	}
	f := sanity.At(code, x.file.Path)
	f.Message = err.Error() + ": the log is scanned"
	l.report(f)
}

// count finds out how many slots are entries. Only a file that ends in zeros
// has to be read for that: then stale ones may be among them.
func (x *index[E]) count(l *lookup, reader *indexfile.Reader[E]) (maybeStale bool) {
	reader.File = x.file.Path
	x.reader, x.entries = reader, reader.Slots()
	if x.reader.Remainder() != 0 {
		f := sanity.At(sizeCodes[x.kind], x.file.Path)
		f.Position, f.EndPosition = x.source.Size-int64(x.reader.Remainder()), x.source.Size
		f.Message = fmt.Sprintf("%d bytes are no whole number of entries of %d bytes", x.source.Size, x.kind.EntrySize())
		l.report(f)
	}
	if x.entries > 0 {
		zero, err := x.isZero(x.entries - 1)
		if err == nil && zero {
			var layout indexfile.Layout
			layout, err = x.reader.Layout()
			x.entries, x.zeros = layout.Entries, layout.Tail.Slots
		}
		if err != nil {
			x.unreadable(l, err)
			return false
		}
	}
	if x.entries == 0 {
		x.state = IndexEmpty
	}
	return x.zeros > 0 && x.state == IndexUsed
}

func (x *index[E]) isZero(slot int) (bool, error) {
	e, err := x.reader.Entry(slot)
	if err != nil {
		return false, err
	}
	switch e := any(e).(type) {
	case indexfile.OffsetEntry:
		return e.RelativeOffset == 0 && e.Position == 0, nil
	case indexfile.TimeEntry:
		return e.RelativeOffset == 0 && e.Timestamp == 0, nil
	}
	return false, nil
}

// search finds the entry to start from with find, the search of package
// indexfile, and says what it compared. none is what a broker takes where there
// is no entry.
func (x *index[E]) search(l *lookup, target int64, none E, find func(target int64, entries int, compared []int32) (indexfile.Search[E], error)) Search[E] {
	t := Search[E]{File: x.file.Path, State: x.state, Zeros: x.zeros, Stale: x.stale, Slot: -1, Entry: none}
	if x.state != IndexUsed {
		return t
	}
	s, err := find(target, x.entries, nil)
	if err != nil {
		x.unreadable(l, err)
		t.State = x.state
		return t
	}
	t.Entries, t.WarmFirstSlot = x.entries, x.kind.WarmFirstSlot(x.entries)
	t.Warm, t.Slot, t.Entry = s.Warm, s.Slot, s.Entry
	for _, slot := range s.Compared {
		e, err := x.reader.Entry(int(slot))
		if err != nil {
			x.unreadable(l, err)
			t.State = x.state
			return t
		}
		t.Read = append(t.Read, Read[E]{int(slot), e})
	}
	x.judgeRead(l, t.Read)
	return t
}

// judgeRead looks at what was read anyway: entries have to rise.
func (x *index[E]) judgeRead(l *lookup, read []Read[E]) {
	bySlot := slices.Clone(read)
	slices.SortFunc(bySlot, func(a, b Read[E]) int { return cmp.Compare(a.Slot, b.Slot) })
	for i, r := range bySlot {
		zero, _ := x.isZero(r.Slot)
		code, message := notIncreasingCodes[x.kind], "does not rise above the entries in front of it"
		switch {
		case zero && r.Slot > 0:
			code, message = zeroHoleCodes[x.kind], "a zero slot with entries behind it"
		case i == 0 || r.Slot == bySlot[i-1].Slot || x.key(r.Entry) > x.key(bySlot[i-1].Entry):
			continue
		}
		f := sanity.At(code, x.file.Path)
		f.Slot, f.Position = int64(r.Slot), x.reader.Position(r.Slot)
		f.EndPosition = f.Position + int64(x.kind.EntrySize())
		f.Message = message
		f.Broker = "a broker's search is led astray here"
		l.report(f)
	}
}

// searchOffset searches the .index for the entry to start from.
func (l *lookup) searchOffset(target int64) Search[indexfile.OffsetEntry] {
	x := l.offsets()
	return x.search(l, target, indexfile.OffsetEntry{Offset: l.open.segment.BaseOffset}, x.r.Lookup)
}

// searchTime searches the .timeindex.
func (l *lookup) searchTime(target int64) Search[indexfile.TimeEntry] {
	x := l.times()
	return x.search(l, target, indexfile.TimeEntry{Timestamp: indexfile.NoTimestamp, Offset: l.open.segment.BaseOffset}, x.r.Lookup)
}

// start is the position that a search leads to: 0 without an entry, and where
// the entry lies.
func (l *lookup) start(s *Search[indexfile.OffsetEntry], target int64) int64 {
	if !s.Used() {
		return 0
	}
	code, what := l.disproved(s.Entry, target)
	if code == "" {
		return int64(s.Entry.Position)
	}
	f := sanity.At(code, s.File)
	f.Slot, f.Position = int64(s.Slot), int64(s.Slot)*indexfile.OffsetEntrySize
	f.EndPosition = f.Position + indexfile.OffsetEntrySize
	f.Offset = s.Entry.Offset
	f.Message = what
	f.Broker = "a lookup that uses this entry fails or lands wrongly"
	l.report(f)
	s.State = IndexLies
	return 0
}

// disproved says what is wrong with an entry, as far as the header of the batch
// that it leads to shows.
func (l *lookup) disproved(e indexfile.OffsetEntry, target int64) (code sanity.Code, what string) {
	position := int64(e.Position)
	switch {
	case e.RelativeOffset == 0 && position == 0:
		return sanity.IndexZeroHole, "a zero slot with entries behind it"
	case position <= 0:
		return sanity.IndexPositionOutOfRange, fmt.Sprintf("position %d", position)
	case position >= l.open.log.Size:
		return sanity.IndexBeyondLog, fmt.Sprintf("position %d, where the log has %d bytes", position, l.open.log.Size)
	case e.Offset > target:
		return sanity.IndexNotIncreasing, fmt.Sprintf("offset %d is above %d, for which the search gave it", e.Offset, target)
	}
	b := l.headerAt(position)
	if b == nil {
		return sanity.IndexPositionNotABatch, fmt.Sprintf("no batch begins at position %d", position)
	}
	if base := l.firstOffset(b); base > e.Offset {
		return sanity.IndexOffsetMismatch, fmt.Sprintf("offset %d, but the batch at position %d begins with %d", e.Offset, position, base)
	}
	return "", ""
}

// headerAt is the batch that begins at position, or nil.
func (l *lookup) headerAt(position int64) *recordbatch.Batch {
	for b, err := range recordbatch.Headers(l.open.log.R, l.open.log.Size, position) {
		if err != nil || b.Offset < l.open.segment.BaseOffset {
			return nil
		}
		return b
	}
	return nil
}
