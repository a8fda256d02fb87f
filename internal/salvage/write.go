package salvage

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math"
	"slices"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/place"
	"github.com/kafsck/kafsck/internal/producerstate"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/internal/statefile"
)

const writeBuffer = 1 << 20

// writer writes the segments of the result.
type writer struct {
	set      *place.Set
	options  Options
	name     string
	report   *reporter
	bases    []int64 // of the segments of the first source, rising
	newest   int64   // base offset of its newest .log; −1 none
	start    int64   // base offset of the first segment
	segments int64
	base     int64 // of the newest segment
	end      int64 // offset behind the last batch, or base of an empty segment

	// accepts is fed with each batch before it is written: what a broker would
	// not replay is left. replayed is fed by the recovery of what was written.
	accepts, replayed *producerstate.State

	segment *segment
}

// segment is the .log under way.
type segment struct {
	file    *place.File
	out     *bufio.Writer
	sum     hash.Hash
	name    string
	base    int64
	size    int64
	batches int64
	records int64
	first   int64
	last    int64
}

func newWriter(set *place.Set, name string, o Options, report *reporter) *writer {
	w := &writer{set: set, name: name, options: o, report: report, start: -1, newest: -1}
	w.accepts = producerstate.New(kafkaversion.Latest, 0)
	w.replayed = producerstate.New(kafkaversion.Latest, 0)
	return w
}

// refuses says why a broker would not load a log with this batch in it, or
// would cut the log behind it; nil where it would not mind.
func (w *writer) refuses(c *candidate) error {
	if c.batch.IsLegacy() {
		return nil
	}
	_, err := w.accepts.Append(&c.batch)
	return err
}

// add writes a batch.
func (w *writer) add(c *candidate) error {
	if w.rolls(c) {
		if err := w.finishSegment(); err != nil {
			return err
		}
		if err := w.open(w.baseFor(c)); err != nil {
			return err
		}
	}
	s := w.segment
	w.report.salvaged(c, w.set.Path(s.name), s.size)
	if s.batches == 0 {
		s.first = c.first
	}
	s.batches++
	s.records += c.records
	s.size += c.batch.Size
	s.last = c.last
	w.end = c.last + 1
	_, err := s.out.Write(c.batch.Data)
	return err
}

// rolls says whether a batch begins a segment, by the rule of a broker: it
// doesn't fit below segment.bytes, or its offset not into 31 bits; or because
// the source has one that begins here.
func (w *writer) rolls(c *candidate) bool {
	s := w.segment
	if s == nil {
		return true
	}
	if c.last-s.base > math.MaxInt32 {
		return true
	}
	base, ok := w.sourceBase(c)
	return s.batches > 0 && (s.size > w.options.SegmentBytes-c.batch.Size || ok && base > s.base)
}

// baseFor is the base offset of the segment that begins with a batch: that of
// the source's segment where it fits, or else the first offset.
func (w *writer) baseFor(c *candidate) int64 {
	if base, ok := w.sourceBase(c); ok {
		return base
	}
	return c.first
}

// sourceBase is the base offset of the segment of the source in which the
// offsets of a batch belong; ok is false where something of that segment is
// written already, or it can't have that name.
func (w *writer) sourceBase(c *candidate) (base int64, ok bool) {
	i, found := slices.BinarySearch(w.bases, c.first)
	if !found {
		i--
	}
	if i < 0 {
		return 0, false
	}
	base = w.bases[i]
	return base, (w.start < 0 || base >= w.end) && c.last-base <= math.MaxInt32
}

func (w *writer) open(base int64) error {
	name := fmt.Sprintf("%020d.log", base)
	file, err := w.set.Create(name)
	if err != nil {
		return err
	}
	if w.start < 0 {
		w.start = base
		w.replayed.SetEndOffset(base)
	} else if err := w.snapshot(base); err != nil {
		return errors.Join(err, file.Discard())
	}
	s := &segment{file: file, sum: sha256.New(), name: name, base: base, first: -1, last: -1}
	s.out = bufio.NewWriterSize(tee{file, s.sum}, writeBuffer)
	w.segment = s
	w.segments++
	w.base = base
	return nil
}

// tee writes to a file and to its checksum.
type tee struct {
	file *place.File
	sum  hash.Hash
}

func (t tee) Write(p []byte) (int, error) {
	n, err := t.file.Write(p)
	t.sum.Write(p[:n])
	return n, err
}

// finishSegment completes the segment under way and writes its indexes. It
// reads the segment by the rules of a recovering broker, which must find
// nothing to cut.
func (w *writer) finishSegment() error {
	s := w.segment
	if s == nil {
		return nil
	}
	w.segment = nil
	w.report.flushRun()
	if err := s.out.Flush(); err != nil {
		return errors.Join(err, s.file.Discard())
	}
	result, err := recovery.Segment(s.file, s.size, recovery.Options{
		File: w.set.Path(s.name), BaseOffset: s.base, Version: kafkaversion.Latest,
		Interval: w.options.Interval, MaxIndexSize: w.options.MaxIndexSize, Producers: w.replayed,
	})
	switch {
	case err != nil:
	case result.Failure != nil:
		err = fmt.Errorf("%s: the result is not one that a broker loads: %w", w.set.Path(s.name), result.Failure)
	case result.Truncated() != 0:
		err = fmt.Errorf("%s: a broker would cut the result at position %d", w.set.Path(s.name), result.StopPosition)
	}
	if err != nil {
		return errors.Join(err, s.file.Discard())
	}
	if err := s.file.Commit(); err != nil {
		return err
	}
	w.report.say(&Written{
		Type: "written", Partition: w.name, File: w.set.Path(s.name), Bytes: s.size, Batches: s.batches, Records: s.records,
		FirstOffset: Offset(s.first), LastOffset: Offset(s.last), SHA256: hex.EncodeToString(s.sum.Sum(nil)),
	})
	stem := fmt.Sprintf("%020d", s.base)
	err = errors.Join(w.file(stem+".index", result.Offset.Bytes()), w.file(stem+".timeindex", result.Time.Bytes()))
	if txn := result.Txn.Bytes(); len(txn) > 0 {
		err = errors.Join(err, w.file(stem+".txnindex", txn))
	}
	return err
}

// abort closes what is under way.
func (w *writer) abort() error {
	if w.segment == nil {
		return nil
	}
	return w.segment.file.Discard()
}

// snapshot writes the state of the producers below an offset, as a broker does
// when it rolls or stops: without one, a broker that starts after a clean stop
// would know no producer.
func (w *writer) snapshot(offset int64) error {
	return w.file(fmt.Sprintf("%020d.snapshot", offset), statefile.AppendProducerSnapshot(nil, w.replayed.Snapshot()))
}

// file writes a small file.
func (w *writer) file(name string, content []byte) error {
	f, err := w.set.Create(name)
	if err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		return errors.Join(err, f.Discard())
	}
	if err := f.Commit(); err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	w.report.wrote(w.set.Path(name), int64(len(content)), sum[:])
	return nil
}

// finish completes the last segment. The newest segment of the source is made,
// empty, where nothing of it was kept: offsets below its base were given away
// and must not be given away again.
func (w *writer) finish() error {
	if err := w.finishSegment(); err != nil {
		return err
	}
	if last := w.newest; last >= 0 && (w.start < 0 || last > w.end) {
		if err := w.open(last); err != nil {
			return err
		}
		w.end = last
		if err := w.finishSegment(); err != nil {
			return err
		}
	}
	if w.start < 0 || w.end == w.start {
		return nil
	}
	if w.segments > 1 && w.end == w.base {
		return nil // the snapshot of that number is there
	}
	return w.snapshot(w.end)
}
