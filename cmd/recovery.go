package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/internal/brokerlock"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/page"
)

// Kafka's defaults of index.interval.bytes and segment.index.bytes.
const (
	defaultIndexInterval = 4096
	defaultMaxIndexSize  = 10 << 20
)

// recoveryOptions are the flags of recovery.
type recoveryOptions struct {
	unclean         bool
	noRecoveryPoint bool
	interval        int64
	maxIndexSize    int64
	version         string
	selection
}

func newRecoveryCommand(global *globalOptions) *cobra.Command {
	var o recoveryOptions
	command := &cobra.Command{
		Use:   "recovery [flags] PATH",
		Short: "Say what a broker will do with these files on its next start",
		Long: `Say what a broker does with a partition directory or a whole log dir on its next
start, and what will be lost by it: which segments it scans, cuts, empties,
deletes or splits, where and why, which files it removes or renames, and the
offsets with which the log comes back; or the exception that keeps it from
starting. Nothing is written.

Of a log dir, the clean-shutdown marker and the checkpoints count. A partition
directory alone is taken as after an unclean stop, without a recovery point.

Examples:
  kafsck recovery /var/lib/kafka/data
  kafsck recovery --unclean --topic 'orders*' /var/lib/kafka/data
  kafsck recovery --format json orders-0
  kafsck recovery --format html /var/lib/kafka/data > incident.html
  kafsck recovery --kafka-version 2.8 orders-0
` + exitStatusHelp,
		Args: onePath,
		RunE: func(cmd *cobra.Command, args []string) error {
			options, err := o.build(global, args)
			if err != nil {
				return err
			}
			format := global.format
			if format != formatHTML {
				if format, err = global.textTableJSON(); err != nil {
					return usageErrorf("--format %q: text, table, json or html", global.format)
				}
			}
			bar, err := global.startProgress(func() int64 { return 0 }) // how far a broker reads isn't known before
			if err != nil {
				return err
			}
			defer bar.finish()
			if options.Reading, err = o.reading(cmd.Context(), bar); err != nil {
				return err
			}
			r := recoveryRun{emitter: newEmitter(global, format), path: args[0], bar: bar}
			defer r.flush()
			return r.run(cmd.Context(), options)
		},
	}
	f := command.Flags()
	f.BoolVar(&o.unclean, "unclean", false, "as if the clean-shutdown marker weren't there")
	f.BoolVar(&o.noRecoveryPoint, "no-recovery-point", false, "as if the recovery points weren't there: every segment is scanned")
	f.Int64Var(&o.interval, "interval", defaultIndexInterval, "the topic's index.interval.bytes: `BYTES`")
	f.Int64Var(&o.maxIndexSize, "max-index-size", defaultMaxIndexSize, "the topic's segment.index.bytes: `BYTES`")
	f.StringVar(&o.version, "kafka-version", kafkaversion.Latest.String(), "the broker that starts: `X.Y[.Z]`")
	o.addPartitionFlags(f)
	o.addRateFlag(f)
	return command
}

func (o *recoveryOptions) build(global *globalOptions, paths []string) (loader.DirOptions, error) {
	d := loader.DirOptions{Unclean: o.unclean, NoRecoveryPoint: o.noRecoveryPoint, Workers: global.workers}
	var err error
	if d.Version, err = kafkaversion.Parse(o.version); err != nil {
		return d, usageErrorf("--kafka-version: %v", err)
	}
	if err := checkIndexSettings(o.interval, o.maxIndexSize); err != nil {
		return d, err
	}
	d.Interval, d.MaxIndexSize = o.interval, int(o.maxIndexSize)
	d.Filter, err = o.filter(paths)
	return d, err
}

// recoveryRun is one call of the command.
type recoveryRun struct {
	*emitter
	path  string
	bar   *progress
	total loader.Loss
	// behind is what stays behind the ends of logs; badIndex says that there is
	// a log of which an index hides it, and nothing that is lost.
	behind   loader.Loss
	badIndex bool
	plans    int
	fails    int
	// unsaid are the partitions of which it can't be said what happens.
	unsaid int
	rows   [][]string

	incident page.Incident // of format html
}

func (r *recoveryRun) run(ctx context.Context, o loader.DirOptions) error {
	target, err := logdir.Open(r.path)
	if err != nil {
		return err
	}
	r.total = loader.Loss{FirstOffset: -1, LastOffset: -1, FirstTime: -1, LastTime: -1}
	r.behind = r.total
	switch {
	case target.Partition != nil:
		r.warnOfBroker(logdir.Parent(r.path))
		plan, err := loader.Partition(ctx, target.Partition, o.Options)
		r.plan(ctx, loader.Loaded{Path: r.path, Plan: plan, Err: logdir.Named(err)})
	case target.Dir != nil:
		r.warnOfBroker(r.path)
		start, err := loader.Dir(target.Dir, o)
		if err != nil {
			return err
		}
		r.start(start)
		for loaded := range start.Plans(ctx) {
			if r.plan(ctx, loaded); ctx.Err() != nil {
				return ctx.Err()
			}
		}
	default:
		return fmt.Errorf("%s: recovery is about a partition directory or a log dir, not a single file", r.path)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.bar.finish()
	r.finish()
	return r.end()
}

// warnOfBroker says so where a broker is using the files.
func (r *recoveryRun) warnOfBroker(dir string) {
	holder, err := brokerlock.Of(dir)
	if err == nil && holder.Held {
		r.note("%s: a broker is running on it; this is about a start after a crash right now", quoted(dir))
	}
}

// plan shows what becomes of one partition.
func (r *recoveryRun) plan(ctx context.Context, loaded loader.Loaded) {
	if loaded.Err != nil {
		if _, gone := errors.AsType[*logdir.GoneError](loaded.Err); gone {
			r.failed(loaded.Err)
		} else if ctx.Err() == nil {
			r.unsaid++
			r.incident.Add(page.Part{Name: loaded.Path, State: page.Unknown, Verdict: "can't be said: " + loaded.Err.Error()})
			r.failed(fmt.Errorf("%s: can't be said: %w", loaded.Path, loaded.Err))
		}
		return
	}
	p := loaded.Plan
	r.plans++
	r.total.Add(p.Lost)
	r.behind.Add(p.Behind)
	r.badIndex = (r.badIndex || p.Behind.Any() && p.Options.Clean) && !r.total.Any()
	if !p.Loads {
		r.fails++
	}
	r.code = worseExit(r.code, recoveryExit(p))
	switch r.format {
	case formatJSON:
		for i := range p.Decisions {
			r.object(decisionObject(&p.Decisions[i]))
		}
		r.object(summaryObject(p))
		if p.Metadata {
			r.note("%s: %s", quoted(p.Path), metadataNote)
		}
	case formatHTML:
		r.part(p)
	case formatTable:
		r.rows = append(r.rows, recoveryRow(p))
	default:
		r.text(p)
	}
}
