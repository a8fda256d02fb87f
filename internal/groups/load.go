package groups

import (
	"context"
	"errors"

	"github.com/kafsck/kafsck/internal/topiclog"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// Result is what Load found.
type Result struct {
	Groups     []Group
	Partitions []topiclog.Replayed
	Skipped    int64 // records that could not be decoded, or of a newer type
}

// Load reads the groups at a path: a log directory, or a partition or log of
// __consumer_offsets or __share_group_state; up to the offset last, itself
// included, or topiclog.All. What is damaged goes to finding. What can't be
// read is told by the error, beside a result of the rest.
func Load(ctx context.Context, path string, last int64, finding func(sanity.Finding)) (*Result, error) {
	var logs []topiclog.Log
	offsets, dir, err := topiclog.Find(path, topics.ConsumerOffsets)
	for _, s := range offsets {
		logs = append(logs, topiclog.Log{Topic: topics.ConsumerOffsets, Source: s})
	}
	if other := (*topiclog.OtherTopicError)(nil); dir != nil || errors.As(err, &other) {
		shares, _, shareErr := topiclog.Find(path, topics.ShareGroupState)
		switch {
		case shareErr == nil:
			for _, s := range shares {
				logs = append(logs, topiclog.Log{Topic: topics.ShareGroupState, Source: s})
			}
			if dir == nil || errors.Is(err, topiclog.ErrNoPartition) {
				err = nil // what is there is the other topic's
			}
		case !errors.Is(shareErr, topiclog.ErrNoPartition):
			err = errors.Join(err, shareErr)
		}
	}
	im := newImage()
	partitions, readErr := topiclog.Replay(ctx, logs, last, topiclog.Visitor{
		Finding: finding, Record: im.apply, End: im.endLog,
		Control: func(b *recordbatch.Batch, _ *recordbatch.Record, c recordbatch.Control) { im.endTransaction(b, c) },
	})
	if errors.Is(readErr, topiclog.ErrManyPartitions) {
		return nil, readErr
	}
	result := &Result{Partitions: partitions, Groups: im.list(topiclog.TopicNames(dir)), Skipped: im.skipped}
	return result, errors.Join(err, readErr)
}
