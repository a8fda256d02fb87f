package cluster

import (
	"context"
	"fmt"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/topiclog"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// checkpoint is one that was read, with the image in it.
type checkpoint struct {
	Checkpoint
	state replay
	sound bool
}

// checkpoint reads a KRaft checkpoint and checks that it is whole: offsets from
// 0 on without a gap, the epoch of its name in each batch, a header first and a
// footer last.
func (l *loader) checkpoint(ctx context.Context, source *topiclog.Source, entry logdir.Entry) (checkpoint, error) {
	c := checkpoint{Checkpoint: Checkpoint{File: entry.Path, Epoch: entry.File.Epoch, Timestamp: -1}, state: replay{image: newImage()}, sound: true}
	if entry.File.Kind == logdir.KindKRaftCheckpoint {
		c.EndOffset = entry.File.BaseOffset
	}
	complain := func(f sanity.Finding) {
		c.sound = false
		l.finding(f)
	}
	// What a damaged batch explains isn't reported again.
	malformed := func(position int64, format string, args ...any) {
		if !c.sound {
			return
		}
		f := sanity.At(sanity.KRaftCheckpointMalformed, entry.Path)
		f.Position, f.Message = position, fmt.Sprintf(format, args...)
		complain(f)
	}
	next, footers, headers := int64(0), 0, 0
	seen := func(b *recordbatch.Batch, offset int64, header, footer bool) {
		switch {
		case offset != next:
			malformed(b.Position, "offset %d where %d should be", offset, next)
		case footers > 0:
			malformed(b.Position, "a record behind the footer")
		case header != (offset == 0):
			malformed(b.Position, "the header is not the first record")
		}
		next = offset + 1
		headers, footers = headers+number(header), footers+number(footer)
	}
	reader := topiclog.Reader{Topic: topics.ClusterMetadata, Last: topiclog.All, Source: source, Visitor: topiclog.Visitor{
		Finding: complain,
		Batch: func(b *recordbatch.Batch) {
			if c.Epoch >= 0 && b.PartitionLeaderEpoch != c.Epoch {
				malformed(b.Position, "epoch %d, the name says %d", b.PartitionLeaderEpoch, c.Epoch)
			}
		},
		Record: func(r *topiclog.Record) {
			seen(r.Batch, r.Offset, false, false)
			if err := c.state.record(r); err != nil {
				complain(reference(entry.Path, r.Batch, r.Offset, err))
			}
		},
		Control: func(b *recordbatch.Batch, r *recordbatch.Record, k recordbatch.Control) {
			seen(b, r.Offset, k.Type == recordbatch.ControlSnapshotHeader, k.Type == recordbatch.ControlSnapshotFooter)
			if t := c.state.control(k, r.Value); t >= 0 {
				c.Timestamp = t
			}
		},
	}}
	err := reader.Read(ctx, []logdir.Entry{entry})
	if err == nil && footers == 0 {
		malformed(entry.Size, "the footer is missing")
	}
	if err == nil && headers == 0 && next == 0 {
		malformed(0, "the header is missing")
	}
	return c, err
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
