package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/simulate"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// parseIntervals reads the value of --simulate.
func parseIntervals(list string) (intervals []int64, err error) {
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil || n < 0 || n > math.MaxInt32 {
			return nil, usageErrorf("--simulate %q: values of index.interval.bytes, 0 to 2147483647, separated by commas", list)
		}
		intervals = append(intervals, n)
	}
	return intervals, nil
}

// simulation is a run of rules over the batches of a log, or with
// --segment-bytes over those of a partition.
type simulation struct {
	file  string
	rules []*simulate.Simulator
	last  int64 // offset of the last batch
	small int64 // smallest and largest batch
	large int64
}

func newSimulation(file string, intervals []int64, segmentBytes int64) *simulation {
	s := &simulation{file: file, small: math.MaxInt64, last: -1}
	for _, interval := range intervals {
		s.rules = append(s.rules, simulate.New(simulate.Rule{Interval: interval, SegmentBytes: segmentBytes}))
	}
	return s
}

// read appends the batches of a log to every rule's segments.
func (s *simulation) read(ctx context.Context, file string, reading func(io.ReaderAt) io.ReaderAt) (findings []sanity.Finding, err error) {
	f, size, err := logdir.OpenFile(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.ReaderAt = f
	if reading != nil {
		r = reading(f)
	}
	n := 0
	for b, err := range recordbatch.NewScanner(r, size, recordbatch.Options{File: file}).Headers() {
		if e, ok := errors.AsType[*recordbatch.CorruptError](err); ok {
			findings = append(findings, sanity.FromCorrupt(e))
		} else if err != nil {
			return findings, err
		}
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return findings, ctx.Err()
		}
		if b == nil {
			continue
		}
		batch := simulate.BatchOf(b, s.last)
		s.last = b.LastOffset()
		s.small, s.large = min(s.small, b.Size), max(s.large, b.Size)
		for _, rule := range s.rules {
			rule.Append(batch)
		}
	}
	return findings, nil
}

// simulate simulates every log, or with segmentBytes every partition.
func (run *indexRun) simulate(ctx context.Context, intervals []int64, segmentBytes int64, paths []string) error {
	e := run.emitter
	if width := terminalWidth(e.global.streams.Out, 0); e.format == formatText && 0 < width && width < simulationColumns {
		e.format = formatTable // which becomes blocks
	}
	var rows [][]string
	for _, path := range paths {
		groups, err := simulatedLogs(path, &run.filter, segmentBytes > 0)
		if err != nil {
			e.failed(err)
		}
		for _, g := range groups {
			s := newSimulation(g.name, intervals, segmentBytes)
			for _, log := range g.logs {
				findings, err := s.read(ctx, log, run.reading)
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err != nil {
					e.failed(orGone(log, path, err))
				}
				e.findings(findings)
			}
			rows = append(rows, s.show(e)...)
		}
	}
	if e.format == formatTable {
		simulationTable(e, rows)
	}
	return e.end()
}

type logGroup struct {
	name string
	logs []string
}

// simulatedLogs are the logs that a path stands for: each by itself, or all of
// a partition as one.
func simulatedLogs(path string, filter *logdir.Filter, together bool) (groups []logGroup, err error) {
	target, err := logdir.Open(path)
	if err != nil {
		return nil, err
	}
	partition := func(p *logdir.Partition) {
		g := logGroup{name: p.Path}
		for _, segment := range filter.Segments(p.Segments) {
			if log := segment.Log; log != nil && together {
				g.logs = append(g.logs, log.Path)
			} else if log != nil {
				groups = append(groups, logGroup{log.Path, []string{log.Path}})
			}
		}
		if len(g.logs) > 0 {
			groups = append(groups, g)
		}
		err = errors.Join(err, p.Unread())
	}
	switch {
	case target.File != nil && target.File.File.Kind != logdir.KindLog:
		return nil, fmt.Errorf("%s: --simulate needs a .log or a partition", path)
	case target.File != nil:
		return []logGroup{{path, []string{path}}}, nil
	case target.Partition != nil:
		partition(target.Partition)
	default:
		for _, ref := range filter.Select(target.Dir.Partitions) {
			p, failed := ref.Open()
			err = errors.Join(err, failed)
			if p != nil {
				partition(p)
			}
		}
	}
	if len(groups) == 0 && err == nil {
		err = fmt.Errorf("%s: no .log in it", path)
	}
	return groups, err
}
