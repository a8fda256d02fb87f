package indexview

import (
	"errors"
	"io"
	"slices"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// Log is the .log beside an index.
type Log struct {
	File       string // for errors
	R          io.ReaderAt
	Size       int64
	BaseOffset int64
	// Grown, if set, gives the size anew. It is asked once the entries are
	// read: a broker writes to the log first, so that no entry of a log being
	// written leads behind the end.
	Grown func() (int64, error)
}

// Verdict is what the log says about an entry.
type Verdict uint8

// The verdicts.
const (
	Unchecked Verdict = iota // there is no log, or it can't tell
	True
	False
	Stale // left behind by a truncation, in a file that was never trimmed
)

// Judgement is the verdict on one entry; Code says what is wrong where it is
// False.
type Judgement struct {
	Verdict Verdict
	Code    sanity.Code
}

func (j *Judgement) judgement() Judgement { return *j }

func wrong(code sanity.Code) Judgement { return Judgement{False, code} }

// chunkEntries is how many entries are judged, and held, at a time. An index
// of Kafka's default size has fewer.
const chunkEntries = 1 << 21

// maxDamage is how many places of damage in the log a summary lists.
const maxDamage = 64

// Summary is what a pass over index and log found.
type Summary struct {
	Entries, Right, Wrong, Stale, Unchecked int

	// Of the log; all zero where there is none.
	Batches       int
	LargestBatch  int64 // bytes
	LogEndOffset  int64 // behind the last batch; the base offset of an empty log
	LogDamage     []*recordbatch.CorruptError
	LogDamageMore int // places of damage left out of LogDamage

	// Of an .index: the index.interval.bytes with which all right entries
	// could have been written: from Low to High. Low is above High where the
	// broker was restarted in between or the interval was changed; High is −1
	// with fewer than two entries.
	IntervalLow, IntervalHigh int64

	maxDistance int64 // in the log between two right entries, bytes
}

func (s *Summary) count(j Judgement) {
	s.Entries++
	switch j.Verdict {
	case True:
		s.Right++
	case False:
		s.Wrong++
	case Stale:
		s.Stale++
	default:
		s.Unchecked++
	}
}

// inPieces reads the first entries of an index, so many at a time as a piece
// has, gives each piece to judge, counts the judgements, and gives it to yield.
// final says that it is the last one.
func inPieces[E, V any, P interface {
	*V
	judgement() Judgement
}](r *indexfile.Reader[E], entries, piece int, s *Summary, view func(e E, slot int) V,
	judge func(views []V, final bool) error, yield func(views []V) error) error {
	for from := 0; from < entries; from += piece {
		to := min(from+piece, entries)
		views := make([]V, 0, to-from)
		for e, err := range r.EntriesBetween(from, to) {
			if err != nil {
				return err
			}
			views = append(views, view(e, from+len(views)))
		}
		if err := judge(views, to == entries); err != nil {
			return err
		}
		for i := range views {
			s.count(P(&views[i]).judgement())
		}
		if err := yield(views); err != nil {
			return err
		}
	}
	return nil
}

// pass walks the log once for a chunk of entries that are visited in the
// order of what they point at.
type pass struct {
	log     *Log
	summary *Summary
	damage  []region // places where the framing of the log is lost
	decoder recordbatch.Decoder
}

type region struct{ from, to int64 }

// damagedAt says whether nothing is known of the bytes at position.
func (p *pass) damagedAt(position int64) bool {
	return slices.ContainsFunc(p.damage, func(r region) bool { return position >= r.from && position < r.to })
}

// damagedBetween says whether batches may be missing between two positions.
func (p *pass) damagedBetween(from, to int64) bool {
	return slices.ContainsFunc(p.damage, func(r region) bool { return r.to > from && r.from < to })
}

// headers calls visit for every batch of the log. The error is of reading.
func (p *pass) headers(visit func(b *recordbatch.Batch)) error {
	s := p.summary
	s.Batches, s.LargestBatch, s.LogEndOffset, s.LogDamage, s.LogDamageMore = 0, 0, p.log.BaseOffset, nil, 0
	if p.log.Grown != nil {
		size, err := p.log.Grown()
		if err != nil {
			return err
		}
		p.log.Size = size
	}
	scanner := recordbatch.NewScanner(p.log.R, p.log.Size, recordbatch.Options{File: p.log.File, Base: p.log.BaseOffset})
	for b, err := range scanner.Headers() {
		if e, ok := errors.AsType[*recordbatch.CorruptError](err); ok {
			if len(s.LogDamage) < maxDamage {
				s.LogDamage = append(s.LogDamage, e)
				p.damage = append(p.damage, region{e.Position, e.EndPosition})
			} else {
				s.LogDamageMore++
				p.damage[maxDamage-1].to = e.EndPosition
			}
		} else if err != nil {
			return err
		}
		if b == nil {
			continue
		}
		s.Batches++
		s.LargestBatch = max(s.LargestBatch, b.Size)
		s.LogEndOffset = max(s.LogEndOffset, b.LastOffset()+1)
		visit(b)
	}
	return nil
}

// load reads the batch of a header.
func (p *pass) load(b *recordbatch.Batch) *recordbatch.Batch {
	options := recordbatch.Options{File: p.log.File, From: b.Position, To: b.EndPosition(), Base: p.log.BaseOffset}
	for whole, err := range recordbatch.NewScanner(p.log.R, p.log.Size, options).Batches() {
		if err != nil || whole == nil || whole.Data == nil {
			return nil
		}
		// The scanner's memory ends with the loop.
		kept := *whole
		kept.Data = slices.Clone(whole.Data)
		return &kept
	}
	return nil
}

// firstOffset is the base offset of a batch; in a wrapper of old messages it
// stands inside.
func (p *pass) firstOffset(b *recordbatch.Batch) int64 {
	if !b.IsLegacy() || b.Codec() == recordbatch.CodecNone {
		return b.Offset
	}
	whole := p.load(b)
	if whole == nil {
		return b.Offset
	}
	in, err := p.decoder.Inspect(whole)
	if err != nil || in.Count == 0 {
		return b.Offset
	}
	return in.FirstOffset
}

// ordered is the numbers 0 to n-1 in the order of their keys; nil where that is
// the order they are in.
func ordered(n int, key func(i int) int64) []int32 {
	sorted := true
	for i := 1; i < n && sorted; i++ {
		sorted = key(i-1) <= key(i)
	}
	if sorted {
		return nil
	}
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		switch ka, kb := key(int(a)), key(int(b)); {
		case ka < kb:
			return -1
		case ka > kb:
			return 1
		}
		return 0
	})
	return order
}

func at(order []int32, i int) int {
	if order == nil {
		return i
	}
	return int(order[i])
}
