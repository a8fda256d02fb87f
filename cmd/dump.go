package cmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/internal/dump"
)

func newDumpCommand(global *globalOptions) *cobra.Command {
	var o dumpOptions
	command := &cobra.Command{
		Use:   "dump [flags] PATH...",
		Short: "Print what is in segments, indexes, snapshots and checkpoints",
		Long: `Print the contents of the files of a partition or a log dir, as
kafka-dump-log.sh prints them: the flags are Kafka's, and so is the text. It
reads every kind of file, goes on behind damage, and never writes.

Examples:
  kafsck dump 00000000000000000000.log
  kafsck dump --print-data-log --files a/00000000000000000000.log,b/00000000000000000000.log
  kafsck dump --deep-iteration --from-offset 1000 --to-offset 1010 orders-0
  kafsck dump --offsets-decoder __consumer_offsets-12
  kafsck dump --decode auto /var/lib/kafka/data
  kafsck dump --topic 'orders*' --newest 1 --rate-limit 50MB/s /var/lib/kafka/data
  kafsck dump --format json --print-data-log --value-format redacted orders-0
  kafsck dump --hex --limit 1 00000000000000000000.log
  alias kafka-dump-log.sh='kafsck dump'
` + exitStatusHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			options, err := o.build(global, cmd)
			if err != nil {
				return err
			}
			paths := append(splitFiles(o.files), args...)
			if len(paths) == 0 {
				return usageErrorf("dump needs at least one PATH (or --files)%s", helpHint(cmd))
			}
			if options.Filter, err = o.selection.filter(paths); err != nil {
				return err
			}
			global.noteEmpty(paths, &options.Filter)
			p, err := o.startProgress(global, options, paths)
			if err != nil {
				return err
			}
			defer p.finish()
			if options.Reading, err = o.selection.reading(cmd.Context(), p); err != nil {
				return err
			}
			return runDump(cmd.Context(), global, options, paths, p)
		},
	}
	o.addFlags(command)
	return command
}

// splitFiles splits the value of --files at commas as Kafka's tool does:
// String.split drops what is empty at the end, and nowhere else.
func splitFiles(files string) []string {
	files = strings.TrimRight(files, ",")
	if files == "" {
		return nil
	}
	return strings.Split(files, ",")
}

// startProgress starts a bar, except where the data on the screen is progress
// enough.
func (o *dumpOptions) startProgress(global *globalOptions, options dump.Options, paths []string) (*progress, error) {
	if global.progress == "auto" && options.Format != dump.Quiet && isTerminal(global.streams.Out) {
		return nil, nil
	}
	return global.startProgress(func() int64 { return totalBytes(paths, options.Filter) })
}

func runDump(ctx context.Context, global *globalOptions, options dump.Options, paths []string, p *progress) error {
	sink := dump.NewSink(global.streams.Out, global.streams.Err, options.Format)
	sink.Terminal = options.Terminal
	var rows []dump.FileSummary
	code := exitOK
	for _, path := range paths {
		summaries, err := dump.Path(ctx, sink, path, &options)
		rows = append(rows, summaries...)
		if flushed := sink.Flush(); flushed != nil {
			return flushed
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if isBrokenPipe(err) {
				return err
			}
			if global.tell(err) {
				code = worseExit(code, exitFailed)
			}
		}
	}
	p.finish()
	if sink.Summary.Findings > 0 {
		code = worseExit(code, exitDamage)
	}
	if sink.Summary.Unchecked > 0 {
		code = worseExit(code, exitFailed)
	}
	if options.Format == dump.Quiet {
		if err := dumpTable(global, rows); err != nil {
			return err
		}
	}
	return exitWith(code)
}
