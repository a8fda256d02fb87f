package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/internal/place"
	"github.com/kafsck/kafsck/internal/salvage"
)

type salvageOptions struct {
	request      salvage.Request
	outDir       string
	segmentBytes int64
	resume       bool
	records      string
	selection    selection
}

func newSalvageCommand(global *globalOptions) *cobra.Command {
	o := salvageOptions{segmentBytes: salvage.DefaultOptions().SegmentBytes}
	command := &cobra.Command{
		Use:   "salvage [flags] PATH... --out-dir DIR",
		Short: "Copy every intact batch, also behind damage, into new segments",
		Long: `Copy every intact batch of a partition, or of all partitions of a log dir, into
new segments below DIR that a broker loads: with indexes, producer snapshots,
leader epochs and topic id. A manifest beside each partition tells of every byte
range of every source whether it was kept, and why not.

The sources are never written to. DIR must be new or empty, and outside of any
log dir. A partition appears in it when it is complete; after an interruption,
--resume goes on with the partitions that are missing.

With --from, further replicas of the same partitions are merged: per offset the
intact copy is taken. Where replicas differ, the leader epochs decide, as when a
follower truncates to its leader; where these don't, the replica named first.
Every such decision is listed.

With --records, the records themselves are printed instead, as JSON.

Examples:
  kafsck salvage /var/lib/kafka/orders-3 --out-dir /tmp/saved
  kafsck salvage a/orders-3 --from b/orders-3 --from c/orders-3 --out-dir saved
  kafsck salvage --carve lost+found/12345 --as orders-3 --out-dir carved
  kafsck salvage orders-3 --records 100-200 --format ndjson
` + exitStatusHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.request.Paths = args
			if len(args)+len(o.request.Carve) == 0 {
				return usageErrorf("salvage needs at least one PATH (or --carve)%s", helpHint(cmd))
			}
			if o.records != "" {
				return o.runRecords(cmd.Context(), global)
			}
			return o.run(cmd.Context(), global)
		},
	}
	f := command.Flags()
	f.StringVar(&o.outDir, "out-dir", "", "write into this new or empty `DIR`")
	f.StringArrayVar(&o.request.From, "from", nil, "another replica at `PATH` to take missing batches from; may be repeated")
	f.StringArrayVar(&o.request.Carve, "carve", nil, "look for batches in any `FILE`, whatever its name; may be repeated")
	f.StringVar(&o.request.As, "as", "", "the `NAME` of the resulting partition, such as orders-3")
	f.Int64Var(&o.segmentBytes, "segment-bytes", o.segmentBytes, "roll segments at `N` bytes (segment.bytes)")
	f.BoolVar(&o.resume, "resume", false, "go on in a DIR that an interrupted run has left")
	f.StringVar(&o.records, "records", "", "print the records of the offsets `N-M`, N or N- instead")
	o.selection.addFlags(f)
	return command
}

// plan checks the flags and finds the partitions. unread tells of those that
// can't be read, where there are others.
func (o *salvageOptions) plan() (jobs []salvage.Job, unread, err error) {
	if err = o.request.Validate(); err != nil {
		return nil, nil, usageErrorf("%v", err)
	}
	if o.request.Filter, err = o.selection.filter(o.request.Paths); err != nil {
		return nil, nil, err
	}
	jobs, unread, err = salvage.Plan(&o.request)
	if err == nil && len(jobs) == 0 {
		err = cmp.Or(unread, errNoPartitions)
	}
	return jobs, unread, err
}

func (o *salvageOptions) run(ctx context.Context, global *globalOptions) error {
	format, err := global.textTableJSON()
	switch {
	case err != nil:
		return err
	case o.outDir == "":
		return usageErrorf("salvage needs --out-dir DIR (or --records)")
	case o.segmentBytes < 1 || o.segmentBytes > math.MaxInt32:
		return usageErrorf("--segment-bytes %d: from 1 to %d", o.segmentBytes, math.MaxInt32)
	}
	jobs, unread, err := o.plan()
	if err != nil {
		return err
	}
	out, err := place.Open(o.outDir, place.Options{Sources: o.request.Sources(), Resume: o.resume, Own: salvage.Owns(jobs)})
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	bar, err := global.startProgress(func() int64 { return totalBytes(o.request.Sources(), o.request.Filter) })
	if err != nil {
		return err
	}
	defer bar.finish()
	options := salvage.DefaultOptions()
	if options.Reading, err = o.selection.reading(ctx, bar); err != nil {
		return err
	}
	e := newEmitter(global, format)
	defer e.flush()
	options.SegmentBytes = o.segmentBytes
	if err := e.failedParts(ctx, unread); err != nil {
		return err
	}
	render := newSalvageRenderer(e)
	options.Tell = render.object
	for _, path := range o.request.Sources() {
		noteBroker(e, path)
	}
	for i := range jobs {
		summary, err := salvage.Run(ctx, &jobs[i], out, options)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, salvage.ErrDone):
			if !global.quiet {
				e.flush()
				complain(global.streams.Err, fmt.Errorf("%s: %w", jobs[i].Name, err))
			}
		case err != nil:
			e.failed(err)
		default:
			e.code = worseExit(e.code, summary.Exit)
		}
	}
	bar.finish()
	render.end()
	return e.end()
}

func (o *salvageOptions) runRecords(ctx context.Context, global *globalOptions) error {
	switch global.format {
	case formatJSON, "ndjson", formatText:
	default:
		return usageErrorf("--format %q: records are printed as json", global.format)
	}
	if o.outDir != "" {
		return usageErrorf("--records prints to the standard output; it takes no --out-dir")
	}
	first, last, err := parseOffsetRange(o.records)
	if err != nil {
		return err
	}
	jobs, unread, err := o.plan()
	if err != nil {
		return err
	}
	options := salvage.DefaultOptions()
	if options.Reading, err = o.selection.reading(ctx, nil); err != nil {
		return err
	}
	e := newEmitter(global, formatJSON)
	defer e.flush()
	if err := e.failedParts(ctx, unread); err != nil {
		return err
	}
	for i := range jobs {
		summary, err := extractRecords(ctx, e, &jobs[i], first, last, options)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			e.failed(err)
		default:
			e.code = worseExit(e.code, summary.Exit)
		}
	}
	return e.end()
}

// parseOffsetRange reads N, N- or N-M.
func parseOffsetRange(text string) (first, last int64, err error) {
	from, to, ranged := strings.Cut(text, "-")
	if first, err = strconv.ParseInt(from, 10, 64); err == nil {
		switch {
		case !ranged:
			last = first
		case to == "":
			last = math.MaxInt64
		default:
			last, err = strconv.ParseInt(to, 10, 64)
		}
	}
	if err != nil || last < first {
		return 0, 0, usageErrorf("--records %q: offsets as in 100-200, 100 or 100-", text)
	}
	return first, last, nil
}
