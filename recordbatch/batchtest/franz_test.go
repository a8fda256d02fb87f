package batchtest

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The second reader: franz-go decodes what this package writes, as if it had
// been fetched from a broker.

// seen is what franz-go tells about a record, in terms of both sides.
type seen struct {
	Offset, Timestamp, ProducerID   int64
	ProducerEpoch                   int16
	LeaderEpoch                     int32
	Key, Value                      string
	NullKey, NullValue              bool
	Headers                         []Header
	Codec                           uint8
	Transactional, Control, Stamped bool
}

func franzRecords(data []byte) ([]seen, error) {
	response := kmsg.NewFetchResponseTopicPartition()
	response.RecordBatches = data
	opts := kgo.ProcessFetchPartitionOpts{KeepControlRecords: true, Offset: math.MinInt64}
	fetched, _ := kgo.ProcessFetchPartition(opts, &response, kgo.DefaultDecompressor(), nil)
	var out []seen
	for _, r := range fetched.Records {
		s := seen{
			Offset: r.Offset, Timestamp: -1, ProducerID: r.ProducerID, ProducerEpoch: r.ProducerEpoch,
			LeaderEpoch: r.LeaderEpoch, Key: string(r.Key), Value: string(r.Value),
			NullKey: r.Key == nil, NullValue: r.Value == nil,
			Codec: r.Attrs.CompressionType(), Transactional: r.Attrs.IsTransactional(),
			Control: r.Attrs.IsControl(), Stamped: r.Attrs.TimestampType() == 1,
		}
		if r.Attrs.TimestampType() >= 0 {
			s.Timestamp = r.Timestamp.UnixMilli()
		}
		for _, h := range r.Headers {
			s.Headers = append(s.Headers, Header{h.Key, h.Value})
		}
		out = append(out, s)
	}
	return out, fetched.Err
}

// writtenRecords is what the layout says that a reader must see.
func writtenRecords(l *Layout) []seen {
	var out []seen
	for i := range l.Batches {
		c := &l.Batches[i]
		for _, r := range c.Records {
			out = append(out, seen{
				Offset: r.Offset, Timestamp: r.Timestamp, ProducerID: c.ProducerID,
				ProducerEpoch: c.ProducerEpoch, LeaderEpoch: c.LeaderEpoch,
				Key: string(r.Key), Value: string(r.Value),
				NullKey: r.Key == nil, NullValue: r.Value == nil,
				Headers: r.Headers, Codec: uint8(c.Codec()),
				Transactional: c.Transactional(), Control: c.Control(), Stamped: c.LogAppendTime(),
			})
		}
	}
	return out
}

// forgiveStampedWrappers takes over the written time where franz-go tells the
// inner messages' own time of a wrapper that the broker stamped. Kafka's
// reader gives them the wrapper's.
func forgiveStampedWrappers(l *Layout, want, got []seen) {
	n := 0
	for b := range l.All() {
		for range b.Records {
			if n < len(got) && b.Magic == 1 && b.Codec() != None && b.LogAppendTime() {
				got[n].Timestamp, got[n].Stamped = want[n].Timestamp, want[n].Stamped
			}
			n++
		}
	}
}

func franzAgrees(t *testing.T, s *Segment) {
	t.Helper()
	got, err := franzRecords(s.Data)
	if err != nil {
		t.Errorf("franz-go: %v", err)
	}
	want := writtenRecords(&s.Layout)
	forgiveStampedWrappers(&s.Layout, want, got)
	if diff := difference(want, got); diff != "" {
		t.Errorf("franz-go reads other records (-written +read):\n%s", diff)
	}
}

// difference is [cmp.Diff] for large values, which are mostly equal.
func difference(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// compressions is every way to write each codec that franz-go accepts.
var compressions = map[Codec][]Compression{
	None:   {{}},
	Gzip:   {{}, {Stored: true}, {Parts: 3}},
	Snappy: {{}, {Stored: true}, {SnappyRaw: true}, {SnappyRaw: true, Stored: true}, {SnappyBlock: 1 << 10}, {SnappyLittleEndian: true}},
	Lz4: {{}, {Stored: true}, {Lz4BlockChecksum: true}, {Lz4ContentSize: true}, {Lz4ContentChecksum: true},
		{Lz4BlockID: 7, Lz4BlockChecksum: true, Lz4ContentSize: true, Lz4ContentChecksum: true}},
	Zstd: {{}, {Stored: true}, {Parts: 2}, {ZstdContentSize: true}, {ZstdChecksum: true}},
}

func someRecords(n, size int) []Record {
	var records []Record
	for i := range n {
		records = append(records, Record{
			TimestampDelta: int64(i % 3), Key: fmt.Append(nil, "key ", i),
			Value:   []byte(fmt.Sprintf("%0*d", size, i*i)),
			Headers: []Header{{"trace", fmt.Append(nil, i)}, {"", nil}, {"empty", []byte{}}},
		})
	}
	return records
}

func TestFranzReadsEveryCodec(t *testing.T) {
	for codec, ways := range compressions {
		for i, how := range ways {
			t.Run(fmt.Sprintf("%s %d", codec, i), func(t *testing.T) {
				franzAgrees(t, NewSegment(0,
					NewBatch(0, ts, someRecords(3, 1)...).WithCodec(codec, how),
					NewBatch(3, ts, someRecords(700, 200)...).WithCodec(codec, how),
				))
			})
		}
	}
}

func TestFranzReadsOddBatches(t *testing.T) {
	franzAgrees(t, NewSegment(0,
		EmptyBatch(0, 9, ts).WithProducer(1, 1, 5),
		NewBatch(10, ts, Record{}, Record{Key: []byte{}, Value: []byte{}}).WithEpoch(4),
		shifted(stamped(), 20), compacted(),
		NewBatch(200, ts, KV("k", "v")).WithProducer(7, 1, math.MaxInt32).WithAttributes(AttrTransactional),
		Marker(201, ts, 7, 1, false, 3),
		NewBatch(1<<50, ts, Record{}).WithDeleteHorizon(ts+99),
		NewBatch(1<<51, ts, Record{}).WithAttributes(1<<8|1<<14|-1<<15),
	))
}

func shifted(b Batch, baseOffset int64) Batch {
	b.BaseOffset = baseOffset
	return b
}

func TestFranzReadsLegacy(t *testing.T) {
	for _, magic := range []int8{0, 1} {
		s := NewSegment(0)
		m := func(offset int64, key, value []byte) Message {
			m := Message{Offset: offset, Magic: magic, Key: key, Value: value}
			if magic == 1 {
				m.Timestamp = ts + offset
			}
			return m
		}
		s.Add(m(0, nil, nil), m(1, []byte{}, []byte{}), m(2, []byte("k"), []byte("v")))
		for i, codec := range []Codec{Gzip, Snappy, Lz4} {
			base := int64(10 * (i + 1))
			w := NewWrapper(magic, codec, Compression{}, m(base, nil, []byte("x")), m(base+3, []byte("k"), nil))
			w.Compression.Lz4BrokenChecksum = false // franz-go refuses that of v0
			s.Add(w)
		}
		t.Run(fmt.Sprint("magic ", magic), func(t *testing.T) { franzAgrees(t, s) })
	}
}
