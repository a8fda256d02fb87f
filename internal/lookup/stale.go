package lookup

import (
	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/indexview"
	"github.com/kafsck/kafsck/recordbatch"
)

// A truncation leaves the entries behind the cut in the file of an active
// segment, in front of the zeros. The broker that made it knows how many
// entries count; on disk, nothing but the log tells. So entries at the end
// that are not true are not counted, unless so much stands behind the last
// true one that an entry was due: then they were written over a sound index.

// cutStaleOffsets leaves stale entries out of an .index that was never trimmed.
func (l *lookup) cutStaleOffsets(x *offsetIndex) {
	n, entry := x.entries, indexfile.OffsetEntry{}
	for ; n > 0; n-- {
		var err error
		if entry, err = x.reader.Entry(n - 1); err != nil {
			x.unreadable(l, err)
			return
		}
		if int64(entry.Position) >= l.open.log.Size {
			continue
		}
		if code, _ := l.disproved(entry, entry.Offset); code == "" {
			break
		}
	}
	if n == x.entries {
		return
	}
	position := int64(0)
	if n > 0 {
		position = int64(entry.Position)
	}
	distances, err := x.r.Distances(n)
	if err != nil {
		x.unreadable(l, err)
		return
	}
	if indexview.Due(position, l.open.log.Size, distances.Max, l.largestBatch(position)) {
		return
	}
	x.cut(n)
}

// cut leaves the slots from n on out of the count.
func (x *index[E]) cut(n int) {
	x.stale = x.entries - n
	if x.entries = n; n == 0 {
		x.state = IndexEmpty
	}
}

// largestBatch is the size of the largest batch from position on.
func (l *lookup) largestBatch(position int64) (size int64) {
	for b, err := range recordbatch.Headers(l.open.log.R, l.open.log.Size, position) {
		if err != nil {
			break
		}
		size = max(size, b.Size)
	}
	return size
}

// maxProbes is how many entries of a .timeindex are looked for in the log one
// by one.
const maxProbes = 32

// cutStaleTimes leaves stale entries out of a .timeindex that was never
// trimmed. Old ones lie behind the log's end or go back in time. A truncation
// leaves few; where there are many, one pass over the log judges them all.
func (l *lookup) cutStaleTimes(x *timeIndex) {
	n, probes := x.entries, 0
	for ; n > 0; n-- {
		entry, err := x.reader.Entry(n - 1)
		if err != nil {
			x.unreadable(l, err)
			return
		}
		if n > 1 {
			before, err := x.reader.Entry(n - 2)
			if err != nil {
				x.unreadable(l, err)
				return
			}
			if entry.Timestamp <= before.Timestamp || entry.Offset < before.Offset {
				continue
			}
		}
		if l.holds(entry) {
			break
		}
		if probes++; probes == maxProbes {
			if n = l.trueTimes(x); n < 0 {
				return
			}
			break
		}
	}
	x.cut(n)
}

// trueTimes is how many slots there are up to the last one that the log does
// not contradict, −1 where that can't be found out.
func (l *lookup) trueTimes(x *timeIndex) (n int) {
	layout, err := x.reader.Layout()
	if err == nil {
		_, err = indexview.Times(x.r, &layout, l.judged(), func(views []indexview.Time) error {
			for i := range views {
				if v := &views[i]; v.Verdict == indexview.True || v.Verdict == indexview.Unchecked {
					n = v.Slot + 1
				}
			}
			return nil
		})
	}
	if err != nil {
		x.unreadable(l, err)
		return -1
	}
	return n
}

// holds says whether the batch with the entry's offset has its timestamp as
// the largest. Messages of v0 have none to compare.
func (l *lookup) holds(e indexfile.TimeEntry) bool {
	s := l.searchOffset(e.Offset)
	for b, err := range recordbatch.Headers(l.open.log.R, l.open.log.Size, l.start(&s, e.Offset)) {
		if err != nil {
			return false
		}
		if b.LastOffset() >= e.Offset {
			return b.Magic == 0 || b.MaxTimestamp == e.Timestamp
		}
	}
	return false
}
