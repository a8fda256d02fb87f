package lookup

import (
	"fmt"
	"slices"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/indexview"
	"github.com/kafsck/kafsck/sanity"
)

// verify judges the indexes of the segments walked and repeats the lookup
// without them. Where the two differ, the answer is that of the scan.
func (l *lookup) verify() error {
	truthful, judged := true, false
	for i := range l.result.Walks {
		w := &l.result.Walks[i]
		if _, err := l.use(w.Segment); err != nil {
			return err
		}
		findings, did, err := l.judge()
		if err != nil {
			return err
		}
		judged = judged || did
		for _, f := range findings {
			// What was met on the way is part of what was judged now.
			l.result.Findings = slices.DeleteFunc(l.result.Findings, func(k sanity.Finding) bool {
				return k.File == f.File && k.Slot >= 0 && k.Detail == nil
			})
			l.result.Findings = append(l.result.Findings, f)
		}
	}
	l.reported = nil
	for i := range l.result.Findings {
		if f := &l.result.Findings[i]; f.Slot >= 0 && f.Severity == sanity.Error {
			truthful = false
		}
	}
	plain := &lookup{ctx: l.ctx, partition: l.partition, options: Options{NoIndex: true}, result: Result{Target: l.result.Target, LogEnd: -1, LargestTimestamp: -1}}
	defer plain.close()
	if err := plain.run(); err != nil {
		return err
	}
	for _, f := range plain.result.Findings {
		l.report(f) // damage in front of where the index led
	}
	if with, without := l.result.Found, plain.result.Found; !same(with, without) {
		truthful = false
		f := sanity.At(sanity.IndexOffsetMismatch, l.partition.Path)
		if l.result.Target.ByTime {
			f.Code = sanity.TimeIndexMismatch
		}
		f.Message = fmt.Sprintf("with the index the lookup lands %s, without it %s", with.where(), without.where())
		f.Broker = "a broker answers wrongly"
		l.report(f)
		l.result.Found, l.result.Why = without, plain.result.Why
		l.result.LogEnd, l.result.LargestTimestamp = plain.result.LogEnd, plain.result.LargestTimestamp
	}
	if judged || !truthful {
		l.result.Truthful = &truthful
	}
	return nil
}

func same(a, b *Found) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func (f *Found) where() string {
	if f == nil {
		return "nowhere"
	}
	if !f.HasRecord {
		return fmt.Sprintf("in the batch at position %d", f.BatchPosition)
	}
	return fmt.Sprintf("at offset %d in the batch at position %d", f.Offset, f.BatchPosition)
}

// judged is the open log, against which indexes are judged.
func (l *lookup) judged() *indexview.Log {
	f := l.open
	return &indexview.Log{File: f.segment.Log.Path, R: f.log.R, Size: f.log.Size, BaseOffset: f.segment.BaseOffset}
}

// judge judges the indexes of the open segment. did says whether there were any.
func (l *lookup) judge() (list []sanity.Finding, did bool, err error) {
	log := l.judged()
	if x := l.offsets(); x.usable() {
		did = true
		layout, err := x.r.Layout()
		if err != nil {
			return nil, did, err
		}
		f := indexview.Findings{File: x.file.Path, Kind: indexfile.Offset}
		s, err := indexview.Offsets(x.r, &layout, log, func(v []indexview.Offset) error { f.Offsets(v); return nil })
		l.damages(&s)
		if list = append(list, f.List()...); err != nil {
			return list, did, err
		}
	}
	if !l.result.Target.ByTime {
		return list, did, nil
	}
	if x := l.times(); x.usable() {
		did = true
		layout, err := x.r.Layout()
		if err != nil {
			return list, did, err
		}
		f := indexview.Findings{File: x.file.Path, Kind: indexfile.Time}
		s, err := indexview.Times(x.r, &layout, log, func(v []indexview.Time) error { f.Times(v); return nil })
		l.damages(&s)
		if list = append(list, f.List()...); err != nil {
			return list, did, err
		}
	}
	return list, did, nil
}

func (x *index[E]) usable() bool { return x.state == IndexUsed || x.state == IndexEmpty }

// damages reports the damage of the log that a judgement met.
func (l *lookup) damages(s *indexview.Summary) {
	for _, e := range s.LogDamage {
		l.damaged(e)
	}
}
