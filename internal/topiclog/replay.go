package topiclog

import (
	"context"
	"errors"
	"fmt"

	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/recordbatch"
)

// Log is the log of a partition, with what its records are.
type Log struct {
	Topic  topics.Topic
	Source Source
}

// Replayed says how far the log of a partition was read.
type Replayed struct {
	Partition string // such as "__consumer_offsets-12"
	// LastOffset is that of the last record, LastTimestamp the largest
	// timestamp of a batch; −1 where there was none.
	LastOffset    int64
	LastTimestamp int64
}

// ErrManyPartitions says that an offset was given, which is one of one log, and
// several logs are there.
var ErrManyPartitions = errors.New("an offset means one partition, and there are several")

// Replay reads the logs of several partitions, one after the other.
func Replay(ctx context.Context, logs []Log, last int64, v Visitor) ([]Replayed, error) {
	if last != All && len(logs) > 1 {
		return nil, fmt.Errorf("%w: %s, %s", ErrManyPartitions, logs[0].Source.Name, logs[1].Source.Name)
	}
	list := make([]Replayed, 0, len(logs))
	var errs []error
	for i := range logs {
		log := &logs[i]
		done := Replayed{log.Source.Name, -1, -1}
		reader := Reader{Topic: log.Topic, Last: last, Source: &log.Source, Visitor: v}
		reader.Batch = func(b *recordbatch.Batch) {
			done.LastTimestamp = max(done.LastTimestamp, b.MaxTimestamp)
			if v.Batch != nil {
				v.Batch(b)
			}
		}
		reader.Record = func(r *Record) {
			done.LastOffset = r.Offset
			if v.Record != nil {
				v.Record(r)
			}
		}
		reader.Control = func(b *recordbatch.Batch, r *recordbatch.Record, c recordbatch.Control) {
			done.LastOffset = r.Offset
			if v.Control != nil {
				v.Control(b, r, c)
			}
		}
		errs = append(errs, log.Source.Hold(), reader.Read(ctx, log.Source.Logs))
		log.Source.Close()
		if v.End != nil {
			v.End()
		}
		list = append(list, done)
	}
	return list, errors.Join(errs...)
}
