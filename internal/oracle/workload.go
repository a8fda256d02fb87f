//go:build kafka

package oracle

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// BusyOpts are of a broker for Busy: with topics of all kinds, it cleans, deletes,
// flushes and checkpoints all the time.
func BusyOpts() BrokerOpts {
	return BrokerOpts{Format: true, Create: busyTopics(), Properties: busyProperties()}
}

func busyTopics() []Topic {
	with := func(more map[string]string) map[string]string {
		c := map[string]string{"segment.bytes": "1048576", "index.interval.bytes": "700"}
		maps.Copy(c, more)
		return c
	}
	return []Topic{
		{Name: "plain", Partitions: 3, Config: with(nil)},
		{Name: "preallocated", Partitions: 1, Config: with(map[string]string{"preallocate": "true"})},
		{Name: "compacted", Partitions: 2, Config: with(map[string]string{"cleanup.policy": "compact",
			"min.cleanable.dirty.ratio": "0.01", "delete.retention.ms": "100", "segment.ms": "700"})},
		{Name: "short", Partitions: 2, Config: with(map[string]string{"retention.bytes": "1200000", "file.delete.delay.ms": "300"})},
		{Name: "stamped", Partitions: 1, Config: with(map[string]string{"message.timestamp.type": "LogAppendTime", "compression.type": "lz4"})},
		{Name: "transactions", Partitions: 2, Config: with(nil)},
	}
}

func busyProperties() map[string]string {
	return map[string]string{
		"log.cleaner.backoff.ms": "300", "log.initial.task.delay.ms": "100", "log.retention.check.interval.ms": "400",
		"log.flush.scheduler.interval.ms": "500", "log.cleaner.dedupe.buffer.size": "4194304", "log.cleaner.min.cleanable.ratio": "0.01",
		"log.flush.offset.checkpoint.interval.ms": "500", "log.flush.start.offset.checkpoint.interval.ms": "500",
		"offsets.topic.segment.bytes": "1048576", "transaction.state.log.segment.bytes": "1048576",
	}
}

// Busy has the broker take writes of all kinds to the topics of BusyOpts until stop is
// called, which waits for the writers. The broker may be killed before.
func (l *Live) Busy() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var writers sync.WaitGroup
	for _, write := range []func(context.Context, string) error{writePlain, writeTransactions, commitOffsets, moveStart} {
		writers.Go(func() {
			if err := write(ctx, l.Address); err != nil && ctx.Err() == nil && l.b.running() {
				l.tb.Error(err)
			}
		})
	}
	return func() {
		cancel()
		writers.Wait()
	}
}

// writePlain writes batches of all codecs and sizes, keys that come again and
// tombstones.
func writePlain(ctx context.Context, address string) error {
	codecs := []kgo.CompressionCodec{
		kgo.NoCompression(), kgo.Lz4Compression(), kgo.ZstdCompression(), kgo.SnappyCompression(), kgo.GzipCompression(),
	}
	random := rand.New(rand.NewPCG(1, 2))
	value := make([]byte, 20_000)
	for i := range value {
		value[i] = byte('a' + random.IntN(26))
	}
	for n := 0; ctx.Err() == nil; n++ {
		// A client for each codec; a new one is a new producer id.
		cl, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.ProducerBatchCompression(codecs[n%len(codecs)]),
			kgo.ProducerLinger(time.Duration(random.IntN(4))*time.Millisecond), kgo.RecordPartitioner(kgo.ManualPartitioner()))
		if err != nil {
			return err
		}
		stop := context.AfterFunc(ctx, cl.Close) // the broker may be gone for good
		for range 4 {
			var records []*kgo.Record
			for range 1 + random.IntN(400) {
				r := &kgo.Record{Value: value[:random.IntN(600)], Timestamp: time.UnixMilli(time.Now().UnixMilli() - int64(random.IntN(5000)))}
				switch random.IntN(5) {
				case 0:
					r.Topic, r.Partition = "plain", int32(random.IntN(3))
				case 1:
					r.Topic, r.Partition = "compacted", int32(random.IntN(2))
					r.Key = fmt.Appendf(nil, "key %d", random.IntN(50))
					if random.IntN(4) == 0 {
						r.Value = nil
					}
				case 2:
					r.Topic, r.Partition = "short", int32(random.IntN(2))
					r.Value = value[:random.IntN(len(value))]
				case 3:
					r.Topic = "stamped"
				case 4:
					r.Topic = "preallocated"
					r.Headers = []kgo.RecordHeader{{Key: "h", Value: value[:random.IntN(9)]}}
				}
				records = append(records, r)
			}
			if err := cl.ProduceSync(ctx, records...).FirstErr(); err != nil {
				return err
			}
		}
		stop()
		cl.Close()
	}
	return nil
}

// writeTransactions commits and aborts by turns, and sometimes goes away with
// one left open.
func writeTransactions(ctx context.Context, address string) error {
	random := rand.New(rand.NewPCG(3, 4))
	for n := 0; ctx.Err() == nil; n++ {
		cl, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.TransactionalID(fmt.Sprintf("writer-%d", n%3)),
			kgo.RecordPartitioner(kgo.ManualPartitioner()))
		if err != nil {
			return err
		}
		stop := context.AfterFunc(ctx, cl.Close)
		for range 10 {
			if err := transact(ctx, cl, random); err != nil {
				return err
			}
		}
		if err := cl.BeginTransaction(); err == nil {
			cl.Produce(ctx, &kgo.Record{Topic: "transactions", Partition: 1, Value: []byte("left open")}, nil)
			_ = cl.Flush(ctx)
		}
		stop()
		cl.Close()
	}
	return nil
}

func transact(ctx context.Context, cl *kgo.Client, random *rand.Rand) error {
	if err := cl.BeginTransaction(); err != nil {
		return err
	}
	for i := range 1 + random.IntN(60) {
		cl.Produce(ctx, &kgo.Record{Topic: "transactions", Partition: int32(i % 2), Key: []byte("k"), Value: fmt.Appendf(nil, "%0*d", random.IntN(500), i)}, nil)
	}
	if err := cl.Flush(ctx); err != nil {
		return err
	}
	return cl.EndTransaction(ctx, kgo.TransactionEndTry(random.IntN(2) == 0))
}

// commitOffsets commits offsets of a few groups again and again, with as much
// metadata as a broker takes, so that __consumer_offsets rolls and is cleaned.
func commitOffsets(ctx context.Context, address string) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(address))
	if err != nil {
		return err
	}
	defer cl.Close()
	metadata := strings.Repeat("m", 4000)
	for n := 0; ctx.Err() == nil; n++ {
		r := kmsg.NewPtrOffsetCommitRequest()
		r.Group = fmt.Sprintf("group-%d", n%7)
		topic := kmsg.NewOffsetCommitRequestTopic()
		topic.Topic = "plain"
		for i := range 3 {
			partition := kmsg.NewOffsetCommitRequestTopicPartition()
			partition.Partition, partition.Offset, partition.Metadata = int32(i), int64(n), &metadata
			topic.Partitions = append(topic.Partitions, partition)
		}
		r.Topics = append(r.Topics, topic)
		answer, err := r.RequestWith(ctx, cl)
		if err != nil {
			return err
		}
		for _, p := range answer.Topics[0].Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil && !kerr.IsRetriable(err) {
				return err
			}
		}
	}
	return nil
}

// moveStart deletes records of partition 0 of plain up to the high watermark.
func moveStart(ctx context.Context, address string) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(address))
	if err != nil {
		return err
	}
	defer cl.Close()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(2 * time.Second):
		}
		r := kmsg.NewPtrDeleteRecordsRequest()
		r.TimeoutMillis = 5000
		topic := kmsg.NewDeleteRecordsRequestTopic()
		topic.Topic = "plain"
		partition := kmsg.NewDeleteRecordsRequestTopicPartition()
		partition.Offset = -1
		topic.Partitions = append(topic.Partitions, partition)
		r.Topics = append(r.Topics, topic)
		if _, err := r.RequestWith(ctx, cl); err != nil {
			return err
		}
	}
}
