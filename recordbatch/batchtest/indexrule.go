package batchtest

import "iter"

// DefaultIndexInterval is Kafka's default of index.interval.bytes.
const DefaultIndexInterval = 4096

// indexer holds what is built while batches go by.
type indexer struct {
	index   []IndexEntry
	times   []TimeEntry
	largest TimeEntry // largest timestamp so far, with its offset
}

func newIndexer(baseOffset int64) *indexer {
	return &indexer{largest: TimeEntry{-1, baseOffset}}
}

// see takes the batch's timestamp; of equal ones the first stays.
func (x *indexer) see(b *Content) {
	if b.MaxTimestamp > x.largest.Timestamp {
		x.largest = TimeEntry{b.MaxTimestamp, b.LastOffset}
	}
}

func (x *indexer) add(offset, position int64) {
	x.index = append(x.index, IndexEntry{offset, position})
	x.addTime()
}

// addTime appends the largest timestamp if it grew (TimeIndex.maybeAppend).
func (x *indexer) addTime() {
	last := int64(-1)
	if n := len(x.times); n > 0 {
		last = x.times[n-1].Timestamp
	}
	if x.largest.Timestamp > last {
		x.times = append(x.times, x.largest)
	}
}

// RebuiltIndexes returns the entries that Kafka's LogSegment.recover writes: a
// batch gets one if more than interval bytes lie between its position and that
// of the last indexed batch, 0 at first; and at the end the largest timestamp.
func (l *Layout) RebuiltIndexes(interval int64) ([]IndexEntry, []TimeEntry) {
	return rebuild(l.BaseOffset, l.All(), interval)
}

func rebuild(baseOffset int64, batches iter.Seq[*Content], interval int64) ([]IndexEntry, []TimeEntry) {
	x := newIndexer(baseOffset)
	lastIndexed := int64(0)
	for b := range batches {
		x.see(b)
		if b.Position-lastIndexed > interval {
			x.add(b.LastOffset, b.Position)
			lastIndexed = b.Position
		}
	}
	x.addTime()
	return x.index, x.times
}

// LiveIndexes returns the entries that a broker of 2.0 to 3.9.0 or 4.0.0
// writes (LogSegment.append). Each session is the time between an open and a
// clean close and lists how many batches each append held. The count of bytes
// since the last entry restarts with the session; an entry names the last
// offset of its append and the append's position.
func (l *Layout) LiveIndexes(interval int64, sessions ...[]int) ([]IndexEntry, []TimeEntry) {
	x := newIndexer(l.BaseOffset)
	rest := l.Batches
	for _, appends := range sessions {
		since := int64(0)
		for _, n := range appends {
			batches := rest[:n]
			rest = rest[n:]
			for i := range batches {
				x.see(&batches[i])
			}
			last := &batches[n-1]
			if since > interval {
				x.add(last.LastOffset, batches[0].Position)
				since = 0
			}
			since += last.End() - batches[0].Position
		}
		x.addTime()
	}
	return x.index, x.times
}
