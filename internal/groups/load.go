package groups

import (
	"context"
	"errors"
	"fmt"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/topiclog"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// Result is what Load found.
type Result struct {
	Groups []Group
	// Partitions are the partitions that were read, and LastOffset the last
	// offset seen in each, −1 where there was none.
	Partitions []string
	LastOffset []int64
	Skipped    int64 // records that could not be decoded, or of a newer type
}

// ErrManyPartitions says that an offset was given, which is one of one log, and
// several logs are there.
var ErrManyPartitions = errors.New("an offset means one partition, and there are several")

// Load reads the groups at a path: a log directory, or a partition or log of
// __consumer_offsets or __share_group_state; up to the offset last, itself
// included, or topiclog.All. What is damaged goes to finding. What can't be
// read is told by the error, beside a result of the rest.
func Load(ctx context.Context, path string, last int64, finding func(sanity.Finding)) (*Result, error) {
	var logs []reading
	offsets, dir, err := topiclog.Find(path, topics.ConsumerOffsets)
	for _, s := range offsets {
		logs = append(logs, reading{topics.ConsumerOffsets, s})
	}
	if dir != nil || err != nil {
		shares, _, shareErr := topiclog.Find(path, topics.ShareGroupState)
		switch {
		case shareErr == nil:
			for _, s := range shares {
				logs = append(logs, reading{topics.ShareGroupState, s})
			}
			if len(offsets) == 0 || dir == nil {
				err = nil
			}
		case !errors.Is(shareErr, topiclog.ErrNoPartition):
			err = errors.Join(err, shareErr)
		}
	}
	return load(ctx, logs, dir, last, finding, err)
}

type reading struct {
	topic  topics.Topic
	source topiclog.Source
}

func load(ctx context.Context, logs []reading, dir *logdir.Dir, last int64, finding func(sanity.Finding), err error) (*Result, error) {
	if last != topiclog.All && len(logs) > 1 {
		return nil, fmt.Errorf("%w: %s, %s", ErrManyPartitions, logs[0].source.Name, logs[1].source.Name)
	}
	im := NewImage()
	result := &Result{}
	errs := []error{err}
	for _, l := range logs {
		end := int64(-1)
		reader := topiclog.Reader{Topic: l.topic, Last: last, Visitor: topiclog.Visitor{
			Finding: finding, Record: func(r *topiclog.Record) { end = r.Offset; im.Apply(r) },
			Control: func(b *recordbatch.Batch, r *recordbatch.Record, c recordbatch.Control) {
				end = r.Offset
				im.EndTransaction(b, c)
			},
		}}
		errs = append(errs, reader.Read(ctx, l.source.Logs))
		im.EndLog()
		result.Partitions, result.LastOffset = append(result.Partitions, l.source.Name), append(result.LastOffset, end)
	}
	result.Groups, result.Skipped = im.Groups(topiclog.TopicNames(dir)), im.Skipped
	return result, errors.Join(errs...)
}
