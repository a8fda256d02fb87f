package sanity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/kafsck/kafsck/internal/brokerlock"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
)

// dirState is what is read once for all partitions of a log directory.
type dirState struct {
	dir  *logdir.Dir
	once sync.Once

	report  *report
	meta    *statefile.MetaProperties
	live    bool
	closed  bool
	offsets [4]statefile.PartitionOffsets // in the order of offsetCheckpoints
}

// offsetCheckpoints are the four checkpoints and what a broker does about a
// broken one.
var offsetCheckpoints = [4]struct {
	entry  func(*logdir.Dir) *logdir.Entry
	what   string
	broker string
}{
	{func(d *logdir.Dir) *logdir.Entry { return d.RecoveryPoints }, "recovery point", "a warning, and every partition is recovered from its first segment on"},
	{func(d *logdir.Dir) *logdir.Entry { return d.HighWatermarks }, "high watermark", "the log directory goes offline"},
	{func(d *logdir.Dir) *logdir.Entry { return d.LogStarts }, "log start", "a warning, and records that were deleted come back"},
	{func(d *logdir.Dir) *logdir.Entry { return d.CleanerOffsets }, "cleaner offset", "the log cleaner leaves this log directory alone"},
}

// directory checks what lies in a log directory beside its partitions.
func (c *checker) directory(_ context.Context, d *dirState) *unitResult {
	d.load(c)
	return &unitResult{report: d.report, dir: d}
}

// load reads the small files of the directory, once.
func (d *dirState) load(c *checker) {
	d.once.Do(func() {
		d.report = &report{}
		d.closed = d.dir.CleanShutdown != nil
		d.lock()
		for _, issue := range d.dir.Issues {
			d.report.issue(issue, d.live)
		}
		d.names(c.reads)
		if e := d.dir.MetaProperties; e != nil {
			m, ok := readDirState(c, d, e, MetaPropertiesMalformed, "the broker does not start", statefile.ReadMetaProperties)
			if ok {
				d.meta = &m
				c.reads.metaProperties(d)
			}
		}
		for i, k := range offsetCheckpoints {
			if e := k.entry(d.dir); e != nil {
				read, _ := readDirState(c, d, e, CheckpointMalformed, k.broker, statefile.ReadOffsetCheckpoint)
				d.offsets[i] = read.ByPartition()
			}
		}
		if e := d.dir.Bootstrap; e != nil {
			p := newPartitionCheck(context.Background(), c, &logdir.Partition{Path: d.dir.Path}, environment{live: d.live})
			p.report = d.report
			p.kraftCheckpoint(e)
		}
	})
}

// lock asks whether a broker holds the directory.
func (d *dirState) lock() {
	if d.dir.Lock == nil {
		return
	}
	h, err := brokerlock.Of(d.dir.Path)
	if err != nil {
		// Not known: nothing is excused by a running broker.
		return
	}
	d.live = h.Held
}

func (d *dirState) names(reads *release) {
	for i := range d.dir.Leftovers {
		e := &d.dir.Leftovers[i]
		f := At(FileLeftover, e.Path)
		f.Message, f.Broker = leftover(e.File.Suffix)
		d.report.add(f)
	}
	for i := range d.dir.UnknownDirs {
		f := At(FileName, d.dir.UnknownDirs[i].Path)
		f.Message = "the name of the directory is not TOPIC-PARTITION"
		f.Broker = "the broker does not start: it finds a directory that is no partition"
		d.report.add(f)
	}
	if e := d.dir.RemoteIndexCache; e != nil && reads != nil && !reads.is(remoteCacheReleases) {
		d.report.add(reads.refusedName(e.Path, e.Name, remoteCacheReleases))
	}
}

func readDirState[T any](c *checker, d *dirState, e *logdir.Entry, code Code, broker string, read func(io.ReaderAt, int64) (T, error)) (T, bool) {
	var none T
	f, size, err := c.open(e.Path)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) || !d.live {
			d.report.unreadable(e.Path, -1, err)
		}
		return none, false
	}
	defer f.close()
	d.report.summary.Files++
	d.report.summary.Bytes += size
	v, err := read(f, size)
	if err != nil {
		d.report.stateFault(code, e.Path, err, broker)
		return v, false
	}
	return v, true
}

// member checks a partition of a log directory.
func (c *checker) member(ctx context.Context, d *dirState, ref logdir.PartitionRef) *unitResult {
	d.load(c)
	env := environment{live: d.live, closedCleanly: d.closed, cleaned: d.cleaned(ref.Dir), marker: ref.Dir.Marker}
	p, err := ref.Open()
	if err != nil {
		check := newPartitionCheck(ctx, c, p, env)
		if !errors.Is(err, os.ErrNotExist) || !d.live {
			check.report.unreadable(ref.Path, -1, err)
		}
		return &unitResult{report: check.report, dir: d}
	}
	r := c.partition(ctx, p, env, d)
	if r.partition != nil {
		d.outOfRange(r.partition)
	}
	return r
}

// cleaned says whether a log cleaner has worked on a partition.
func (d *dirState) cleaned(p logdir.PartitionDir) bool {
	_, ok := d.offsets[3].Lookup(p.Topic, p.Partition)
	return ok
}

// outOfRange compares the checkpoints of the directory with the end of a log.
// An offset below the first segment is legal: the log may be trimmed or
// tiered, and so is an entry of a partition that is not here.
func (d *dirState) outOfRange(p *partitionCheck) {
	m := p.env.marker
	if p.endOffset < 0 || p.lineage.damaged || m == logdir.Delete || m == logdir.Stray || d.live {
		return
	}
	for i, k := range offsetCheckpoints {
		offset, ok := d.offsets[i].Lookup(p.p.Dir.Topic, p.p.Dir.Partition)
		if !ok || offset <= p.endOffset {
			continue
		}
		f := At(CheckpointOffsetOutOfRange, k.entry(d.dir).Path)
		f.Offset, f.LastOffset = offset, offset
		f.Message = fmt.Sprintf("%s of %s is %d, the log ends at %d", k.what, p.p.Dir.String(), offset, p.endOffset)
		f.Broker = "records up to there are gone from this replica; a broker goes on from the log's end"
		if i == 2 {
			f.Broker = "the log starts behind its end: the broker deletes all segments of the partition"
		}
		f.set("topic", p.p.Dir.Topic)
		f.set("partition", p.p.Dir.Partition)
		p.report.add(f)
	}
}
