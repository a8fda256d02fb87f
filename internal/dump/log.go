package dump

import (
	"context"
	"fmt"
	"io"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/kafsck/kafsck/internal/ordered"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// logDump writes one log or KRaft checkpoint.
type logDump struct {
	*Options
	sink     *Sink
	file     string // as reached from the argument
	fileJSON []byte // the same, as a JSON string
	base     int64  // base offset by the name; −1 for a checkpoint

	keyText, valueText, headerText TextFunc

	topic    topics.Topic // by whose rules records are decoded
	ownTopic bool         // the directory is named after it

	left  int64 // of Limit
	order orderCheck
}

// rendered is what a worker made of one unit of work, or of a part of it.
type rendered struct {
	text     []byte
	findings []placedFinding
	batches  int64
	records  int64
	first    int64 // offsets; −1 where there is no batch
	last     int64
}

// placedFinding is a finding and where in the text it belongs.
type placedFinding struct {
	at      int
	finding sanity.Finding
}

// pieceSize is how much text a worker makes before it hands it on. A record
// isn't cut, so a piece can be larger.
const pieceSize = 512 << 10

var renderedPool = sync.Pool{New: func() any { return new(rendered) }}

func newRendered() *rendered {
	r := renderedPool.Get().(*rendered)
	r.first, r.last = -1, -1
	return r
}

func (r *rendered) release() {
	if cap(r.text) > 4*pieceSize {
		r.text = nil // of one large record
	}
	*r = rendered{text: r.text[:0], findings: r.findings[:0]}
	renderedPool.Put(r)
}

// unitSize is how many bytes of the log a worker gets at once where records are
// decoded: their text is several times as large, and waits for its turn.
const unitSize = 128 << 10

// work is a run of batches with the damage that only their sequence shows.
type work struct {
	*share
	from, to int // items
}

// share is a chunk that several workers look at.
type share struct {
	chunk *recordbatch.Chunk
	order map[int]sanity.Finding // by item
	users atomic.Int32
}

func (s *share) release() {
	if s.users.Add(-1) == 0 {
		s.chunk.Release()
	}
}

// run dumps the log r of size bytes.
func (d *logDump) run(ctx context.Context, r io.ReaderAt, size int64) error {
	end := size
	if d.MaxBytes >= 0 && d.MaxBytes < size {
		end = d.MaxBytes
	}
	if end == 0 {
		return nil
	}
	from := int64(0)
	if d.FromOffset > d.base && d.base >= 0 {
		from = d.seek(r, size)
	}
	scanner := recordbatch.NewScanner(r, size, recordbatch.Options{
		File: d.file, From: from, To: end, Base: max(d.base, 0),
	})
	workers := max(d.Workers, 1)
	if d.Limit >= 0 || end-from < 256<<10 {
		workers = 1
	}
	renderers := make([]renderer, workers)
	d.left = d.Limit
	d.order = orderCheck{file: d.file, base: d.base, last: -1}
	tail := int64(0)
	results := ordered.Stream(ctx, workers, d.sequence(scanner), func(worker int, w work, emit func(*rendered) bool) {
		defer w.release()
		renderers[worker].render(d, w, emit)
	}, (*rendered).release)
	for result, err := range results {
		if err != nil {
			return err
		}
		d.sink.count(result)
		for _, f := range result.findings {
			if f.finding.EndPosition == end && end < size {
				continue // cut by --max-bytes, not by damage
			}
			if f.finding.EndPosition == end && f.finding.Position >= 0 && invisibleToKafka(&f.finding) {
				tail = end - f.finding.Position
			}
		}
		if err := d.write(result, end, size); err != nil {
			return err
		}
		result.release()
		if d.Limit >= 0 && d.left <= 0 {
			return nil
		}
	}
	if tail > 0 && d.Format == Text && d.MaxBytes < 0 && !d.OnlyDamaged {
		return d.sink.write(fmt.Appendf(nil, "Found %d invalid bytes at the end of %s\n", tail, d.name()))
	}
	return nil
}

// invisibleToKafka says whether Kafka's iterator ends without an exception at
// a tail like this: an incomplete batch, or fewer bytes than a header takes.
func invisibleToKafka(f *sanity.Finding) bool {
	return f.Code == sanity.LogTornTail || (f.Code == sanity.LogZeroTail && f.EndPosition-f.Position <= 17)
}

// write puts the text out, with the findings at their places.
func (d *logDump) write(result *rendered, end, size int64) error {
	at := 0
	for i := range result.findings {
		f := &result.findings[i]
		if err := d.sink.write(result.text[at:f.at]); err != nil {
			return err
		}
		at = f.at
		if f.finding.EndPosition == end && end < size {
			continue
		}
		if err := d.sink.finding(&f.finding); err != nil {
			return err
		}
	}
	return d.sink.write(result.text[at:])
}

// sequence yields the batches of the scan in units, with what their order shows.
func (d *logDump) sequence(scanner *recordbatch.Scanner) iter.Seq2[work, error] {
	return func(yield func(work, error) bool) {
		for chunk, err := range scanner.Chunks() {
			if err != nil {
				yield(work{}, err)
				return
			}
			w := &share{chunk: chunk}
			past := true
			for i := range chunk.Items {
				item := &chunk.Items[i]
				if !item.IsBatch() {
					past = false
					continue
				}
				if f, bad := d.order.next(&item.Batch); bad {
					if w.order == nil {
						w.order = map[int]sanity.Finding{}
					}
					w.order[i] = f
				}
				past = past && item.Batch.BaseOffset() > d.ToOffset
			}
			if !d.units(w, yield) || past && len(chunk.Items) > 0 && d.ToOffset < 1<<62 {
				return
			}
		}
	}
}

// units cuts a chunk into units of work.
func (d *logDump) units(s *share, yield func(work, error) bool) bool {
	defer s.release()
	s.users.Store(1)
	items := s.chunk.Items
	for from := 0; from < len(items); {
		to, size := from, int64(0)
		for to < len(items) && (!d.deep() || size < unitSize) {
			size += items[to].Batch.Size
			to++
		}
		s.users.Add(1)
		if !yield(work{s, from, to}, nil) {
			return false
		}
		from = to
	}
	return true
}

// orderCheck finds what the checksum of a v2 batch doesn't cover: base offsets
// that don't go up from batch to batch.
type orderCheck struct {
	file string
	base int64
	last int64
}

func (o *orderCheck) next(b *recordbatch.Batch) (sanity.Finding, bool) {
	last := o.last
	o.last = b.LastOffset()
	f := sanity.At(sanity.OffsetNotIncreasing, o.file)
	first := b.BaseOffset()
	switch {
	case o.base >= 0 && first < o.base:
		f = sanity.At(sanity.OffsetBelowBase, o.file)
		f.Message = fmt.Sprintf("base offset %d is below the segment's %d", first, o.base)
	case last >= 0 && first <= last:
		f.Message = fmt.Sprintf("base offset %d behind offset %d", first, last)
	default:
		return f, false
	}
	f.Position, f.EndPosition = b.Position, b.EndPosition()
	f.Offset, f.LastOffset = first, b.LastOffset()
	return f, true
}
