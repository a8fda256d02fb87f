package loader

import (
	"errors"
	"math"
	"strings"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// decide notes what becomes of a file that is no log.
func (l *load) decide(d Decision) {
	if d.Lost == (Loss{}) {
		d.Lost = noLoss()
	}
	if d.Position == 0 {
		d.Position = -1
	}
	l.plan.Decisions = append(l.plan.Decisions, d)
}

// removeFile deletes a file.
func (l *load) removeFile(name, reason string) {
	f := l.dir.files[name]
	if f == nil {
		return
	}
	l.dir.remove(name)
	if f.origin == "" {
		return
	}
	if p := l.logs[f.origin]; p != nil {
		p.raise(Remove, reason)
		return
	}
	l.decide(Decision{File: l.dir.abs(f.origin), BaseOffset: l.baseOf(name), Action: Remove, SizeBefore: f.size, Reason: reason})
}

func (l *load) baseOf(name string) int64 {
	if base, thrown := offsetOf(name); thrown == nil {
		return base
	}
	return -1
}

// renameFile puts a file into the place of another, which is gone then.
func (l *load) renameFile(from, to, reason string) error {
	f := l.dir.files[from]
	if old := l.dir.files[to]; old != nil {
		if p := l.logs[old.origin]; p != nil {
			s := &segment{l: l, log: f}
			end := int64(math.MinInt64)
			err := s.walk(0, f.size, func(_ *recovery.Headers, b *recordbatch.Batch) (bool, error) {
				end = max(end, b.LastOffset()+1)
				return true, nil
			})
			var thrown *indexfile.KafkaError // a broker does not look
			if err != nil && !errors.As(err, &thrown) {
				return err
			}
			p.raise(Remove, reasonReplaced)
			p.above, p.Text = end, "replaced by "+from
		}
	}
	l.dir.rename(from, to)
	if p := l.logs[f.origin]; p != nil {
		p.raise(Rename, reason)
	} else if f.origin != "" {
		l.decide(Decision{File: l.dir.abs(f.origin), BaseOffset: l.baseOf(from), Action: Rename, SizeBefore: f.size, SizeAfter: f.size, Reason: reason})
	}
	return nil
}

// replaced deletes a file whose content below an offset is in a .swap file.
func (l *load) replaced(name, by string, below int64) {
	f := l.dir.files[name]
	l.removeFile(name, reasonReplaced)
	if p := l.logs[f.origin]; p != nil {
		p.above, p.Text = below, "replaced by "+by
	}
}

// replacedLog notes the same of a segment that releases before 3.0 replace.
func (l *load) replacedLog(s *segment, by string, below int64) {
	if p := l.logs[s.log.origin]; p != nil {
		p.raise(Remove, reasonReplaced)
		p.above, p.Text = below, "replaced by "+by
	}
}

// recovered notes the end of a recovery.
func (l *load) recovered(s *segment, r *recovery.Result, reason string) {
	p := l.logs[s.log.origin]
	if p == nil {
		return
	}
	switch {
	case r.Failure != nil:
		l.threw(s, r.StopPosition, r.Failure)
	case r.Truncated() > 0:
		p.raise(Truncate, "")
		p.Position, p.next = s.log.from+r.ValidBytes, r.NextOffset
		if r.Caught != nil {
			p.Text = r.Caught.Error()
		}
		if r.Caught != nil && strings.HasSuffix(r.Caught.Class, ".InvalidRecordException") {
			p.Reason = "control-malformed"
		}
	case reason != reasonUnflushed && reason != reasonSwap:
		p.raise(RebuildIndex, reason)
	default:
		p.raise(Recover, reason)
	}
}

// threw notes where in a log an exception came from. It may still be caught.
func (l *load) threw(s *segment, position int64, thrown *indexfile.KafkaError) {
	p := l.logs[s.log.origin]
	if p == nil {
		return
	}
	p.Position, p.Text, p.Reason = s.log.from+position, thrown.Error(), reasonFails
	if thrown.Class == classOffsetOverflow {
		p.Reason = string(sanity.OffsetOverflow)
	}
}

func (l *load) emptied(s *segment, thrown *indexfile.KafkaError) {
	if p := l.logs[s.log.origin]; p != nil {
		p.raise(Empty, "offset-not-increasing")
		p.Text = thrown.Error()
	}
}

func (l *load) deletedLog(s *segment, reason string) {
	if p := l.logs[s.log.origin]; p != nil {
		p.raise(Delete, reason)
	}
}

func (l *load) splitLog(s *segment, pieces []piece) {
	if p := l.logs[s.log.origin]; p != nil {
		p.raise(Split, "offset-overflow")
		p.Position = s.log.from + pieces[0].to
		p.Text = ""
	}
}
