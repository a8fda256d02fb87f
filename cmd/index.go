package cmd

import (
	"context"
	"math"

	"github.com/spf13/cobra"
)

func newIndexCommand(global *globalOptions) *cobra.Command {
	var intervals string
	var segmentBytes int64
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

Examples:
  kafsck index 00000000000000000000.index
  kafsck index --format table orders-0
  kafsck index --format json orders-0 | jq 'select(.ok == false)'
  kafsck index --simulate 1024,4096,104857600 orders-0
  kafsck index --simulate 4096 --segment-bytes 104857600 orders-0
` + exitStatusHelp,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := global.textTableJSON()
			if err != nil {
				return err
			}
			paint, err := global.painter()
			if err != nil {
				return err
			}
			e := newEmitter(global, format)
			simulates, rolls := cmd.Flags().Changed("simulate"), cmd.Flags().Changed("segment-bytes")
			switch {
			case rolls && !simulates:
				return usageErrorf("--segment-bytes belongs to --simulate")
			case rolls && (segmentBytes < 1 || segmentBytes > math.MaxInt32):
				return usageErrorf("--segment-bytes %d: 1 to 2147483647", segmentBytes)
			case simulates:
				list, err := parseIntervals(intervals)
				if err != nil {
					return err
				}
				return runSimulate(cmd.Context(), e, list, segmentBytes, args)
			}
			return runIndex(cmd.Context(), e, paint, args)
		},
		ValidArgsFunction: completeFiles,
	}
	command.Flags().StringVar(&intervals, "simulate", "", "tell what these `INTERVALS` (index.interval.bytes, separated by commas) would cost")
	command.Flags().Int64Var(&segmentBytes, "segment-bytes", 0, "with --simulate: roll segments of `N` bytes")
	command.Flags().Lookup("segment-bytes").DefValue = ""
	return command
}

func runIndex(ctx context.Context, e *emitter, paint painter, paths []string) error {
	var reports []*indexReport
	shown := map[string]bool{} // logs whose damage was shown
	for _, path := range paths {
		files, err := indexFiles(path)
		if err != nil {
			e.failed(err)
		}
		for _, file := range files {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			report, err := showIndex(e, paint, file, shown)
			if err != nil {
				if isBrokenPipe(err) {
					return err
				}
				e.failed(err)
			}
			if report != nil && e.format == formatTable {
				reports = append(reports, report)
			}
		}
	}
	if e.format == formatTable {
		e.keep(indexTable(e.out, reports))
	}
	return e.end()
}
