package cmd

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/sanity"
)

const sanityCheckLong = `Says whether the files of a broker are sound, and goes on behind every fault.

A PATH is a file of a partition, a partition directory, or a whole log
directory. A log is read once; in step with it its indexes, producer snapshots
and checkpoints are compared with what it holds. Nothing is written.
`

const sanityCheckExamples = `  kafsck sanity-check /var/lib/kafka/data
  kafsck sanity-check --format json orders-0 | jq 'select(.severity == "error")'
  kafsck sanity-check --topic 'orders*' --newest 2 --rate-limit 100MB/s /var/lib/kafka/data`

// sanityFlags are the flags of sanity-check as they were given.
type sanityFlags struct {
	depth, failOn, policy, version string
	only, ignore                   []string
	topic, since, rate             string
	partitions                     []int32
	newest                         int
}

func newSanityCheckCommand(global *globalOptions) *cobra.Command {
	var flags sanityFlags
	cmd := &cobra.Command{
		Use:               "sanity-check PATH...",
		Short:             "Find every fault in logs, indexes, snapshots and checkpoints",
		Long:              sanityCheckLong + exitStatusHelp,
		Example:           sanityCheckExamples,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSanityCheck(cmd.Context(), global, &flags, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.depth, "depth", "records", "how far to look: headers, checksums or records")
	f.StringVar(&flags.failOn, "fail-on", "error", "exit 3 on findings from this `severity` on: error, warning or info")
	f.StringSliceVar(&flags.only, "only", nil, "report these `codes` alone")
	f.StringSliceVar(&flags.ignore, "ignore", nil, "don't report these `codes`")
	f.StringVar(&flags.policy, "cleanup-policy", "auto", "of the topics: auto, delete or compact")
	f.StringVar(&flags.version, "kafka-version", "", "`version` of the broker that is going to read the files")
	f.StringVar(&flags.topic, "topic", "", "of a log directory: only topics that match this `glob`")
	f.Int32SliceVar(&flags.partitions, "partition", nil, "of a log directory: only these partition `numbers`")
	f.IntVar(&flags.newest, "newest", 0, "only the newest `N` segments of each partition")
	f.StringVar(&flags.since, "modified-since", "", "only segments written since this `time`: epoch ms or RFC 3339")
	f.StringVar(&flags.rate, "rate-limit", "", "read no faster than this `rate`, as in 100MB/s")
	return cmd
}

// runSanityCheck checks the paths, renders what is found, and turns the
// verdict into an exit code.
func runSanityCheck(ctx context.Context, global *globalOptions, flags *sanityFlags, args []string) error {
	chosen, err := flags.chosen()
	if err != nil {
		return err
	}
	failOn, err := parseSeverity(flags.failOn)
	if err != nil {
		return err
	}
	options, err := flags.options(global)
	if err != nil {
		return err
	}
	render, err := newSanityRenderer(global)
	if err != nil {
		return err
	}
	exit := exitOK
	var targets []*logdir.Target
	for _, path := range args {
		t, err := logdir.Open(path)
		if err != nil {
			complain(global.streams.Err, err)
			exit = exitFailed
			continue
		}
		targets = append(targets, t)
	}
	var shown sanity.Summary
	summary, err := sanity.Check(ctx, targets, options, func(f *sanity.Finding) error {
		if !chosen(f.Code) {
			return nil
		}
		shown.Count(f)
		if f.Code.Unchecked() {
			exit = worseExit(exit, exitFailed)
		} else if f.Severity >= failOn {
			exit = worseExit(exit, exitDamage)
		}
		return render.finding(f)
	})
	if err != nil && ctx.Err() == nil {
		return err
	}
	if ctx.Err() != nil {
		exit = exitInterrupted
	}
	summary.Errors, summary.Warnings, summary.Infos, summary.Unchecked = shown.Errors, shown.Warnings, shown.Infos, shown.Unchecked
	if err := render.end(&summary, exit); err != nil {
		return err
	}
	return exitWith(exit)
}

// chosen makes the filter of --only and --ignore.
func (s *sanityFlags) chosen() (func(sanity.Code) bool, error) {
	for _, name := range slices.Concat(s.only, s.ignore) {
		if !sanity.Known(sanity.Code(name)) {
			return nil, usageErrorf("no finding has the code %q", name)
		}
	}
	return func(c sanity.Code) bool {
		return (len(s.only) == 0 || slices.Contains(s.only, string(c))) && !slices.Contains(s.ignore, string(c))
	}, nil
}

// options are what the flags say of the check itself.
func (s *sanityFlags) options(global *globalOptions) (o sanity.Options, err error) {
	if o.Depth, err = sanity.ParseDepth(s.depth); err != nil {
		return o, usageErrorf("--depth: %v", err)
	}
	if o.CleanupPolicy, err = sanity.ParseCleanupPolicy(s.policy); err != nil {
		return o, usageErrorf("--cleanup-policy: %v", err)
	}
	if s.version != "" {
		if _, err := kafkaversion.Parse(s.version); err != nil {
			return o, usageErrorf("--kafka-version: %v", err)
		}
	}
	since, err := parseTimeFlag("modified-since", s.since, -1)
	if err != nil {
		return o, err
	}
	if o.ReadRate, err = parseRate(s.rate); err != nil {
		return o, err
	}
	o.KafkaVersion, o.Workers = s.version, global.workers
	o.Filter = logdir.Filter{Topic: s.topic, Partitions: s.partitions, Newest: s.newest}
	if since >= 0 {
		o.Filter.ModifiedSince = time.UnixMilli(since)
	}
	if err := o.Filter.Validate(); err != nil {
		return o, usageErrorf("%v", err)
	}
	return o, nil
}

func parseSeverity(name string) (sanity.Severity, error) {
	for _, s := range []sanity.Severity{sanity.Error, sanity.Warning, sanity.Info} {
		if s.String() == name {
			return s, nil
		}
	}
	return sanity.Error, usageErrorf("--fail-on %q: error, warning or info", name)
}
