package salvage

import (
	"context"
	"errors"
	"io"
	"sort"

	"github.com/kafsck/kafsck/internal/readonly"
)

// sector is the unit in which a disk refuses.
const sector = 4096

// tolerant reads on where a disk refuses: what it doesn't give away counts as
// zeros and is noted. Batches around a bad sector are so still found.
type tolerant struct {
	r     io.ReaderAt
	bad   []extent // sorted, apart from each other
	first error    // that the disk gave
}

type extent struct{ from, to int64 }

// ReadAt never fails but for the end of the file and that of the run.
func (t *tolerant) ReadAt(p []byte, position int64) (int, error) {
	n, err := t.r.ReadAt(p, position)
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return n, err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return n, err // nobody refused: the run is over
	}
	if t.first == nil {
		t.first = err
	}
	for n = 0; n < len(p); {
		// Up to the end of the sector, so that the same places are asked for
		// however large the reads are.
		step := min(len(p)-n, sector-int((position+int64(n))%sector))
		part := p[n : n+step]
		m, err := t.r.ReadAt(part, position+int64(n))
		if err != nil && m < step {
			if errors.Is(err, io.EOF) {
				return n + m, io.EOF
			}
			clear(part[m:])
			t.note(extent{position + int64(n+m), position + int64(n+step)})
		}
		n += step
	}
	return n, nil
}

// NextData skips holes, as readonly.File does. A disk that refuses to tell is
// read.
func (t *tolerant) NextData(position int64) (int64, error) {
	next, err := readonly.NextData(t.r, position)
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return position, nil
	}
	return next, err
}

// note merges an extent into those known: the same place is read more than
// once.
func (t *tolerant) note(e extent) {
	i := sort.Search(len(t.bad), func(i int) bool { return t.bad[i].to >= e.from })
	j := i
	for ; j < len(t.bad) && t.bad[j].from <= e.to; j++ {
		e.from, e.to = min(e.from, t.bad[j].from), max(e.to, t.bad[j].to)
	}
	t.bad = append(t.bad[:i], append([]extent{e}, t.bad[j:]...)...)
}

// unreadable is the number of bytes within a range that could not be read.
func (t *tolerant) unreadable(from, to int64) (n int64) {
	i := sort.Search(len(t.bad), func(i int) bool { return t.bad[i].to > from })
	for ; i < len(t.bad) && t.bad[i].from < to; i++ {
		n += min(to, t.bad[i].to) - max(from, t.bad[i].from)
	}
	return n
}
