package cmd

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/topiclog"
	"github.com/kafsck/kafsck/internal/transactions"
	"github.com/kafsck/kafsck/internal/txnstate"
	"github.com/kafsck/kafsck/sanity"
)

type transactionsOptions struct {
	selection selection
	producers bool
	all       bool

	coordinator bool
	at          int64
}

func newTransactionsCommand(global *globalOptions) *cobra.Command {
	var o transactionsOptions
	command := &cobra.Command{
		Use:   "transactions [flags] PATH...",
		Short: "Say which transactions are open, and what holds the last stable offset",
		Long: `Replay the transactions of a partition: which are open, committed or aborted,
where the last stable offset is that read_committed consumers don't get past,
and the command that ends the transaction which holds it there. The list of
aborted transactions is compared with the .txnindex files, and the open ones
with what the newest producer snapshot says.

PATH is a partition directory, one .log, or a log dir. Text lists the open
transactions; --all lists the ended ones too, as JSON always does.

With --coordinator, the logs of __transaction_state are replayed instead: each
transactional id with its state, producer id and epoch, the partitions of its
transaction, and for how long one has been under way.

Examples:
  kafsck transactions /var/lib/kafka/payments-4
  kafsck transactions --all payments-4
  kafsck transactions -f json /var/lib/kafka/data | jq 'select(.state == "open")'
  kafsck transactions --coordinator /var/lib/kafka/data
  kafsck transactions --coordinator --at 900 -f json __transaction_state-7
` + exitStatusHelp,
		Args: somePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !o.coordinator {
				if cmd.Flags().Changed("at") {
					return usageErrorf("--at needs --coordinator")
				}
				return o.run(cmd.Context(), global, args)
			}
			if len(args) != 1 {
				return usageErrorf("transactions --coordinator takes one PATH")
			}
			return runReplayed(cmd.Context(), global, args[0], o.at, txnstate.Load, showCoordinator)
		},
	}
	o.selection.addFlags(command.Flags())
	command.Flags().BoolVar(&o.producers, "producers", false, "print the sequence state of each producer too")
	command.Flags().BoolVar(&o.all, "all", false, "in text: list committed and aborted transactions too")
	command.Flags().BoolVar(&o.coordinator, "coordinator", false, "what coordinators wrote down in __transaction_state instead")
	command.Flags().Int64Var(&o.at, "at", topiclog.All, "with --coordinator: as of `OFFSET`, itself included")
	command.Flags().Lookup("at").DefValue = ""
	return command
}

func (o *transactionsOptions) run(ctx context.Context, global *globalOptions, paths []string) error {
	format, err := global.textTableJSON()
	if err != nil {
		return err
	}
	filter, err := o.selection.filter(paths)
	if err != nil {
		return err
	}
	global.noteEmpty(paths, &filter)
	ended := o.all || format == formatJSON
	passes := int64(2) // the scan and the check
	if ended {
		passes++
	}
	bar, err := global.startProgress(func() int64 { return passes * totalBytes(paths, filter) })
	if err != nil {
		return err
	}
	defer bar.finish()
	reading, err := o.selection.reading(ctx, bar)
	if err != nil {
		return err
	}
	rate, err := o.selection.rate()
	if err != nil {
		return err
	}
	e := newEmitter(global, format)
	defer e.flush()
	r := &transactionsRenderer{emitter: e, all: o.all}
	told := transactions.Options{Visit: r.transaction, Ended: ended, Ghost: r.ghost, Refused: r.refused}
	if o.producers {
		told.Producer = r.producer
	}
	check := sanity.Options{Depth: sanity.Checksums, Workers: global.workers, ReadRate: rate, Filter: filter, Progress: bar.read}
	for _, path := range paths {
		target, err := logdir.Open(path)
		if err != nil {
			e.failed(err)
			continue
		}
		for target := range transactionTargets(e, target, filter) {
			part, err := transactionsOf(target, filter)
			if err != nil {
				if target.Path == path {
					err = logdir.Named(err)
				}
				e.failed(err)
				continue
			}
			part.log.Reading = reading
			err = r.partition(ctx, part, told, check)
			part.picture.Close()
			if err != nil {
				return err
			}
		}
	}
	bar.finish()
	r.end()
	return e.end()
}

// transactionTargets are the partitions and logs below a path, listed when they
// are asked for.
func transactionTargets(e *emitter, target *logdir.Target, filter logdir.Filter) iter.Seq[*logdir.Target] {
	return func(yield func(*logdir.Target) bool) {
		if target.Dir == nil {
			yield(target)
			return
		}
		for _, ref := range filter.Select(target.Dir.Partitions) {
			p, err := ref.Open()
			if err != nil {
				e.failed(err)
			} else if !yield(&logdir.Target{Path: p.Path, Partition: p}) {
				return
			}
		}
	}
}

// transactionPart is a log to scan, and the same as sanity knows it.
type transactionPart struct {
	log     *transactions.Log
	target  *logdir.Target
	picture *logdir.Picture
}

// transactionsOf is the log of a partition or a file. Of a partition it is a
// picture of one moment: a marker that was deleted between two segments would
// leave its transaction open.
func transactionsOf(target *logdir.Target, filter logdir.Filter) (transactionPart, error) {
	if target.Partition != nil {
		picture, err := target.Partition.Hold(func(p *logdir.Partition) []logdir.Entry { return logdir.Logs(filter.Segments(p.Segments)) })
		if err != nil {
			return transactionPart{}, err
		}
		picture.Segments = filter.Segments(picture.Segments)
		return transactionPart{transactions.Of(picture), &logdir.Target{Path: picture.Path, Partition: picture.Partition}, picture}, nil
	}
	entry := *target.File
	if entry.File.Kind != logdir.KindLog || !entry.File.HasOffset {
		return transactionPart{}, errors.New(target.Path + ": is no .log of a partition")
	}
	log := &transactions.Log{Name: target.Path, Segments: []logdir.Segment{{BaseOffset: entry.File.BaseOffset, Log: &entry}}}
	if abs, err := filepath.Abs(target.Path); err == nil {
		if dir, ok := logdir.ParsePartitionDir(filepath.Base(filepath.Dir(abs))); ok {
			log.Name, log.Topic, log.Partition = dir.String(), dir.Topic, dir.Partition
		}
	}
	return transactionPart{log: log, target: target}, nil
}

// partition scans one log, and has its files checked.
func (r *transactionsRenderer) partition(ctx context.Context, part transactionPart, told transactions.Options, check sanity.Options) error {
	summary, err := transactions.Scan(ctx, part.log, told)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		r.failed(err)
		return r.err
	}
	_, err = sanity.Check(ctx, []*logdir.Target{part.target}, check, func(f *sanity.Finding) error {
		if aboutTransactions(f) {
			r.finding(*f)
			// A torn tail is only a warning, but a marker may be in it.
			if f.Severity != sanity.Info && slices.Contains(logDamage, f.Code) {
				r.code = worseExit(r.code, exitDamage)
			}
		}
		return r.err
	})
	if err != nil {
		return err
	}
	r.summary(summary)
	return r.err
}

// aboutTransactions says whether a finding has to do with transactions: their
// indexes, markers and snapshots, and all damage of logs, since markers may be
// among what is damaged.
func aboutTransactions(f *sanity.Finding) bool {
	switch f.Code {
	case sanity.TxnIndexSize, sanity.TxnIndexVersion, sanity.TxnIndexNotIncreasing, sanity.TxnIndexMismatch,
		sanity.TxnIndexEntryMissing, sanity.ControlMalformed, sanity.SnapshotMismatch, sanity.SnapshotCRCMismatch,
		sanity.SnapshotVersion, sanity.SnapshotSize:
		return true
	}
	return slices.Contains(logDamage, f.Code) || f.Code.Unchecked()
}

var logDamage = []sanity.Code{
	sanity.LogTornTail, sanity.LogZeroTail, sanity.LogZeroHole, sanity.LogGarbage,
	sanity.BatchBadSize, sanity.BatchBadMagic, sanity.BatchCRCMismatch, sanity.OffsetNotIncreasing, sanity.OffsetBelowBase,
}
