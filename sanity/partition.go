package sanity

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
)

// environment is what is known of a partition from the log directory around
// it.
type environment struct {
	live          bool // a process holds .lock
	closedCleanly bool // .kafka_cleanshutdown is there
	cleaned       bool // cleaner-offset-checkpoint has the partition
	marker        logdir.Marker
}

// partitionCheck checks one partition directory, or one file of it.
type partitionCheck struct {
	ctx     context.Context
	c       *checker
	env     environment
	report  *report
	p       *logdir.Partition
	lineage *lineage

	walking     bool // the logs were read without a hole from the first chosen one on
	fromStart   bool // ... and that one begins with offset 0
	compacted   bool // something says that the topic is compacted
	firstOffset int64
	waiting     []logdir.Entry // snapshots not looked at yet, by number
	cuts        []cut
	gaps        []pendingGap
	topicID     statefile.UUID
	endOffset   int64         // offset behind the last batch, −1 unknown
	inner       int           // cores for one log
	single      bool          // one file alone is checked, not the directory around it
	waited      time.Duration // for a running broker
	beside      Beside
}

// cut is damage at which recovery cuts the log, with what was sound before.
type cut struct {
	finding          *Finding
	segment          *segmentCheck
	batches, records int64
}

// pendingGap is a gap whose meaning depends on what the rest of the log shows.
type pendingGap struct {
	fold    *folder
	finding Finding
}

func newPartitionCheck(ctx context.Context, c *checker, p *logdir.Partition, env environment) *partitionCheck {
	return &partitionCheck{ctx: ctx, c: c, p: p, env: env, report: &report{}, lineage: newLineage(), endOffset: -1, inner: 1, beside: Beside{open: c.source}}
}

// pending notes a gap; all of one code in a file are folded into one.
func (p *partitionCheck) pending(fold *folder, f Finding) {
	// Those of this file are the last ones.
	for i := len(p.gaps) - 1; i >= 0 && p.gaps[i].fold == fold; i-- {
		if g := &p.gaps[i]; g.finding.Code == f.Code {
			g.finding.extend(&f)
			return
		}
	}
	p.gaps = append(p.gaps, pendingGap{fold, f})
}

// looked counts a file whose content is looked at.
func (p *partitionCheck) looked(size int64) {
	p.report.summary.Files++
	p.report.summary.Bytes += size
}

// found takes back a gap: the offsets turned up where they don't belong.
func (p *partitionCheck) found(fold *folder, first, last int64) {
	for i := len(p.gaps) - 1; i >= 0 && p.gaps[i].fold == fold; i-- {
		g := &p.gaps[i].finding
		if g.Code == OffsetGap && g.count() == 1 && g.Offset >= first && g.LastOffset <= last {
			p.gaps = slices.Delete(p.gaps, i, i+1)
			return
		}
	}
}

// all checks the whole directory.
func (p *partitionCheck) all() {
	p.names()
	p.orphans()
	p.partitionMetadata()
	p.compacted = p.looksCompacted()
	p.leaderEpochs()
	p.quorum()
	chosen := p.c.options.Filter.Segments(p.p.Segments)
	p.logs(chosen)
	if p.ctx.Err() == nil {
		p.swapped()
	}
	if p.ctx.Err() != nil {
		p.interrupted()
		return
	}
	p.kraftCheckpoints()
	p.metadataStart()
	p.finish()
}

// looksCompacted says whether something outside of the logs shows that the
// topic is compacted.
func (p *partitionCheck) looksCompacted() bool {
	if p.c.options.CleanupPolicy == PolicyCompact || p.env.cleaned {
		return true
	}
	if p.p.HasName && strings.HasPrefix(p.p.Dir.Topic, "__") && p.p.Dir.Topic != logdir.MetadataTopic {
		return true
	}
	for i := range p.p.Leftovers {
		if s := p.p.Leftovers[i].File.Suffix; s == logdir.Swap || s == logdir.Cleaned {
			return true
		}
	}
	return false
}

// logs walks the logs of the chosen segments.
func (p *partitionCheck) logs(chosen []logdir.Segment) {
	var walk []*logdir.Segment
	for i := range chosen {
		if chosen[i].Log != nil {
			walk = append(walk, &chosen[i])
		}
	}
	next := p.nextBases()
	p.waiting = p.p.Snapshots
	p.walking = len(walk) > 0
	expected := int64(-1)
	for i, segment := range walk {
		if p.ctx.Err() != nil {
			return
		}
		if i == 0 {
			p.firstOffset = segment.BaseOffset
			p.fromStart = segment.BaseOffset == 0
		} else if segment.BaseOffset != expected {
			p.lineage.broken, p.lineage.damaged = true, true
		}
		expected = next[segment.BaseOffset]
		p.segment(segment, expected)
	}
	if p.walking && p.ctx.Err() == nil && expected < 0 {
		p.endOffset = p.lineage.last + 1
		if p.lineage.last < 0 {
			p.endOffset = walk[len(walk)-1].BaseOffset
		}
		p.endOffset = max(p.endOffset, walk[len(walk)-1].BaseOffset)
	}
}

// nextBases maps the base offset of every segment with a log to that of the
// next one, −1 for the newest.
func (p *partitionCheck) nextBases() map[int64]int64 {
	next := map[int64]int64{}
	last := int64(-1)
	for i := range p.p.Segments {
		s := &p.p.Segments[i]
		if s.Log == nil {
			continue
		}
		if last >= 0 {
			next[last] = s.BaseOffset
		}
		next[s.BaseOffset] = -1
		last = s.BaseOffset
	}
	return next
}

// finish reports what only the whole partition shows.
func (p *partitionCheck) finish() {
	p.snapshots(max(p.endOffset, p.lineage.last+1))
	p.beyond(p.endOffset)
	p.epochsBeyond()
	p.gapsEnd()
	p.consequences()
	p.openTransactions()
}

// gapsEnd reports the gaps that compaction does not explain.
func (p *partitionCheck) gapsEnd() {
	l := p.lineage
	if p.compacted || l.thinned || l.sawLegacy {
		return
	}
	for _, g := range p.gaps {
		switch {
		case g.finding.Code == OffsetGap && p.isMetadata():
			g.finding.Code, g.finding.Severity = MetadataGap, MetadataGap.Severity()
			g.finding.Broker = "not noticed: the node goes on without what the missing records said, which the others know"
		case p.c.options.CleanupPolicy == PolicyDelete:
			g.finding.Severity = Warning
		}
		g.fold.once(g.finding)
	}
}

// consequences says of each damage what recovery would take away.
func (p *partitionCheck) consequences() {
	total := &p.report.summary
	var first *cut
	for i := range p.cuts {
		c := &p.cuts[i]
		if c.finding.Broker != "" {
			continue
		}
		if first != nil {
			c.finding.Broker = fmt.Sprintf("lies behind position %d of %s, where recovery cuts", first.finding.Position, baseName(first.segment.file))
			continue
		}
		first = c
		batches, records := total.Batches-c.batches, total.Records-c.records
		c.finding.set("lostBatches", batches)
		c.finding.set("lostRecords", records)
		switch {
		case batches > 0:
			c.finding.Broker = fmt.Sprintf("recovery cuts here: %d batches, %d records behind it are lost; until then consumers stop here", batches, records)
		case c.finding.Code == LogTornTail || c.finding.Code == LogZeroTail:
			c.finding.Broker = "recovery cuts here: nothing sound is behind it"
		default:
			c.finding.Broker = "recovery cuts here: nothing sound is behind it; until then consumers stop here"
		}
	}
}

// interrupted says of each damage what is known without the rest of the log.
func (p *partitionCheck) interrupted() {
	for i := range p.cuts {
		if f := p.cuts[i].finding; f.Broker == "" {
			f.Broker = "recovery cuts here, or before; what lies behind was not all read"
		}
	}
}

// openTransactions reports the transactions that no marker ends.
func (p *partitionCheck) openTransactions() {
	l := p.lineage
	folds := map[string]*folder{}
	for v := range l.producers.inTransaction {
		f := At(TransactionOpen, v.firstFile)
		f.Position, f.Offset, f.LastOffset = v.position, v.firstOffset, v.firstOffset
		f.Message = fmt.Sprintf("producer %d epoch %d has a transaction open since offset %d", v.id, v.epoch, v.firstOffset)
		f.Broker = "consumers that read committed records only get nothing behind it until it ends"
		f.set("producerId", v.id)
		fold := folds[v.firstFile]
		if fold == nil {
			fold = newFolder(p.report)
			folds[v.firstFile] = fold
		}
		fold.sound() // each for itself
		fold.add(f)
	}
}

func baseName(path string) string {
	return path[strings.LastIndexAny(path, `/\`)+1:]
}
