package sanity

import (
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/ordered"
	"github.com/kafsck/kafsck/internal/readonly"
	"github.com/kafsck/kafsck/recordbatch"
)

// files are the open files of a segment.
type files []*file

func (f files) close() {
	for _, one := range f {
		one.close()
	}
}

// openEntry opens a listed file; nil where that failed, which is reported.
func (p *partitionCheck) openEntry(e *logdir.Entry) *file {
	if e == nil {
		return nil
	}
	f, size, err := p.c.open(e.Path)
	if err != nil {
		p.cantOpen(e.Path, err)
		return nil
	}
	f.live = p.env.live
	p.looked(size)
	return f
}

// indexes opens and measures the indexes of a segment. That comes before the
// log, because a broker may be appending to all of them.
func (p *partitionCheck) indexes(segment *logdir.Segment, s *segmentCheck) files {
	var open files
	var err error
	newest := s.next < 0
	if f := p.openEntry(segment.Index); f != nil {
		open = append(open, f)
		r := indexfile.NewOffsetReader(f, f.size, segment.BaseOffset)
		r.File = segment.Index.Path
		p.c.reads.loadOffsets(s, r)
		if s.offsetIndex, err = newOffsetIndexCheck(s, r, newest); err != nil {
			p.report.unreadable(segment.Index.Path, -1, err)
			s.offsetIndex = nil
		}
	}
	if f := p.openEntry(segment.TimeIndex); f != nil {
		open = append(open, f)
		r := indexfile.NewTimeReader(f, f.size, segment.BaseOffset)
		r.File = segment.TimeIndex.Path
		p.c.reads.loadTimes(s, r)
		if s.timeIndex, err = newTimeIndexCheck(s, r, newest); err != nil {
			p.report.unreadable(segment.TimeIndex.Path, -1, err)
			s.timeIndex = nil
		}
	}
	if f := p.openEntry(segment.TxnIndex); f != nil {
		open = append(open, f)
		r := indexfile.NewTxnReader(f, f.size, segment.BaseOffset)
		r.File = segment.TxnIndex.Path
		s.txns = newTxnIndexCheck(s, segment.TxnIndex.Path, r)
	} else if segment.TxnIndex == nil && segment.Log != nil && !p.single {
		s.txns = newTxnIndexCheck(s, siblingPath(segment.Log, ".txnindex"), nil)
	}
	return open
}

// siblingPath is the path of the index that belongs to a log.
func siblingPath(log *logdir.Entry, extension string) string {
	return strings.TrimSuffix(log.Path, ".log") + extension
}

// segment makes the pass over one segment: its log, and the indexes in step
// with it.
func (p *partitionCheck) segment(segment *logdir.Segment, next int64) {
	s := newSegmentCheck(p, segment.Log.Path, segment.BaseOffset, next)
	open := p.indexes(segment, s)
	defer func() {
		s.close()
		open.close()
	}()
	f := p.openEntry(segment.Log)
	if f == nil {
		p.lineage.damaged, p.lineage.broken = true, true
		return
	}
	open = append(open, f)
	s.size = f.size
	s.tooLarge()
	if err := p.scan(s, f); err != nil {
		if p.ctx.Err() != nil {
			s.stop()
			return
		}
		p.report.unreadable(s.file, -1, err)
		p.lineage.damaged, p.lineage.broken, s.endsDamaged = true, true, true
	}
	s.end()
	p.c.reads.reload(s, segment)
	p.missingIndexes(segment, s)
}

// probed is a chunk of a log with what the workers found in it.
type probed struct {
	chunk  *recordbatch.Chunk
	probes []probe
}

var probedPool = sync.Pool{New: func() any { return new(probed) }}

func (r *probed) release() {
	if r == nil {
		return
	}
	r.chunk.Release()
	r.chunk = nil
	probedPool.Put(r)
}

// scan reads the log and hands its batches, in order, to s.
func (p *partitionCheck) scan(s *segmentCheck, f *file) error {
	scanner := recordbatch.NewScanner(f, f.size, recordbatch.Options{File: s.file, Base: s.base, FramingOnly: p.c.options.Depth == Headers})
	workers := max(1, p.inner)
	if f.size < p.c.parallelFrom {
		workers = 1
	}
	probers := make([]*prober, workers)
	for i := range probers {
		probers[i] = p.c.takeProber(s.file)
	}
	defer func() {
		for _, prober := range probers {
			p.c.giveProber(prober)
		}
	}()
	work := func(worker int, chunk *recordbatch.Chunk) *probed {
		r := probedPool.Get().(*probed)
		r.chunk = chunk
		if cap(r.probes) < len(chunk.Items) {
			r.probes = make([]probe, len(chunk.Items))
		}
		r.probes = r.probes[:len(chunk.Items)]
		for i := range chunk.Items {
			if item := &chunk.Items[i]; item.Err == nil {
				probers[worker].look(&item.Batch, &r.probes[i])
			}
		}
		return r
	}
	for r, err := range ordered.Map(p.ctx, workers, scanner.Chunks(), work, (*probed).release) {
		if err != nil {
			return err
		}
		for i := range r.chunk.Items {
			s.item(&r.chunk.Items[i], &r.probes[i])
		}
		r.release()
	}
	return nil
}

// missingIndexes reports indexes that should be beside the log.
func (p *partitionCheck) missingIndexes(segment *logdir.Segment, s *segmentCheck) {
	if p.single || s.size == 0 {
		return
	}
	front := strings.TrimSuffix(segment.Log.Name, ".log")
	if segment.Index == nil && !p.hasLeftover(front+".index.swap") && s.batches > 0 {
		f := At(IndexMissing, siblingPath(segment.Log, ".index"))
		f.Message = "there is no offset index beside a log of " + text(s.size) + " bytes"
		f.Broker = "the next start recovers the whole segment to rebuild it; brokers before 2.3 may go on without"
		p.report.add(f)
	}
	if segment.TimeIndex != nil || !s.timestamps || p.hasLeftover(front+".timeindex.swap") {
		return
	}
	if !s.v2 && !p.anyTimeIndex() {
		return
	}
	f := At(TimeIndexMissing, siblingPath(segment.Log, ".timeindex"))
	f.Message = "there is no time index beside a log with timestamps"
	f.Broker = "stays empty after a clean start: lookups by time read the whole segment, retention goes by the time of the file"
	p.report.add(f)
}

func (p *partitionCheck) hasLeftover(name string) bool {
	for i := range p.p.Leftovers {
		if p.p.Leftovers[i].Name == name {
			return true
		}
	}
	return false
}

func (p *partitionCheck) anyTimeIndex() bool {
	for i := range p.p.Segments {
		if p.p.Segments[i].TimeIndex != nil {
			return true
		}
	}
	return false
}

// file is an open file whose reads are counted and spaced.
type file struct {
	f    opened
	size int64
	c    *checker
	live bool // a broker may cut it at any time
}

// opened is an open file.
type opened interface {
	io.ReaderAt
	io.Closer
}

func (f *file) close() { _ = f.f.Close() }

// errStopped ends reading when the run is interrupted.
var errStopped = errors.New("interrupted")

func (f *file) ReadAt(b []byte, position int64) (int, error) {
	f.c.throttle.Pause(f.c.done, len(b))
	if f.stopped() {
		return 0, errStopped
	}
	n, err := f.f.ReadAt(b, position)
	if f.live && errors.Is(err, io.EOF) {
		n, err = readonly.Pad(b, n, position, f.size)
	}
	f.progress(int64(n))
	return n, err
}

// NextData skips holes, which count as read.
func (f *file) NextData(position int64) (int64, error) {
	if f.stopped() {
		return position, errStopped
	}
	next, err := readonly.NextData(f.f, position)
	f.progress(next - position)
	return next, err
}

func (f *file) stopped() bool {
	select {
	case <-f.c.done:
		return true
	default:
		return false
	}
}

func (f *file) progress(n int64) {
	if f.c.options.Progress != nil && n > 0 {
		f.c.options.Progress(n)
	}
}
