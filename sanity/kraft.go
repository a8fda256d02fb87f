package sanity

import (
	"fmt"
	"slices"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch"
)

// isMetadata says whether the directory is that of the controllers' log, which
// is never compacted: what is missing of it is a loss.
func (p *partitionCheck) isMetadata() bool {
	return p.p.HasName && p.p.Dir.Topic == logdir.MetadataTopic && p.p.Dir.Partition == 0 && p.env.marker == logdir.NoMarker
}

// metadataStart reports a metadata log that begins behind offset 0 and behind
// every snapshot (KafkaMetadataLog.recoverSnapshots, KAFKA-14240). It begins
// with its first segment: a controller opens it with log start 0, whatever
// log-start-offset-checkpoint says. Snapshots count by their names, as there.
func (p *partitionCheck) metadataStart() {
	if !p.isMetadata() {
		return
	}
	i := slices.IndexFunc(p.p.Segments, func(s logdir.Segment) bool { return s.Log != nil })
	if i < 0 {
		return
	}
	log := &p.p.Segments[i]
	reached := int64(0)
	for _, e := range p.p.Checkpoints {
		reached = max(reached, e.File.BaseOffset)
	}
	if reached >= log.BaseOffset {
		return
	}
	f := At(MetadataGap, log.Log.Path)
	f.Position, f.EndPosition = 0, 0
	f.Offset, f.LastOffset = reached, log.BaseOffset-1
	f.Message = fmt.Sprintf("offsets %d to %d are missing: the log begins at %d and no checkpoint reaches that", reached, log.BaseOffset-1, log.BaseOffset)
	f.Broker = "the node does not start: IllegalStateException, Inconsistent snapshot state"
	f.set("logStart", log.BaseOffset)
	p.report.add(f)
}

// kraftCheckpoints checks the KRaft snapshots of the metadata log.
func (p *partitionCheck) kraftCheckpoints() {
	for i := range p.p.Checkpoints {
		if p.ctx.Err() != nil {
			return
		}
		p.kraftCheckpoint(&p.p.Checkpoints[i])
	}
}

const kraftBroker = "a controller or broker that loads this snapshot fails to start"

// kraftCheckpoint checks one snapshot: batches as in a log, a header record
// first and a footer record last, offsets from 0 on without a gap, and the
// epoch of the name in every batch (RecordsSnapshotWriter, Snapshots).
func (p *partitionCheck) kraftCheckpoint(e *logdir.Entry) {
	f, size, err := p.c.open(e.Path)
	if err != nil {
		p.cantOpen(e.Path, err)
		return
	}
	defer f.close()
	p.looked(size)
	fold := newFolder(p.report)
	bad := func(position int64, format string, args ...any) {
		x := At(KRaftCheckpointMalformed, e.Path)
		x.Position = position
		x.Message, x.Broker = fmt.Sprintf(format, args...), kraftBroker
		fold.add(x)
	}
	prober := p.c.takeProber(e.Path)
	defer p.c.giveProber(prober)
	k := kraftWalk{header: true}
	scanner := recordbatch.NewScanner(f, size, recordbatch.Options{File: e.Path})
	for b, err := range scanner.Batches() {
		if damage := corruptOf(err); damage != nil {
			x := FromCorrupt(damage)
			bad(x.Position, "%s: %s", x.Code, x.Message)
			k.damaged = true
			continue
		}
		if err != nil {
			if p.ctx.Err() == nil {
				p.report.unreadable(e.Path, -1, err)
			}
			return
		}
		var out probe
		prober.look(b, &out)
		p.report.summary.Batches++
		p.report.summary.Records += out.records
		for i := range out.faults {
			bad(b.Position, "%s: %s", out.faults[i].Code, out.faults[i].Message)
			k.damaged = true
		}
		if what := p.c.reads.kraftUnknown(b, &out); what != "" {
			bad(b.Position, "%s", what)
		}
		k.batch(b, e, prober, bad)
	}
	switch {
	case k.damaged:
	case k.batches == 0:
		bad(0, "there is no batch in it")
	case !k.footer:
		bad(size, "the last record is no SNAPSHOT_FOOTER: the snapshot was not finished")
	}
}

type kraftWalk struct {
	header  bool // the header record is still to come
	footer  bool // the last record was a footer
	damaged bool
	batches int
	next    int64
}

func (k *kraftWalk) batch(b *recordbatch.Batch, e *logdir.Entry, prober *prober, bad func(int64, string, ...any)) {
	k.batches++
	if b.Offset != k.next && !k.damaged {
		bad(b.Position, "base offset %d, where %d follows", b.Offset, k.next)
	}
	k.next = b.LastOffset() + 1
	if e.File.Epoch >= 0 && b.PartitionLeaderEpoch != e.File.Epoch {
		bad(b.Position, "epoch %d, where the name has %d", b.PartitionLeaderEpoch, e.File.Epoch)
	}
	k.footer = false
	for r, err := range prober.decoder.Records(b) {
		if err != nil {
			return
		}
		if !b.IsControl() {
			if k.header && !k.damaged {
				bad(b.Position, "the first record is no SNAPSHOT_HEADER")
			}
			k.header = false
			return
		}
		c, err := recordbatch.ParseControl(r)
		if err != nil {
			return
		}
		if k.header && c.Type != recordbatch.ControlSnapshotHeader && !k.damaged {
			bad(b.Position, "the first record is no SNAPSHOT_HEADER")
		}
		k.header = false
		k.footer = c.Type == recordbatch.ControlSnapshotFooter
	}
}
