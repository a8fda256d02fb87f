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

// logReplay applies the log from an offset on, and checks all of it.
type logReplay struct {
	*loader
	source *topiclog.Source
	state  replay
	from   int64 // first offset to apply

	file    string
	segment int64 // base offset of the file
	damaged bool  // something between the last batch and the next
	first   int64 // base offset of the first batch, −1 before it
	next    int64 // offset behind the last batch
	epoch   int32
	epochs  []epochStart // rising
}

// epochStart is where an epoch begins in the log.
type epochStart struct {
	epoch  int32
	offset int64
}

func (p *logReplay) run(ctx context.Context, logs []logdir.Entry) error {
	p.first, p.epoch = -1, -1
	reader := topiclog.Reader{Topic: topics.ClusterMetadata, Last: p.last, Source: p.source, Visitor: topiclog.Visitor{
		File: func(e logdir.Entry) { p.file, p.segment = e.Path, e.File.BaseOffset }, Batch: p.batch,
		Finding: func(f sanity.Finding) {
			p.damaged = true
			p.finding(f)
		},
		Record: func(r *topiclog.Record) {
			if r.Offset < p.from {
				return
			}
			p.result.LastOffset, p.result.LastTimestamp = r.Offset, r.Timestamp
			if err := p.state.record(r); err != nil {
				p.finding(reference(p.file, r.Batch, r.Offset, err))
			}
		},
		Control: func(b *recordbatch.Batch, r *recordbatch.Record, c recordbatch.Control) {
			// Checkpoints don't say who led: that is also of interest from
			// before them.
			if c.Type == recordbatch.ControlLeaderChange {
				p.state.image.LeaderEpoch = b.PartitionLeaderEpoch
			} else if r.Offset < p.from {
				return
			}
			p.state.control(c, r.Value)
			if r.Offset >= p.from {
				p.result.LastOffset, p.result.LastTimestamp = r.Offset, r.Timestamp
			}
		},
	}}
	err := reader.Read(ctx, logs)
	switch {
	case p.first < 0 && p.from == 0 && logs[0].File.BaseOffset > 0:
		p.gap(logs[0].Path, 0, 0, logs[0].File.BaseOffset)
	case p.first > p.from:
		p.gap(logs[0].Path, 0, p.from, p.first)
	}
	p.result.Records += p.state.records
	p.result.Skipped += p.state.skipped
	if p.state.open {
		name := ""
		if p.state.name != nil {
			name = *p.state.name
		}
		p.result.OpenTransaction, p.result.Pending = &name, len(p.state.pending)
	}
	return err
}

// batch checks what the order of batches shows.
func (p *logReplay) batch(b *recordbatch.Batch) {
	switch base := b.BaseOffset(); {
	case base < p.segment:
		f := p.at(sanity.OffsetBelowBase, b)
		f.Message = fmt.Sprintf("base offset %d is below the segment's %d", base, p.segment)
		p.finding(f)
	case p.first < 0: // there is nothing to compare with
	case base > p.next && !p.damaged: // what damage explains isn't reported again
		p.gap(p.file, b.Position, p.next, base)
	case base < p.next:
		f := p.at(sanity.OffsetNotIncreasing, b)
		f.Message = fmt.Sprintf("base offset %d behind offset %d", base, p.next-1)
		p.finding(f)
	}
	p.damaged = false
	if p.first < 0 {
		p.first = b.BaseOffset()
	}
	p.next = b.LastOffset() + 1
	switch e := b.PartitionLeaderEpoch; {
	case e < p.epoch:
		f := p.at(sanity.EpochDecreased, b)
		f.Message = fmt.Sprintf("leader epoch %d behind %d", e, p.epoch)
		p.finding(f)
	case e > p.epoch:
		p.epochs = append(p.epochs, epochStart{e, b.BaseOffset()})
		p.epoch = e
	}
	if p.next > p.from {
		p.result.LastEpoch = b.PartitionLeaderEpoch
	}
}

func (p *logReplay) at(code sanity.Code, b *recordbatch.Batch) sanity.Finding {
	f := sanity.At(code, p.file)
	f.Position, f.EndPosition = b.Position, b.EndPosition()
	f.Offset, f.LastOffset = b.BaseOffset(), b.LastOffset()
	return f
}

func (p *logReplay) gap(file string, position, from, to int64) {
	f := sanity.At(sanity.MetadataGap, file)
	f.Position, f.Offset, f.LastOffset = position, from, to-1
	f.Message = fmt.Sprintf("offsets %d to %d are missing", from, to-1)
	p.finding(f)
}

// compare checks the epochs of checkpoints against the log: a checkpoint's is
// that of the last offset it contains.
func (p *logReplay) compare(checkpoints []Checkpoint) {
	for _, c := range checkpoints {
		at := c.EndOffset - 1
		if p.first < 0 || at < p.first || at >= p.next {
			continue
		}
		epoch := int32(-1) // unknown
		for _, e := range p.epochs {
			if e.offset <= at {
				epoch = e.epoch
			}
		}
		if epoch >= 0 && epoch != c.Epoch {
			f := sanity.At(sanity.KRaftCheckpointMalformed, c.File)
			f.Offset = at
			f.Message = fmt.Sprintf("epoch %d, the log has %d at offset %d", c.Epoch, epoch, at)
			p.finding(f)
		}
	}
}
