package sanity

import (
	"fmt"
	"io"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
)

// readState opens a small file and reads it.
func readState[T any](p *partitionCheck, e *logdir.Entry, code Code, broker string, read func(io.ReaderAt, int64) (T, error)) (T, bool) {
	var none T
	f, size, err := p.c.open(e.Path)
	if err != nil {
		p.cantOpen(e.Path, err)
		return none, false
	}
	defer f.close()
	p.looked(size)
	v, err := read(f, size)
	if err != nil {
		p.stateFault(code, e.Path, err, broker)
		return v, false
	}
	return v, true
}

func (p *partitionCheck) partitionMetadata() {
	if p.p.Metadata == nil {
		return
	}
	m, ok := readState(p, p.p.Metadata, PartitionMetadataMalformed, loadFails, statefile.ReadPartitionMetadata)
	if ok {
		p.topicID = m.TopicID
		p.c.reads.partitionMetadata(p.report, p.p.Metadata.Path, &m)
	}
}

// leaderEpochs reads the checkpoint and keeps it where it can be relied on.
func (p *partitionCheck) leaderEpochs() {
	if p.p.LeaderEpochs == nil {
		return
	}
	epochs, ok := readState(p, p.p.LeaderEpochs, CheckpointMalformed, loadFails, statefile.ReadLeaderEpochs)
	if !ok {
		return
	}
	if i := epochs.OutOfOrder(); i >= 0 {
		a, b := epochs.Entries[i-1], epochs.Entries[i]
		f := At(CheckpointEpochOrder, p.p.LeaderEpochs.Path)
		f.set("line", b.Line)
		f.Position = b.Position
		f.Offset, f.LastOffset = max(-1, b.StartOffset), max(-1, b.StartOffset)
		f.Message = fmt.Sprintf("line %d: epoch %d from offset %d on behind epoch %d from %d on", b.Line, b.Epoch, b.StartOffset, a.Epoch, a.StartOffset)
		f.Broker = "loaded without a word; followers that ask where an epoch ended get a wrong answer and truncate there"
		p.report.add(f)
		return
	}
	if p.env.marker != logdir.Delete {
		p.lineage.epochs = epochs.Entries
	}
}

// epochsBeyond reports leader epochs that begin behind the log's end.
func (p *partitionCheck) epochsBeyond() {
	entries := p.lineage.epochs
	if p.endOffset < 0 || p.lineage.damaged || len(entries) == 0 || p.p.LeaderEpochs == nil {
		return
	}
	var first *Finding
	for _, e := range entries {
		if e.StartOffset <= p.endOffset {
			continue
		}
		if first != nil {
			first.folded = first.count() + 1
			continue
		}
		f := At(CheckpointOffsetOutOfRange, p.p.LeaderEpochs.Path)
		f.set("line", e.Line)
		f.Position = e.Position
		f.Offset, f.LastOffset = e.StartOffset, e.StartOffset
		f.Message = fmt.Sprintf("line %d: epoch %d begins at offset %d, the log ends at %d", e.Line, e.Epoch, e.StartOffset, p.endOffset)
		f.Broker = "dropped at the next start"
		first = p.report.add(f)
	}
}

func (p *partitionCheck) quorum() {
	if p.p.QuorumState == nil {
		return
	}
	q, ok := readState(p, p.p.QuorumState, QuorumStateMalformed, "the controller does not start", statefile.ReadQuorumState)
	if ok {
		p.c.reads.quorumState(p.report, p.p.QuorumState.Path, &q)
	}
}
