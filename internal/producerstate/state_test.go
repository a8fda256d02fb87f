package producerstate

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// parse reads one encoded batch.
func parse(t testing.TB, encoded []byte) *recordbatch.Batch {
	t.Helper()
	b := new(recordbatch.Batch)
	recordbatch.ParseHeader(b, encoded[:min(len(encoded), recordbatch.HeaderSize)], 0)
	b.Data = encoded
	return b
}

// data is a batch of three records.
func data(t testing.TB, offset, producer int64, epoch int16, sequence int32, transactional bool) *recordbatch.Batch {
	b := batchtest.NewBatch(offset, 1000+offset, batchtest.Record{}, batchtest.Record{OffsetDelta: 1}, batchtest.Record{OffsetDelta: 2})
	if transactional {
		b = b.WithAttributes(0x10)
	}
	return parse(t, b.WithProducer(producer, epoch, sequence).Encode())
}

func marked(t testing.TB, offset, producer int64, epoch int16, commit bool, coordinator int32) *recordbatch.Batch {
	return parse(t, batchtest.Marker(offset, 1000+offset, producer, epoch, commit, coordinator).Encode())
}

func appendAll(t *testing.T, s *State, batches ...*recordbatch.Batch) (completed []CompletedTxn) {
	t.Helper()
	for _, b := range batches {
		outcome, err := s.Append(b)
		if err != nil {
			t.Fatal(err)
		}
		if outcome.Completed {
			completed = append(completed, outcome.Txn)
		}
	}
	return completed
}

func TestLastStableOffsetIsThatOfOthers(t *testing.T) {
	s := New(kafkaversion.Latest, 0)
	got := appendAll(t, s,
		data(t, 0, 7, 0, 0, true),
		data(t, 3, 8, 0, 0, true),
		data(t, 6, 9, 0, 0, true),
		marked(t, 9, 8, 0, false, 1),
		marked(t, 10, 7, 0, true, 1),
		data(t, 11, 8, 0, 3, true),
		marked(t, 14, 9, 0, false, 1),
		marked(t, 15, 8, 0, false, 1),
	)
	want := []CompletedTxn{
		{ProducerID: 8, FirstOffset: 3, LastOffset: 9, LastStableOffset: 0, Aborted: true},
		{ProducerID: 7, FirstOffset: 0, LastOffset: 10, LastStableOffset: 6},
		{ProducerID: 9, FirstOffset: 6, LastOffset: 14, LastStableOffset: 11, Aborted: true},
		{ProducerID: 8, FirstOffset: 11, LastOffset: 15, LastStableOffset: 16, Aborted: true},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if _, open := s.FirstUndecidedOffset(); open || s.EndOffset() != 16 || s.Len() != 3 {
		t.Errorf("open %v, end %d, %d producers", open, s.EndOffset(), s.Len())
	}
}

func TestProducerEntry(t *testing.T) {
	s := New(kafkaversion.Latest, 0)
	appendAll(t, s, data(t, 0, 7, 2, 5, false))
	want := statefile.ProducerEntry{
		ProducerID: 7, ProducerEpoch: 2, CoordinatorEpoch: -1, CurrentTxnFirstOffset: -1, LastTimestamp: 1000,
		FirstSequence: 5, LastSequence: 7, LastOffset: 2, OffsetDelta: 2,
	}
	if got, _ := s.Producer(7); got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	appendAll(t, s, data(t, 3, 7, 2, 8, true), marked(t, 6, 7, 2, true, 4))
	want.LastTimestamp, want.CoordinatorEpoch, want.FirstSequence, want.LastSequence, want.LastOffset = 1006, 4, 8, 10, 5
	if got, _ := s.Producer(7); got != want {
		t.Errorf("after a marker: got %+v\nwant %+v", got, want)
	}
	appendAll(t, s, marked(t, 7, 7, 3, true, 5)) // another epoch drops the batch
	want = statefile.ProducerEntry{
		ProducerID: 7, ProducerEpoch: 3, CoordinatorEpoch: 5, CurrentTxnFirstOffset: -1, LastTimestamp: 1007,
		FirstSequence: -1, LastSequence: -1, LastOffset: -1,
	}
	if got, _ := s.Producer(7); got != want {
		t.Errorf("after another epoch: got %+v\nwant %+v", got, want)
	}
}

func TestSequenceWraps(t *testing.T) {
	s := New(kafkaversion.Latest, 0)
	appendAll(t, s, data(t, 0, 7, 0, 1<<31-2, false))
	if e, _ := s.Producer(7); e.FirstSequence != 1<<31-2 || e.LastSequence != 0 {
		t.Errorf("got %+v", e)
	}
}

func TestWhatOldReleasesDid(t *testing.T) {
	old := func(text string) *State {
		v, err := kafkaversion.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return New(v, 0)
	}
	for version, want := range map[string]int{"2.7.2": 1, "2.8.0": 0} {
		if got := appendAll(t, old(version), marked(t, 5, 7, 0, false, 0)); len(got) != want {
			t.Errorf("%s: an empty transaction completed %v", version, got)
		}
	}
	for version, want := range map[string]int64{"2.4.0": 1000, "2.4.1": 1003} {
		s := old(version)
		appendAll(t, s, data(t, 0, 7, 0, 0, true), marked(t, 3, 7, 0, true, 0))
		if e, _ := s.Producer(7); e.LastTimestamp != want {
			t.Errorf("%s: timestamp %d after a marker, want %d", version, e.LastTimestamp, want)
		}
	}
	for version, class := range map[string]string{"2.4.0": classProducerFenced, "2.4.1": ""} {
		s := old(version)
		appendAll(t, s, data(t, 0, 7, 2, 0, true))
		outcome, err := s.Append(marked(t, 3, 7, 1, false, 0))
		if !outcome.FencedEpoch || className(err) != class {
			t.Errorf("%s: %+v, %v", version, outcome, err)
		}
	}
	// Transactional offset commits have no sequence: releases up to 2.1.0 take
	// their last offset for the first.
	for version, want := range map[string]int64{"2.1.0": 2, "2.1.1": 0} {
		s := old(version)
		appendAll(t, s, data(t, 0, 7, 0, -1, true))
		if first, _ := s.FirstUndecidedOffset(); first != want {
			t.Errorf("%s: the transaction begins at %d, want %d", version, first, want)
		}
	}
}

func className(err error) string {
	var kafka *indexfile.KafkaError
	if errors.As(err, &kafka) {
		return kafka.Class
	}
	return ""
}

func TestThrown(t *testing.T) {
	s := New(kafkaversion.Latest, 0)
	s.Partition = "t-0"
	appendAll(t, s, data(t, 0, 7, 0, 0, true))
	before := s.Snapshot()
	_, err := s.Append(data(t, 3, 7, 0, 3, false))
	want := "org.apache.kafka.common.errors.InvalidTxnStateException: Expected transactional write from producer 7 at offset (offset=3, segment=[-1:-1]) in partition t-0"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if !slices.Equal(before, s.Snapshot()) || s.EndOffset() != 3 {
		t.Errorf("a refused batch changed the state: %+v", s.Snapshot())
	}
	control := func(r batchtest.Record) *recordbatch.Batch {
		return parse(t, batchtest.ControlBatch(9, 0, r).WithProducer(7, 0, -1).WithAttributes(0x30).Encode())
	}
	for name, c := range map[string]struct {
		record batchtest.Record
		class  string
	}{
		"short key":        {batchtest.Record{Key: []byte{0, 0, 0}, Value: make([]byte, 6)}, classInvalidRecord},
		"negative version": {batchtest.Record{Key: []byte{255, 0, 0, 0}, Value: make([]byte, 6)}, classInvalidRecord},
		"unknown type":     {batchtest.Record{Key: []byte{0, 0, 0, 9}, Value: make([]byte, 6)}, classIllegalArgument},
		"short value":      {batchtest.Record{Key: make([]byte, 4), Value: make([]byte, 5)}, classBufferUnderflow},
		"one byte":         {batchtest.Record{Key: make([]byte, 4), Value: []byte{255}}, classBufferUnderflow},
		"short, negative":  {batchtest.Record{Key: make([]byte, 4), Value: []byte{255, 255}}, classInvalidRecord},
		"null key":         {batchtest.Record{Value: make([]byte, 6)}, classNullPointer},
		"null value":       {batchtest.Record{Key: make([]byte, 4)}, classNullPointer},
	} {
		if _, err := s.Append(control(c.record)); className(err) != c.class {
			t.Errorf("%s: %v", name, err)
		}
	}
	short := control(batchtest.Record{Key: make([]byte, 4), Value: make([]byte, 5)})
	if _, err := New(kafkaversion.Version{4, 0, 2}, 0).Append(short); className(err) != classInvalidRecord {
		t.Errorf("a short value in 4.0: %v", err)
	}
	// Two producers whose transactions claim one first offset.
	s = New(kafkaversion.Latest, 0)
	appendAll(t, s, data(t, 0, 7, 0, 0, true), data(t, 0, 8, 0, 0, true), marked(t, 3, 7, 0, false, 0))
	if _, err := s.Append(marked(t, 4, 8, 0, false, 0)); className(err) != classIllegalArgument {
		t.Errorf("a transaction that was not started: %v", err)
	}
}

func TestCompactedControlBatchOnlyNamesItsProducer(t *testing.T) {
	s := New(kafkaversion.Latest, 0)
	b := batchtest.EmptyBatch(5, 0, 99).WithAttributes(0x30).WithProducer(7, 1, -1)
	if got := appendAll(t, s, parse(t, b.Encode())); len(got) != 0 {
		t.Errorf("completed %v", got)
	}
	if e, ok := s.Producer(7); !ok || e.ProducerEpoch != -1 || s.EndOffset() != 6 {
		t.Errorf("got %+v %v, end %d", e, ok, s.EndOffset())
	}
}

func TestLoad(t *testing.T) {
	entries := []statefile.ProducerEntry{
		{ProducerID: 1, LastTimestamp: 100, CurrentTxnFirstOffset: -1, LastOffset: 5},
		{ProducerID: 2, LastTimestamp: 100, CurrentTxnFirstOffset: 4, LastOffset: 6},
		{ProducerID: 3, LastTimestamp: 150, CurrentTxnFirstOffset: -1, LastOffset: -1, LastSequence: 77},
	}
	s := New(kafkaversion.Latest, 0)
	s.Load(entries, 10)
	if s.Len() != 3 || s.EndOffset() != 10 {
		t.Errorf("loaded %+v, end %d", s.Snapshot(), s.EndOffset())
	}
	if e, _ := s.Producer(3); e.LastSequence != -1 {
		t.Errorf("an entry without a batch has no sequence: %+v", e)
	}
	if first, open := s.FirstUndecidedOffset(); !open || first != 4 {
		t.Errorf("open since %d %v", first, open)
	}
}

// The heap of open transactions against a plain search, and its memory under a
// transaction that never ends.
func TestOpenTxnsAgainstPlainSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	o := openTxns{byOffset: make(map[int64]int64)}
	plain := map[int64]int64{}
	o.start(-1, 99)
	plain[-1] = 99
	for range 20000 {
		offset, id := random.Int64N(300), random.Int64N(8)
		if random.IntN(2) == 0 {
			o.start(offset, id)
			plain[offset] = id
		} else {
			_, want := plain[offset]
			delete(plain, offset)
			if got := o.complete(offset); got != want {
				t.Fatalf("complete %d: %v", offset, got)
			}
		}
		skip := []int64{99, random.Int64N(8)}[random.IntN(2)]
		want := int64(1 << 62)
		for first, owner := range plain {
			if owner != skip {
				want = min(want, first)
			}
		}
		got, ok := o.firstOfOthers(skip)
		if ok != (want < 1<<62) || ok && got != want {
			t.Fatalf("first of others than %d: %d %v, want %d", skip, got, ok, want)
		}
	}
	for offset := range int64(100000) {
		o.start(1000+offset, 1)
		o.complete(1000 + offset)
	}
	if len(o.heap) > 1000 {
		t.Errorf("%d offsets kept for %d transactions", len(o.heap), len(o.byOffset))
	}
}

func BenchmarkAppend(b *testing.B) {
	s := New(kafkaversion.Latest, 0)
	batches := make([]*recordbatch.Batch, 100)
	for i := range batches {
		batches[i] = data(b, int64(3*i), int64(i%10), 0, int32(3*i), false)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, batch := range batches {
			if _, err := s.Append(batch); err != nil {
				b.Fatal(err)
			}
		}
	}
}
