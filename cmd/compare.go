package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/internal/compare"
	"github.com/kafsck/kafsck/internal/logdir"
)

func newCompareCommand(global *globalOptions) *cobra.Command {
	var s selection
	command := &cobra.Command{
		Use:   "compare [flags] A B",
		Short: "Hold two replicas of a partition against each other",
		Long: `Compare two replicas of one partition by offset: what is the same byte for byte,
what holds the same records in other batches (as after compaction), where the
records differ, and what one of them has alone: one lags, has deleted more, or
is damaged. Where their leader epochs part, the offset is said to which a broker
that follows the other truncates its log.

A and B are partition directories or single .log files.

Examples:
  kafsck compare node1/orders-3 node2/orders-3
  kafsck compare -f json a/orders-3 b/orders-3 | jq 'select(.kind == "different")'
` + exitStatusHelp,
		Args: twoPaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCompare(cmd.Context(), global, &s, args)
		},
	}
	s.addRateFlag(command.Flags())
	return command
}

func runCompare(ctx context.Context, global *globalOptions, s *selection, paths []string) error {
	format, err := global.textTableJSON()
	if err != nil {
		return err
	}
	var sources [2]*compare.Source
	for i, path := range paths {
		if sources[i], err = compareSource(path); err != nil {
			return err
		}
		defer sources[i].Close()
	}
	bar, err := global.startProgress(func() int64 { return totalBytes(paths, logdir.Filter{}) })
	if err != nil {
		return err
	}
	defer bar.finish()
	var options compare.Options
	if options.Reading, err = s.reading(ctx, bar); err != nil {
		return err
	}
	e := newEmitter(global, format)
	defer e.flush()
	for _, path := range paths {
		noteBroker(e, path)
	}
	render := &compareRenderer{emitter: e}
	options.Tell = render.object
	summary, err := compare.Replicas(ctx, sources[0], sources[1], options)
	if err != nil {
		return errors.Join(ctx.Err(), err)
	}
	bar.finish()
	render.end(summary)
	e.code = worseExit(e.code, summary.Exit)
	return e.end()
}

// compareSource opens one of the two.
func compareSource(path string) (*compare.Source, error) {
	target, err := logdir.Open(path)
	if err != nil {
		return nil, err
	}
	switch {
	case target.Partition != nil:
		return compare.Of(target.Partition)
	case target.Dir != nil:
		return nil, fmt.Errorf("%s: is a log dir: compare takes one partition of it", path)
	case target.File.File.Kind != logdir.KindLog:
		return nil, fmt.Errorf("%s: is no .log", path)
	}
	return &compare.Source{Path: path, Logs: []logdir.Entry{*target.File}}, nil
}

// compareRenderer shows ranges and the summary.
type compareRenderer struct {
	*emitter
	rows [][]string
}

// compareRows bounds a table; the lines of text and JSON have no bound.
const compareRows = 1000

func (r *compareRenderer) object(x *compare.Range) error {
	switch r.format {
	case formatJSON:
		r.emitter.object(x)
	case formatTable:
		if len(r.rows) < compareRows {
			r.rows = append(r.rows, compareRow(x))
		}
	default:
		r.line("%s: offsets %d to %d%s", x.Kind, x.FirstOffset, x.LastOffset, rangeText(x))
	}
	return r.err
}

// rangeText is what there is to say of a range beside its offsets.
func rangeText(x *compare.Range) string {
	text := ""
	switch x.Kind {
	case compare.Identical:
		return fmt.Sprintf(": %s, %d bytes", counted(x.A.Batches, "batch"), x.A.Bytes)
	case compare.OnlyA:
		text = fmt.Sprintf(": %s at %s, position %d; in b %s", counted(x.A.Records, "record"), quoted(x.A.File), x.A.Position, reasonText(x.Reason))
	case compare.OnlyB:
		text = fmt.Sprintf(": %s at %s, position %d; in a %s", counted(x.B.Records, "record"), quoted(x.B.File), x.B.Position, reasonText(x.Reason))
	case compare.Different:
		text = fmt.Sprintf(": %d differ, %d are in a alone, %d in b alone; leader epochs %d and %d; %s, position %d; %s, position %d",
			x.Differing, x.AloneInA, x.AloneInB, x.A.Epoch, x.B.Epoch, quoted(x.A.File), x.A.Position, quoted(x.B.File), x.B.Position)
	}
	if x.Message != "" {
		text += ": " + x.Message
	}
	return text
}

func reasonText(reason string) string {
	switch reason {
	case compare.BelowLogStart:
		return "they are deleted: its log begins later"
	case compare.BehindLogEnd:
		return "they are missing: its log ends earlier"
	case compare.Damaged:
		return "they are damaged"
	}
	return "they are missing"
}

func compareRow(x *compare.Range) []string {
	batches := func(p *compare.Part) string {
		if p == nil {
			return "-"
		}
		return strconv.FormatInt(p.Batches, 10)
	}
	why := x.Reason
	if why == "" {
		why = x.Message
	}
	return []string{string(x.Kind), strconv.FormatInt(int64(x.FirstOffset), 10), strconv.FormatInt(int64(x.LastOffset), 10), batches(x.A), batches(x.B), why}
}

func (r *compareRenderer) end(s *compare.Summary) {
	switch r.format {
	case formatJSON:
		r.emitter.object(s)
		return
	case formatTable:
		r.table([]string{"kind", "firstOffset", "lastOffset", "batchesA", "batchesB", "reason"}, r.rows)
		return
	}
	for i, side := range []*compare.Replica{&s.A, &s.B} {
		start := "no records"
		if side.LogStartOffset >= 0 {
			start = fmt.Sprintf("offsets %d to %d", side.LogStartOffset, side.LogEndOffset-1)
		}
		r.line("%c: %s: %s, %s, leader epoch %d%s", 'a'+i, quoted(side.Path), start, counted(side.Batches, "batch"), side.LeaderEpoch, damagedText(side.Damaged))
	}
	switch d := s.Divergence; {
	case d != nil:
		r.line("the histories part at offset %d (leader epoch %d in a, %d in b): with %s as the leader, the other one truncates %s", d.Offset, d.EpochA, d.EpochB, d.Leader, counted(d.Truncated, "offset"))
	case s.Equal:
		r.line("the replicas hold the same records")
	}
}

func damagedText(n int64) string {
	if n == 0 {
		return ""
	}
	return ", damaged at " + counted(n, "place")
}
