//go:build kafka && unix

package sanity

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/oracle"
)

// A real broker takes all kinds of writes, rolls, cleans, deletes and moves
// log starts, while its log directory is checked again and again: nothing
// above info may be said. The same holds when it was stopped, and when it was
// killed in between.
func TestBrokerThatWritesIsSound(t *testing.T) {
	k := oracle.Open(t)
	root := t.TempDir()
	segment := map[string]string{"segment.bytes": "1048576", "index.interval.bytes": "700"}
	with := func(more ...string) map[string]string {
		c := map[string]string{}
		for key, v := range segment {
			c[key] = v
		}
		for i := 0; i < len(more); i += 2 {
			c[more[i]] = more[i+1]
		}
		return c
	}
	opts := oracle.BrokerOpts{
		Format: true,
		Create: []oracle.Topic{
			{Name: "plain", Partitions: 3, Config: segment},
			{Name: "preallocated", Partitions: 1, Config: with("preallocate", "true")},
			{Name: "compacted", Partitions: 2, Config: with("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0.01",
				"delete.retention.ms", "100", "segment.ms", "700")},
			{Name: "short", Partitions: 2, Config: with("retention.bytes", "1200000", "file.delete.delay.ms", "300")},
			{Name: "stamped", Partitions: 1, Config: with("message.timestamp.type", "LogAppendTime", "compression.type", "lz4")},
			{Name: "transactions", Partitions: 2, Config: segment},
		},
		Properties: map[string]string{
			"log.cleaner.backoff.ms": "300", "log.initial.task.delay.ms": "100", "log.retention.check.interval.ms": "400",
			"log.flush.scheduler.interval.ms": "500", "log.cleaner.dedupe.buffer.size": "4194304",
			"log.flush.offset.checkpoint.interval.ms": "500", "log.flush.start.offset.checkpoint.interval.ms": "500",
		},
	}
	broker := k.BrokerUp(root, opts)
	ctx, cancel := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	write := func(f func(context.Context, string) error) {
		writers.Go(func() {
			if err := f(ctx, broker.Address); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		})
	}
	write(writePlain)
	write(writeTransactions)
	write(moveStart)
	var total Summary
	rounds := 0
	for deadline := time.Now().Add(liveTime); time.Now().Before(deadline) && !t.Failed(); rounds++ {
		total.Add(soundDir(t, root, fmt.Sprintf("round %d", rounds), ""))
	}
	broker.Kill()
	cancel()
	writers.Wait()
	// Nobody cut the zeros off: recovery is going to.
	killed := soundDir(t, root, "killed", LogZeroTail)
	opts.Format, opts.Create = false, nil
	again := k.BrokerUp(root, opts)
	soundDir(t, root, "recovered", "")
	if exit := again.Stop(); exit != 143 {
		t.Errorf("the broker stopped with exit status %d", exit)
	}
	soundDir(t, root, "stopped", "")
	if total.Records < 1000 || rounds < 3 {
		t.Errorf("%d rounds, %d records at last: too few to show anything", rounds, killed.Records)
	}
	t.Logf("%d rounds, %d bytes and %d records checked; %d records at last", rounds, total.Bytes, total.Records, killed.Records)
}

const liveTime = 20 * time.Second

// soundDir checks a log directory and accepts nothing above info but warnings
// of one code on preallocated segments.
func soundDir(t *testing.T, root, when string, but Code) Summary {
	t.Helper()
	dir, err := logdir.OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Check(t.Context(), []*logdir.Target{{Path: root, Dir: dir}}, Options{Workers: 2}, func(f *Finding) error {
		if f.Severity > Info && (f.Severity != Warning || f.Code != but || !strings.Contains(f.File, "preallocated-0")) {
			t.Errorf("%s: %s", when, f.AppendJSON(nil))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
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
