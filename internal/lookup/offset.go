package lookup

import "github.com/kafsck/kafsck/recordbatch"

func (l *lookup) byOffset() error {
	p, target := l.partition, l.result.Target.Offset
	i := p.floor(target)
	if target < p.LogStart || i < 0 {
		l.result.Why = BeforeStart
		return nil
	}
	end := p.Segments[len(p.Segments)-1].BaseOffset
	for ; i < len(p.Segments); i++ {
		last, err := l.walkOffset(&p.Segments[i], target)
		if err != nil || l.result.Found != nil {
			return err
		}
		end = max(end, last+1)
	}
	l.result.LogEnd = end
	switch {
	case target == end:
		l.result.Why = AtEnd
	case target > end:
		l.result.Why = PastEnd
	default:
		l.result.Why = NothingLeft
	}
	return nil
}

// walkOffset searches one segment and adds the walk to the result. It returns
// the last offset seen.
func (l *lookup) walkOffset(s *Segment, target int64) (last int64, err error) {
	f, err := l.use(s)
	if err != nil {
		return 0, err
	}
	w := Walk{Segment: s, LogSize: f.log.Size, FromOffset: target, FetchPosition: -1}
	w.Offset = l.searchOffset(target)
	w.StartPosition = l.start(&w.Offset, target)
	w.EndPosition = w.StartPosition
	last = s.BaseOffset - 1
	err = l.headers(w.StartPosition, func(b *recordbatch.Batch) (bool, error) {
		w.pass(b)
		last = max(last, b.LastOffset())
		if b.LastOffset() < target {
			n, err := l.records(b)
			w.Records += n
			return true, err
		}
		if w.FetchPosition < 0 {
			w.FetchPosition = b.Position
		}
		found, decoded, err := l.land(b, func(r *recordbatch.Record) bool { return r.Offset >= target })
		w.Records += decoded
		l.result.Found = found
		return found == nil, err
	})
	if l.result.Found == nil {
		w.EndPosition = max(w.EndPosition, w.LogSize)
	}
	l.result.Walks = append(l.result.Walks, w)
	return last, err
}

// pass counts a batch whose header was read.
func (w *Walk) pass(b *recordbatch.Batch) {
	w.Batches++
	if len(w.Scanned) < maxScanned {
		w.Scanned = append(w.Scanned, b.Position)
	}
	w.EndPosition = b.EndPosition()
}
