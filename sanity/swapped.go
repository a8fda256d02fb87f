package sanity

import "github.com/kafsck/kafsck/internal/logdir"

// swapped checks the logs that a broker puts in the place of segments at its
// next start: what is wrong with them is then wrong with the partition. Each is
// looked at by itself, so that what isn't a fault (a gap, a transaction that
// ends in another segment) tells nothing.
func (p *partitionCheck) swapped() {
	inUse := make(map[int64]bool)
	newest := int64(-1)
	for i := range p.p.Segments {
		if s := &p.p.Segments[i]; s.Log != nil {
			inUse[s.BaseOffset] = true
			newest = max(newest, s.BaseOffset)
		}
	}
	for _, e := range p.p.Swapped() {
		q := newPartitionCheck(p.ctx, p.c, &logdir.Partition{Path: p.p.Path}, p.env)
		q.single, q.compacted, q.inner = true, true, p.inner
		q.loneLog(&logdir.Segment{BaseOffset: e.File.BaseOffset, Log: &e})
		for _, f := range q.report.findings {
			if f.Severity == Info {
				continue
			}
			if f.Severity == Warning && (f.Code == LogTornTail || f.Code == LogZeroTail) && newest > q.lineage.last {
				f.Severity = Error // it won't be the newest
			}
			if f.Broker != "" && !f.Code.Unchecked() {
				f.Broker = "put in place at the next start; " + f.Broker
			}
			p.report.findings = append(p.report.findings, f)
		}
		if counts := q.report.summary; inUse[e.File.BaseOffset] {
			p.looked(counts.Bytes) // the segment that it replaces has its batches
		} else {
			p.report.summary.Add(counts)
		}
	}
}
