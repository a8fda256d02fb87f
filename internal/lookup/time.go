package lookup

import (
	"fmt"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

func (l *lookup) byTime() error {
	p, target := l.partition, l.result.Target.Timestamp
	largest := int64(-1)
	for i := range p.Segments {
		s := &p.Segments[i]
		c, err := l.largest(s, target)
		if err != nil {
			return err
		}
		c.Chosen = c.Timestamp >= target
		l.result.Considered = append(l.result.Considered, c)
		if c.Source != FromModTime {
			largest = max(largest, c.Timestamp)
		}
		if !c.Chosen {
			continue
		}
		if err := l.walkTime(s, target); err != nil {
			return err
		}
		if l.result.Found == nil {
			l.result.Why = NoTimeInside
		}
		return nil
	}
	l.result.Why, l.result.LargestTimestamp = NoSuchTime, largest
	return nil
}

// largest is the largest timestamp of a segment, or one that is large enough:
// the last entry of the .timeindex if it is true, and what stands in the log
// behind it (LogSegment.largestTimestamp, loadLargestTimestamp).
func (l *lookup) largest(s *Segment, target int64) (Considered, error) {
	c := Considered{Segment: s, Timestamp: -1, Source: FromLog}
	if _, err := l.use(s); err != nil {
		return c, err
	}
	from := int64(0)
	if x := l.times(); x.state == IndexUsed {
		e, err := x.reader.Entry(x.entries - 1)
		switch {
		case err != nil:
			x.unreadable(l, err)
		case !l.holds(e):
			l.lies(x.file.Path, x.entries-1, e)
		default:
			c.Timestamp, c.Source = e.Timestamp, FromTimeIndex
			if e.Timestamp >= target {
				return c, nil
			}
			search := l.searchOffset(e.Offset)
			from = l.start(&search, e.Offset)
		}
	}
	err := l.headers(from, func(b *recordbatch.Batch) (bool, error) {
		if b.MaxTimestamp > c.Timestamp {
			c.Timestamp, c.Source = b.MaxTimestamp, FromLog
		}
		return c.Timestamp < target, nil
	})
	if c.Timestamp >= 0 && l.times().state == IndexMissing {
		l.missing(indexfile.Time)
	}
	if c.Timestamp < 0 {
		c.Timestamp, c.Source = s.Log.ModTime.UnixMilli(), FromModTime
	}
	return c, err
}

// lies reports an entry of a .timeindex.
func (l *lookup) lies(file string, slot int, e indexfile.TimeEntry) {
	f := sanity.At(sanity.TimeIndexMismatch, file)
	f.Slot, f.Position = int64(slot), int64(slot)*indexfile.TimeEntrySize
	f.EndPosition = f.Position + indexfile.TimeEntrySize
	f.Offset = e.Offset
	f.Message = fmt.Sprintf("timestamp %d is not the largest up to the batch of offset %d", e.Timestamp, e.Offset)
	f.Broker = "a search by timestamp takes the wrong segment, or starts at the wrong place"
	l.report(f)
}

// walkTime searches one segment and adds the walk to the result.
func (l *lookup) walkTime(s *Segment, target int64) error {
	f, err := l.use(s)
	if err != nil {
		return err
	}
	search := l.searchTime(target)
	w := Walk{Segment: s, LogSize: f.log.Size, Time: &search}
	w.FromOffset = max(search.Entry.Offset, l.partition.LogStart)
	w.Offset = l.searchOffset(w.FromOffset)
	w.StartPosition = l.start(&w.Offset, w.FromOffset)
	proof := &timeProof{entry: search.Entry, open: search.Used() && search.Entry.Offset >= l.partition.LogStart}
	if err := l.scanTime(&w, target, proof); err != nil {
		return err
	}
	if proof.failed() {
		if !l.logDamaged() { // else the batch that would prove it may be what is gone
			l.lies(search.File, search.Slot, search.Entry)
		}
		search.State = IndexLies
		w.FromOffset = max(s.BaseOffset, l.partition.LogStart)
		w.StartPosition, w.Batches, w.Records, w.Scanned = 0, 0, 0, nil
		l.result.Found = nil
		if err := l.scanTime(&w, target, nil); err != nil {
			return err
		}
	}
	l.result.Walks = append(l.result.Walks, w)
	return nil
}

// scanTime scans from w.StartPosition, until the record is found or the proof
// fails.
func (l *lookup) scanTime(w *Walk, target int64, proof *timeProof) error {
	w.EndPosition, w.FetchPosition = w.StartPosition, -1
	err := l.headers(w.StartPosition, func(b *recordbatch.Batch) (bool, error) {
		w.pass(b)
		if proof != nil && !proof.pass(b) {
			return false, nil
		}
		if b.MaxTimestamp < target {
			n, err := l.records(b)
			w.Records += n
			return true, err
		}
		if w.FetchPosition < 0 {
			w.FetchPosition = b.Position
		}
		found, decoded, err := l.land(b, func(r *recordbatch.Record) bool {
			return r.Timestamp >= target && r.Offset >= l.partition.LogStart
		})
		w.Records += decoded
		l.result.Found = found
		return found == nil, err
	})
	if l.result.Found == nil && !proof.failed() {
		w.EndPosition = max(w.EndPosition, w.LogSize)
	}
	return err
}

// timeProof checks an entry of a .timeindex on the way: up to the batch that
// holds its offset all timestamps are smaller, and that one's largest is it.
type timeProof struct {
	entry indexfile.TimeEntry
	open  bool // still to be proved
	wrong bool
}

// pass takes the next batch and returns false where the entry is disproved.
func (p *timeProof) pass(b *recordbatch.Batch) bool {
	if !p.open {
		return true
	}
	if b.LastOffset() >= p.entry.Offset {
		p.open = false
		p.wrong = b.Magic > 0 && b.MaxTimestamp != p.entry.Timestamp
		return !p.wrong
	}
	p.wrong = b.MaxTimestamp >= p.entry.Timestamp
	return !p.wrong
}

// failed says whether the entry is disproved, once the scan is over. An entry
// whose offset is not in the log is.
func (p *timeProof) failed() bool { return p != nil && (p.wrong || p.open) }
