package transactions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/producerstate"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/recordbatch"
)

// Log is what is scanned: segments in order, and the snapshots beside them.
type Log struct {
	Name      string // topic-partition
	Topic     string // "" where the path has no name of a partition
	Partition int32
	Segments  []logdir.Segment
	Snapshots []logdir.Entry
	// Reading, where not nil, is put between the scan and each file.
	Reading func(io.ReaderAt) io.ReaderAt

	picture *logdir.Picture // opens the logs; nil: from the disk
}

// Of is the log of a partition directory, of which the picture has the logs of
// the segments.
func Of(p *logdir.Picture) *Log {
	l := &Log{Name: p.Path, Segments: p.Segments, Snapshots: p.Snapshots, picture: p}
	if p.HasName {
		l.Name, l.Topic, l.Partition = p.Dir.String(), p.Dir.Topic, p.Dir.Partition
	}
	return l
}

// running is a transaction under way.
type running struct {
	Transaction
	began int64 // timestamp; −1 none
}

type scan struct {
	log     *Log
	options Options
	state   *producerstate.State
	summary Summary
	open    map[int64]*running
	first   int64 // offset of the log's first batch; −1 none yet
	newest  int64 // the largest timestamp, where it is known already
	end     int64

	snapshot  *logdir.Entry // that a broker would begin with
	believed  []statefile.ProducerEntry
	atN       map[int64]int64 // open in the log at the snapshot's offset, with first offsets
	reached   bool
	endedInIt map[int64]bool // producers with a marker behind the snapshot
}

// Scan tells of the transactions of a log. Damage of the log is not reported
// here, but noted in the summary: a marker that is damaged leaves its
// transaction open, as it does for a broker.
func Scan(ctx context.Context, log *Log, o Options) (*Summary, error) {
	s := &scan{
		log: log, options: o, state: producerstate.New(kafkaversion.Latest, 0), open: make(map[int64]*running), first: -1,
		endedInIt: make(map[int64]bool),
		summary:   Summary{Type: "transactions-summary", Partition: log.Name, LargestTimestamp: -1},
	}
	s.state.Partition = log.Name
	if err := s.loadSnapshot(); err != nil {
		return nil, err
	}
	if o.Ended {
		// The age of a transaction counts from the end of the log, which has
		// to be known before the first one is told.
		quiet := Options{}
		whole, err := Scan(ctx, log, quiet)
		if err != nil {
			return nil, err
		}
		s.newest = whole.LargestTimestamp
	}
	for i := range log.Segments {
		if log.Segments[i].Log == nil {
			continue
		}
		if err := s.segment(ctx, &log.Segments[i]); err != nil {
			return nil, err
		}
	}
	return s.finish()
}

func (s *scan) segment(ctx context.Context, segment *logdir.Segment) error {
	f, size, err := s.log.picture.Open(segment.Log.Path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	var r io.ReaderAt = f
	if s.log.Reading != nil {
		r = s.log.Reading(f)
	}
	s.end = max(s.end, segment.BaseOffset)
	scanner := recordbatch.NewScanner(r, size, recordbatch.Options{File: segment.Log.Path, Base: segment.BaseOffset})
	for b, err := range scanner.Batches() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			var damage *recordbatch.CorruptError
			if !errors.As(err, &damage) {
				return err
			}
			s.summary.Damaged = true
			continue
		}
		if err := s.batch(segment.Log.Path, b); err != nil {
			return err
		}
	}
	return nil
}

func (s *scan) batch(file string, b *recordbatch.Batch) error {
	if s.first < 0 {
		s.first = b.BaseOffset()
	}
	if b.BaseOffset() >= s.snapshotOffset() {
		s.reach()
	}
	s.end = max(s.end, b.LastOffset()+1)
	s.summary.LargestTimestamp = max(s.summary.LargestTimestamp, b.MaxTimestamp)
	if b.IsLegacy() || b.ProducerID < 0 {
		return nil
	}
	before, _ := s.state.Producer(b.ProducerID)
	outcome, thrown := s.state.Append(b)
	if thrown != nil {
		s.summary.Damaged = true
		if s.options.Refused != nil {
			return s.options.Refused(file, b.Position, b.BaseOffset(), thrown)
		}
		return nil
	}
	if b.IsControl() {
		if s.reached && b.Count > 0 {
			s.endedInIt[b.ProducerID] = true
		}
		if outcome.Completed {
			return s.completed(b, outcome.Txn)
		}
		return nil
	}
	if outcome.Started {
		s.open[b.ProducerID] = &running{began: began(b), Transaction: Transaction{
			Type: "transaction", Partition: s.log.Name, ProducerID: b.ProducerID, FirstOffset: b.BaseOffset(),
			State: Open, CoordinatorEpoch: before.CoordinatorEpoch,
		}}
	}
	if t := s.open[b.ProducerID]; t != nil {
		t.ProducerEpoch = b.ProducerEpoch
		t.LastOffset = b.LastOffset()
		t.Batches++
		t.Records += int64(b.Count)
	}
	return nil
}

// began is the time of a batch's first record, as far as the header tells.
func began(b *recordbatch.Batch) int64 {
	if b.Attributes.HasDeleteHorizon() || b.TimestampType() == recordbatch.LogAppendTime || b.BaseTimestamp < 0 {
		return b.MaxTimestamp
	}
	return b.BaseTimestamp
}

func (s *scan) completed(b *recordbatch.Batch, txn producerstate.CompletedTxn) error {
	t := s.open[b.ProducerID]
	delete(s.open, b.ProducerID)
	if t == nil {
		return nil
	}
	t.State = Committed
	s.summary.Committed++
	if txn.Aborted {
		t.State = Aborted
		s.summary.Committed--
		s.summary.Aborted++
	}
	t.LastOffset, t.ProducerEpoch = txn.LastOffset, b.ProducerEpoch
	if after, ok := s.state.Producer(b.ProducerID); ok {
		t.CoordinatorEpoch = after.CoordinatorEpoch
	}
	if !s.options.Ended {
		return nil
	}
	return s.visit(t)
}

// visit hands a transaction out.
func (s *scan) visit(t *running) error {
	if t.began >= 0 {
		age := max(0, max(s.newest, s.summary.LargestTimestamp)-t.began)
		t.AgeMs = &age
	}
	if s.options.Visit == nil {
		return nil
	}
	return s.options.Visit(&t.Transaction)
}

func (s *scan) finish() (*Summary, error) {
	s.reach()
	s.summary.LogEndOffset, s.summary.LastStableOffset = s.end, s.end
	var open []*running
	for _, t := range s.open {
		open = append(open, t)
	}
	earlier, err := s.compareSnapshot()
	if err != nil {
		return nil, err
	}
	open = append(open, earlier...)
	slices.SortFunc(open, func(a, b *running) int {
		return cmp.Or(cmp.Compare(a.FirstOffset, b.FirstOffset), cmp.Compare(a.ProducerID, b.ProducerID))
	})
	for i, t := range open {
		if i == 0 {
			s.summary.LastStableOffset, s.summary.BlockedBy = t.FirstOffset, &t.ProducerID
		}
		s.summary.Open++
		t.Abort = s.abortCommand(t.FirstOffset)
		if err := s.visit(t); err != nil {
			return nil, err
		}
	}
	s.summary.Producers = int64(s.state.Len())
	return &s.summary, s.producers()
}

func (s *scan) producers() error {
	if s.options.Producer == nil {
		return nil
	}
	for _, e := range s.state.Snapshot() {
		err := s.options.Producer(&Producer{
			Type: "producer", Partition: s.log.Name, ProducerID: e.ProducerID, ProducerEpoch: e.ProducerEpoch,
			CoordinatorEpoch: e.CoordinatorEpoch, FirstSequence: e.FirstSequence, LastSequence: e.LastSequence,
			LastOffset: e.LastOffset, LastTimestamp: e.LastTimestamp, CurrentTxnFirstOffset: e.CurrentTxnFirstOffset,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// abortCommand is what ends a transaction in a running cluster: the tool finds
// the producer and its epochs by the first offset. There is none where the
// directory's name is no topic's.
func (s *scan) abortCommand(first int64) *string {
	if logdir.CheckTopic(s.log.Topic) != nil {
		return nil
	}
	command := fmt.Sprintf("kafka-transactions.sh --bootstrap-server HOST:PORT abort --topic %s --partition %d --start-offset %d",
		s.log.Topic, s.log.Partition, first)
	return &command
}
