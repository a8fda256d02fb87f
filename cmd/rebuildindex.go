package cmd

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/rebuild"
)

// rebuildOptions are the flags of rebuild-index.
type rebuildOptions struct {
	all          bool
	outDir       string
	inPlace      bool
	kinds        []string
	interval     int64
	maxIndexSize int64
	rule         string
	version      string
	damaged      string
	verify       bool
	selection
}

func newRebuildIndexCommand(global *globalOptions) *cobra.Command {
	var o rebuildOptions
	command := &cobra.Command{
		Use:        "rebuild-index [flags] PATH...",
		SuggestFor: []string{"reindex", "repair", "fix"},
		Short:      "Rebuild .index, .timeindex and .txnindex from the .log as a broker does",
		Long: `Rebuild the indexes of a .log, a partition directory or, with --all, a whole log
dir: byte for byte what a broker's recovery leaves behind.

Without a destination this is a dry run: it says what would be written and how
that differs from what is there. --out-dir writes elsewhere. --in-place replaces
the files and keeps each old one beside the new one as NAME.bak-<UTC time>; it
refuses while a broker holds the .lock of the log dir. A .log is never written.

Examples:
  kafsck rebuild-index orders-0
  kafsck rebuild-index --out-dir /tmp/rebuilt orders-0/00000000000000000000.log
  kafsck rebuild-index --in-place --verify --interval 1024 orders-0
  kafsck rebuild-index --in-place --all --topic 'orders*' /var/lib/kafka/data
  kafsck rebuild-index --format json --all /var/lib/kafka/data > incident.ndjson
` + exitStatusHelp,
		Args: somePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := global.textTableJSON()
			if err != nil {
				return err
			}
			options, filter, err := o.build(global, args)
			if err != nil {
				return err
			}
			run := &rebuildRun{emitter: newEmitter(global, format), options: options, filter: filter, all: o.all, selection: &o.selection}
			defer run.flush()
			return run.paths(cmd.Context(), args)
		},
	}
	f := command.Flags()
	f.BoolVar(&o.all, "all", false, "rebuild all partitions of a log dir")
	f.StringVar(&o.outDir, "out-dir", "", "write the indexes below `DIR`, in directories named as the partitions")
	f.BoolVar(&o.inPlace, "in-place", false, "replace the indexes, keeping the old ones as NAME.bak-<UTC time>")
	f.StringSliceVar(&o.kinds, "kinds", nil, "only indexes of the `KIND,...`: offset, time, txn")
	f.Int64Var(&o.interval, "interval", defaultIndexInterval, "index.interval.bytes of the topic: `BYTES` between entries")
	f.Int64Var(&o.maxIndexSize, "max-index-size", defaultMaxIndexSize, "segment.index.bytes of the topic: the largest index in `BYTES`")
	f.StringVar(&o.rule, "rule", "recover", "`RULE`: recover, as a recovery builds them, or append, as a leader writes them, one batch an append")
	f.StringVar(&o.version, "kafka-version", "4.4", "build them as this `VERSION` of Kafka does")
	f.StringVar(&o.damaged, "damaged", "refuse", "what to `DO` with a damaged log: refuse, or index the prefix before the damage")
	f.BoolVar(&o.verify, "verify", false, "look every offset up through what was written")
	o.selection.addFlags(f)
	return command
}

// build turns the flags into options.
func (o *rebuildOptions) build(global *globalOptions, paths []string) (options rebuild.Options, filter logdir.Filter, err error) {
	options = rebuild.Options{
		Interval: o.interval, MaxIndexSize: int(o.maxIndexSize), InPlace: o.inPlace, OutDir: o.outDir,
		Verify: o.verify, Workers: global.workers,
	}
	switch {
	case o.inPlace && o.outDir != "":
		return options, filter, usageErrorf("--in-place and --out-dir: give one of them")
	case o.verify && !o.inPlace && o.outDir == "":
		return options, filter, usageErrorf("--verify looks at what was written: give --in-place or --out-dir")
	}
	if err := checkIndexSettings(o.interval, o.maxIndexSize); err != nil {
		return options, filter, err
	}
	for _, name := range o.kinds {
		kind := slices.IndexFunc(indexKinds, func(k indexfile.Kind) bool { return k.String() == name })
		if kind < 0 {
			return options, filter, usageErrorf("--kinds %q: offset, time, txn", name)
		}
		options.Kinds = append(options.Kinds, indexKinds[kind])
	}
	if options.Version, err = kafkaversion.Parse(o.version); err != nil {
		return options, filter, usageErrorf("--kafka-version: %v", err)
	}
	switch o.rule {
	case "recover":
	case "append":
		options.Rule = recovery.Append
	default:
		return options, filter, usageErrorf("--rule %q: recover or append", o.rule)
	}
	switch o.damaged {
	case "refuse":
	case "prefix":
		options.Prefix = true
	default:
		return options, filter, usageErrorf("--damaged %q: refuse or prefix", o.damaged)
	}
	filter, err = o.selection.filter(paths)
	return options, filter, err
}

var indexKinds = []indexfile.Kind{indexfile.Offset, indexfile.Time, indexfile.Txn}
