package loader

import (
	"errors"

	"github.com/kafsck/kafsck/recordbatch"
)

// behindEnd counts what the newest segment keeps at or behind the end of the
// log. A broker takes that end from the last batch, and finds this one with the
// last entry of the index (LogSegment.readNextOffset). Where the entry is wrong,
// or the offsets of the batches don't rise, records stay in the file behind that
// end: fetches from there fail, and new records get the same offsets.
func (l *load) behindEnd() error {
	if !l.plan.Loads || l.deleting || len(l.segments) == 0 {
		return nil
	}
	s := l.last()
	if doubtful, err := s.endIsDoubtful(); err != nil || !doubtful {
		return err
	}
	r, closeFile, err := l.open(s.log)
	if err != nil {
		return err
	}
	defer closeFile()
	c := count{lost: noLoss(), above: l.plan.LogEnd, next: s.base}
	o := recordbatch.Options{File: l.dir.abs(s.log.name), Base: max(s.base, 0)}
	err = c.scan(l.ctx, recordbatch.NewScanner(r, s.log.size, o), s.log.size)
	l.plan.Behind = c.lost
	return err
}

// endIsDoubtful says whether the log may hold more than its end tells. Where the
// offsets rise and the last entry of the index is that of a sound batch, it does
// not: the broker walks from there to the last batch.
func (s *segment) endIsDoubtful() (bool, error) {
	if s.log.size == 0 || s.disordered {
		return s.disordered, nil
	}
	last, err := s.lastIndexed()
	if err != nil {
		return false, err
	}
	if _, found, err := s.translate(last); err != nil || !found {
		return true, err
	}
	from, err := s.lookup(last)
	if err != nil || from <= 0 {
		return false, err
	}
	r, closeFile, err := s.l.open(s.log)
	if err != nil {
		return false, err
	}
	defer closeFile()
	o := recordbatch.Options{File: s.l.dir.abs(s.log.name), From: from, Base: max(s.base, 0)}
	for b, err := range recordbatch.NewScanner(r, s.log.size, o).Batches() {
		if _, damaged := errors.AsType[*recordbatch.CorruptError](err); err != nil && !damaged {
			return false, err
		}
		return err != nil || b.Position != from, nil
	}
	return true, nil
}
