package sanity

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/kafsck/kafsck/internal/logdir"
)

// CheckFile checks one file: a .log by itself, an index against the log of the
// same name beside it, where there is one, and any other file that Kafka keeps
// as what its name says it is. What is wrong with the log is not reported when
// an index is checked, but nothing is said of an index that damage of its log
// explains.
func CheckFile(ctx context.Context, entry logdir.Entry, o Options, emit func(*Finding) error) (Summary, error) {
	return Check(ctx, []*logdir.Target{{Path: entry.Path, File: &entry}}, o, emit)
}

// file checks one file. Where a broker is running, what is found has to be found
// twice, and with the same files around it.
func (c *checker) file(ctx context.Context, e *logdir.Entry) *unitResult {
	around := &logdir.Partition{Path: filepath.Dir(e.Path)}
	env := environmentBeside(around)
	var before *logdir.Partition
	for try := 1; ; try++ {
		r := c.fileOnce(ctx, e, env)
		if !env.live || !r.report.alarms() || try == logdir.MostTries || ctx.Err() != nil {
			return r
		}
		now, err := around.Again()
		if err != nil || before != nil && slices.Equal(segmentFiles(before), segmentFiles(now)) {
			return r
		}
		before = now
	}
}

func (c *checker) fileOnce(ctx context.Context, e *logdir.Entry, env environment) *unitResult {
	around := &logdir.Partition{Path: filepath.Dir(e.Path)}
	p := newPartitionCheck(ctx, c, around, env)
	p.single, p.inner = true, c.inner()
	r := &unitResult{report: p.report, env: p.env}
	base := logdir.Segment{BaseOffset: e.File.BaseOffset}
	switch e.File.Kind {
	case logdir.KindLog:
		base.Log = e
		p.loneLog(&base)
	case logdir.KindOffsetIndex, logdir.KindTimeIndex, logdir.KindTxnIndex:
		p.loneIndex(e)
	case logdir.KindProducerSnapshot:
		p.waiting = []logdir.Entry{*e}
		p.beyond(-1)
	case logdir.KindKRaftCheckpoint, logdir.KindBootstrapCheckpoint:
		p.kraftCheckpoint(e)
	case logdir.KindLeaderEpochCheckpoint:
		around.LeaderEpochs = e
		p.leaderEpochs()
	case logdir.KindPartitionMetadata:
		around.Metadata = e
		p.partitionMetadata()
	case logdir.KindQuorumState:
		around.QuorumState = e
		p.quorum()
	case logdir.KindRecoveryPoints, logdir.KindHighWatermarks, logdir.KindLogStarts, logdir.KindCleanerOffsets,
		logdir.KindMetaProperties, logdir.KindCleanShutdown, logdir.KindLock:
		return c.rootFile(e)
	default:
		f := At(Unsupported, e.Path)
		f.Message = "no kind of file that kafsck knows"
		f.Broker = "not checked"
		p.report.add(f)
	}
	return r
}

// rootFile checks a file of a log directory itself.
func (c *checker) rootFile(e *logdir.Entry) *unitResult {
	d := &dirState{dir: &logdir.Dir{Path: filepath.Dir(e.Path)}}
	switch e.File.Kind {
	case logdir.KindRecoveryPoints:
		d.dir.RecoveryPoints = e
	case logdir.KindHighWatermarks:
		d.dir.HighWatermarks = e
	case logdir.KindLogStarts:
		d.dir.LogStarts = e
	case logdir.KindCleanerOffsets:
		d.dir.CleanerOffsets = e
	case logdir.KindMetaProperties:
		d.dir.MetaProperties = e
	}
	d.load(c)
	if d.report.summary.Files == 0 {
		// Its presence is all that counts.
		d.report.summary.Files, d.report.summary.Bytes = 1, e.Size
	}
	return &unitResult{report: d.report, dir: d}
}

// loneLog checks a log without its indexes. Whether it is that of the newest
// segment is told by the names beside it.
func (p *partitionCheck) loneLog(s *logdir.Segment) {
	p.walking, p.firstOffset, p.fromStart = true, s.BaseOffset, s.BaseOffset == 0
	p.segment(s, p.nextBeside(s.Log))
	if p.ctx.Err() != nil {
		p.interrupted()
		return
	}
	p.gapsEnd()
	p.consequences()
	p.openTransactions()
}

// nextBeside is the base offset of the next segment in the directory of a
// log, −1 where there is none.
func (p *partitionCheck) nextBeside(log *logdir.Entry) int64 {
	if log.File.Suffix != logdir.NoSuffix || !log.File.HasOffset {
		return -1
	}
	next, _ := nextSegment(p.p.Path, log.File.BaseOffset)
	return next
}

// nextSegment is the base offset of the first segment with a log behind base in
// a partition directory, −1 where there is none, or where that isn't known.
func nextSegment(dir string, base int64) (int64, error) {
	partition, err := logdir.OpenPartition(dir)
	if err != nil {
		return -1, err
	}
	for i := range partition.Segments { // by base offset
		if s := &partition.Segments[i]; s.Log != nil && s.BaseOffset > base {
			return s.BaseOffset, nil
		}
	}
	return -1, nil
}

// loneIndex checks an index, with the log beside it where there is one.
func (p *partitionCheck) loneIndex(e *logdir.Entry) {
	s := logdir.Segment{BaseOffset: e.File.BaseOffset}
	switch e.File.Kind {
	case logdir.KindOffsetIndex:
		s.Index = e
	case logdir.KindTimeIndex:
		s.TimeIndex = e
	default:
		s.TxnIndex = e
	}
	name := logdir.Sibling(e.Name, logdir.KindLog)
	if name != "" {
		path := filepath.Join(p.p.Path, name)
		if f, size, err := logdir.OpenFile(path); err == nil {
			_ = f.Close()
			s.Log = &logdir.Entry{Name: name, Path: path, File: logdir.ParseName(name), Size: size}
		}
	}
	if s.Log == nil {
		p.indexAlone(&s)
		return
	}
	p.walking, p.firstOffset, p.fromStart = true, s.BaseOffset, s.BaseOffset == 0
	p.segment(&s, p.nextBeside(s.Log))
	p.report.drop(func(f *Finding) bool { return f.File != e.Path })
	p.report.summary.Files = 1
	p.report.summary.Bytes = e.Size
	p.report.summary.Batches, p.report.summary.Records = 0, 0
}

// indexAlone checks what an index shows without its log.
func (p *partitionCheck) indexAlone(s *logdir.Segment) {
	c := newSegmentCheck(p, "", s.BaseOffset, -1)
	c.endsDamaged, c.lineage.damaged = true, true
	files := p.indexes(s, c)
	defer files.close()
	defer c.close()
	c.end()
}
