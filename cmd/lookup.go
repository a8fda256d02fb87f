package cmd

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/internal/lookup"
)

// lookupOptions are the flags of lookup.
type lookupOptions struct {
	offset    int64
	timestamp string
	drawMap   bool
	noIndex   bool
	verify    bool
	page      pageFlags
}

func newLookupCommand(global *globalOptions) *cobra.Command {
	var o lookupOptions
	command := &cobra.Command{
		Use:   "lookup [flags] PATH",
		Short: "Find an offset or a timestamp as a broker does, and show every step",
		Long: `Find an offset or a timestamp in a partition directory or one .log, on the path
that a broker takes: the segment, the entries that its search compares, the
entry it starts from, what it scans. The counts are those that a broker pays.
An index that is missing, damaged or wrong is reported; the answer is right all
the same. A lookup reads a few pages, however large the partition is.

Examples:
  kafsck lookup --offset 1234 orders-0
  kafsck lookup --timestamp 2026-01-31T09:00:00Z orders-0
  kafsck lookup --offset 1234 --map orders-0
  kafsck lookup --offset 234 --verify orders-0/00000000000000000000.log
  kafsck lookup --offset 1234 --html lookup.html orders-0
` + exitStatusHelp,
		Args: onePath,
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := o.target(cmd)
			if err != nil {
				return err
			}
			if o.noIndex && o.verify {
				return usageErrorf("--verify compares with the index, --no-index leaves it out: give one of them")
			}
			if err := o.page.check(cmd.Flags()); err != nil {
				return err
			}
			format, err := global.textTableJSON()
			if err != nil {
				return err
			}
			if o.drawMap && format != formatText {
				return usageErrorf("--map draws for people: not with --format %s", format)
			}
			paint, err := global.painter()
			if err != nil {
				return err
			}
			e := newEmitter(global, format)
			defer e.flush()
			return o.run(cmd.Context(), e, paint, args[0], target)
		},
	}
	f := command.Flags()
	f.Int64Var(&o.offset, "offset", 0, "look up this `OFFSET`")
	f.StringVar(&o.timestamp, "timestamp", "", "look up the first record at or after `TIME`: epoch milliseconds or RFC 3339")
	f.BoolVar(&o.drawMap, "map", false, "draw the index cells read and the log cells scanned")
	f.BoolVar(&o.noIndex, "no-index", false, "scan from position 0, without the index")
	f.BoolVar(&o.verify, "verify", false, "judge the whole index, and look up with and without it")
	f.Lookup("offset").DefValue = ""
	o.page.addFlags(f, "draw the lookup, its index and the log")
	return command
}

// target is what the flags ask for.
func (o *lookupOptions) target(cmd *cobra.Command) (lookup.Target, error) {
	byOffset, byTime := cmd.Flags().Changed("offset"), cmd.Flags().Changed("timestamp")
	switch {
	case byOffset == byTime:
		return lookup.Target{}, usageErrorf("lookup needs one of --offset and --timestamp")
	case byOffset && o.offset < 0:
		return lookup.Target{}, usageErrorf("--offset %d: offsets begin at 0", o.offset)
	case byOffset:
		return lookup.Target{Offset: o.offset}, nil
	}
	if o.timestamp == "" {
		return lookup.Target{}, usageErrorf("--timestamp is empty")
	}
	ms, err := parseTimeFlag("timestamp", o.timestamp, 0)
	if err != nil {
		return lookup.Target{}, err
	}
	if ms < 0 {
		return lookup.Target{}, usageErrorf("--timestamp %s: not a time of a record (a broker takes -1 and -2 for the latest and the earliest offset)", strconv.FormatInt(ms, 10))
	}
	return lookup.Target{ByTime: true, Timestamp: ms}, nil
}

func (o *lookupOptions) run(ctx context.Context, e *emitter, paint painter, path string, target lookup.Target) error {
	partition, result, err := lookup.At(ctx, path, target, lookup.Options{NoIndex: o.noIndex, Verify: o.verify})
	if partition == nil {
		return err
	}
	for _, err := range partition.Unread {
		e.failed(err)
	}
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		e.findings(result.Findings)
		e.failed(err)
		return e.end()
	}
	switch e.format {
	case formatJSON:
		e.object(lookupObject(result))
	case formatTable:
		lookupTable(e, path, result)
	default:
		lookupText(e, partition, result)
		if o.drawMap {
			drawLookup(e, paint, result)
		}
	}
	if o.page.file != "" {
		if err := o.page.pageOfLookup(ctx, e, partition, result); err != nil {
			if ctx.Err() != nil {
				return err
			}
			e.failed(err)
		}
	}
	if result.Found == nil {
		e.code = worseExit(e.code, exitNotFound)
	}
	e.findings(result.Findings)
	return e.end()
}
