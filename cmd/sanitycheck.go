package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/triage"
	"github.com/kafsck/kafsck/sanity"
)

const sanityCheckLong = `Say whether the files of a broker are sound, and go on behind every fault.

A PATH is a file of a partition, a partition directory, or a whole log
directory. A log is read once; in step with it its indexes, producer snapshots
and checkpoints are compared with what it holds. Nothing is written.

Besides text, table and json there are the formats junit (a test suite a
partition), sarif (for code scanning), github (annotations of a workflow) and
html (a report on one page for people to pass on).
With --kafka-version it is judged what that release can't read, and what it does
about the rest. An interrupt ends the check with the summary of what was checked
until then.
`

const sanityCheckExamples = `  kafsck sanity-check /var/lib/kafka/data
  kafsck sanity-check --format json orders-0 | jq 'select(.severity == "error")'
  kafsck sanity-check --topic 'orders*' --newest 2 --rate-limit 100MB/s /var/lib/kafka/data
  kafsck sanity-check --kafka-version 2.8 /var/lib/kafka/data
  kafsck sanity-check --format json testdata > known.ndjson
  kafsck sanity-check --baseline known.ndjson --format junit testdata > kafsck.xml`

// sanityFlags are the flags of sanity-check as they were given.
type sanityFlags struct {
	depth, failOn, policy, version string
	only, ignore                   []string
	baseline                       string
	selection
}

func newSanityCheckCommand(global *globalOptions) *cobra.Command {
	var flags sanityFlags
	cmd := &cobra.Command{
		Use:        "sanity-check [flags] PATH...",
		SuggestFor: []string{"check", "fsck", "verify", "scan"},
		Short:      "Find every fault in logs, indexes, snapshots and checkpoints",
		Long:       sanityCheckLong + "\n\nExamples:\n" + sanityCheckExamples + "\n" + exitStatusHelp,
		Args:       somePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSanityCheck(cmd.Context(), global, &flags, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.depth, "depth", "records", "`DEPTH` to look to: headers, checksums or records")
	f.StringVar(&flags.failOn, "fail-on", "error", "exit 3 on findings from this `SEVERITY` on: error, warning or info")
	f.StringSliceVar(&flags.only, "only", nil, "report these `CODE,...` alone")
	f.StringSliceVar(&flags.ignore, "ignore", nil, "don't report these `CODE,...`")
	f.StringVar(&flags.baseline, "baseline", "", "findings that are in `FILE`, the JSON of an earlier run, don't fail")
	f.StringVar(&flags.policy, "cleanup-policy", "auto", "`POLICY` of the topics: auto, delete or compact")
	f.StringVar(&flags.version, "kafka-version", "", "`VERSION` of the broker that is going to read the files: what it can't read is found too")
	flags.selection.addFlags(f)
	return cmd
}

// runSanityCheck checks the paths, renders what is found, and turns the
// verdict into an exit code.
func runSanityCheck(ctx context.Context, global *globalOptions, flags *sanityFlags, args []string) error {
	rules, err := flags.rules()
	if err != nil {
		return err
	}
	options, err := flags.options(global, args)
	if err != nil {
		return err
	}
	if err := checkSanityFormat(global.format); err != nil {
		return err
	}
	global.noteEmpty(args, &options.Filter)
	bar, err := global.startProgress(func() int64 { return totalBytes(args, options.Filter) })
	if err != nil {
		return err
	}
	defer bar.finish()
	options.Progress = bar.read
	run := &sanityRun{rules: rules, bar: bar}
	run.render = newSanityRenderer(global, &rules, &run.tally, args)
	var targets []*logdir.Target
	for _, path := range args {
		t, err := logdir.Open(path)
		if err == nil {
			targets = append(targets, t)
			continue
		}
		complain(global.streams.Err, err)
		if err := run.unopened(path, err); err != nil {
			return err
		}
	}
	options.Done = run.unit
	summary, err := sanity.Check(ctx, targets, options, run.finding)
	if err != nil && ctx.Err() == nil {
		return err
	}
	exit := run.tally.Exit()
	if ctx.Err() != nil {
		exit = exitInterrupted
	}
	bar.finish()
	shown := &run.shown
	summary.Errors, summary.Warnings, summary.Infos, summary.Unchecked = shown.Errors, shown.Warnings, shown.Infos, run.tally.Unchecked
	if err := run.render.end(&summary, exit); err != nil {
		return err
	}
	return exitWith(exit)
}

// sanityRun takes what a check finds.
type sanityRun struct {
	rules  triage.Rules
	tally  triage.Tally
	shown  sanity.Summary
	render sanityRenderer
	bar    *progress
}

func (r *sanityRun) finding(f *sanity.Finding) error {
	v := r.rules.Judge(f)
	r.tally.Add(v)
	if !v.Shown {
		return nil
	}
	r.bar.found()
	r.shown.Count(f)
	return r.render.finding(f)
}

func (r *sanityRun) unit(u sanity.Unit) error { return r.render.unit(&u) }

// unopened makes a finding of a path that could not be opened, for those who
// don't see stderr.
func (r *sanityRun) unopened(path string, cause error) error {
	code := sanity.IOError
	if errors.Is(cause, logdir.ErrNotKafka) {
		code = sanity.Unsupported
	}
	f := sanity.At(code, path)
	f.Message = cause.Error()
	if err := r.finding(&f); err != nil {
		return err
	}
	return r.unit(sanity.Unit{Path: path, FirstOffset: -1, LastOffset: -1})
}

// rules are what the flags say of which findings matter.
func (s *sanityFlags) rules() (rules triage.Rules, err error) {
	if rules.Only, err = parseCodes("only", s.only); err != nil {
		return rules, err
	}
	if rules.Ignore, err = parseCodes("ignore", s.ignore); err != nil {
		return rules, err
	}
	if rules.FailOn, err = triage.ParseSeverity(s.failOn); err != nil {
		return rules, usageErrorf("--fail-on: %v", err)
	}
	if s.baseline == "" {
		return rules, nil
	}
	f, err := os.Open(s.baseline)
	if err != nil {
		return rules, fmt.Errorf("baseline: %w", err)
	}
	defer f.Close()
	if rules.Baseline, err = triage.ReadBaseline(f); err != nil {
		return rules, fmt.Errorf("baseline %s: %w", s.baseline, err)
	}
	return rules, nil
}

// options are what the flags say of the check itself.
func (s *sanityFlags) options(global *globalOptions, paths []string) (o sanity.Options, err error) {
	if o.Depth, err = sanity.ParseDepth(s.depth); err != nil {
		return o, usageErrorf("--depth: %v", err)
	}
	if o.CleanupPolicy, err = sanity.ParseCleanupPolicy(s.policy); err != nil {
		return o, usageErrorf("--cleanup-policy: %v", err)
	}
	if s.version != "" {
		if o.KafkaVersion, err = kafkaversion.Parse(s.version); err != nil {
			return o, usageErrorf("--kafka-version: %v", err)
		}
	}
	if o.ReadRate, err = s.selection.rate(); err != nil {
		return o, err
	}
	o.Workers = global.workers
	o.Filter, err = s.selection.filter(paths)
	return o, err
}
