package cmd

import (
	"context"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/internal/logdir"
)

func newIndexCommand(global *globalOptions) *cobra.Command {
	var intervals string
	var segmentBytes int64
	var chosen selection
	var page pageFlags
	command := &cobra.Command{
		Use:   "index [flags] PATH...",
		Short: "Show the entries of index files, what they point at and whether it is true",
		Long: `Show the entries of .index, .timeindex and .txnindex files and a summary of each:
the bytes in use, the warm section, the distances between entries. Beside its
.log every entry is held against the batches there. A PATH is an index, a .log
(its indexes), a partition directory or a log dir (all indexes in it).

With --simulate nothing of the indexes is read. It tells for each given
index.interval.bytes which index a broker would build on the batches of a .log,
and what lookups of all its offsets would then cost. With --segment-bytes the
batches of a partition are also cut into segments of that size.

With --html nothing is listed: log and index are drawn on a page that opens in
any browser, with a slider for the interval.

Examples:
  kafsck index 00000000000000000000.index
  kafsck index --format table orders-0
  kafsck index --format json orders-0 | jq 'select(.ok == false)'
  kafsck index --simulate 1024,4096,104857600 orders-0
  kafsck index --simulate 4096 --segment-bytes 104857600 orders-0
  kafsck index --html index.html orders-0
` + exitStatusHelp,
		Args: somePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := page.check(cmd.Flags()); err != nil {
				return err
			}
			format, err := global.textTableJSON()
			if err != nil {
				return err
			}
			paint, err := global.painter()
			if err != nil {
				return err
			}
			run := &indexRun{emitter: newEmitter(global, format), paint: paint, shown: map[string]bool{}}
			defer run.flush()
			if run.filter, err = chosen.filter(args); err != nil {
				return err
			}
			if run.reading, err = chosen.reading(cmd.Context(), nil); err != nil {
				return err
			}
			simulates, rolls := cmd.Flags().Changed("simulate"), cmd.Flags().Changed("segment-bytes")
			switch {
			case rolls && !simulates:
				return usageErrorf("--segment-bytes belongs to --simulate")
			case rolls && (segmentBytes < 1 || segmentBytes > math.MaxInt32):
				return usageErrorf("--segment-bytes %d: 1 to 2147483647", segmentBytes)
			case simulates && page.file != "":
				return usageErrorf("--html has a slider for the interval: give it or --simulate")
			case page.file != "":
				page.reading = run.reading
				return page.pageOfIndex(cmd.Context(), run.emitter, args)
			case simulates:
				list, err := parseIntervals(intervals)
				if err != nil {
					return err
				}
				return run.simulate(cmd.Context(), list, segmentBytes, args)
			}
			return run.all(cmd.Context(), args)
		},
	}
	command.Flags().StringVar(&intervals, "simulate", "", "tell what these `INTERVALS` (index.interval.bytes, separated by commas) would cost")
	command.Flags().Int64Var(&segmentBytes, "segment-bytes", 0, "with --simulate: roll segments of `N` bytes")
	command.Flags().Lookup("segment-bytes").DefValue = ""
	chosen.addFlags(command.Flags())
	page.addFlags(command.Flags(), "draw log and index")
	return command
}

// indexRun is a run of index over all its paths.
type indexRun struct {
	*emitter
	paint   painter
	filter  logdir.Filter
	reading func(io.ReaderAt) io.ReaderAt // around all files; may be nil
	shown   map[string]bool               // logs whose damage was shown
}

func (run *indexRun) all(ctx context.Context, paths []string) error {
	var reports []*indexReport
	for _, path := range paths {
		files, err := indexFiles(path, &run.filter)
		if err != nil {
			run.failed(err)
		}
		for _, file := range files {
			report, err := run.show(file)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				if isBrokenPipe(err) {
					return err
				}
				run.failed(orGone(file, path, err))
			}
			if report != nil && run.format == formatTable {
				reports = append(reports, report)
			}
		}
	}
	if run.format == formatTable {
		indexTable(run.emitter, reports)
	}
	return run.end()
}
