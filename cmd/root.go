package cmd

import (
	"errors"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// globalOptions are the flags that every command takes.
type globalOptions struct {
	streams  Streams
	format   string
	color    string
	progress string
	workers  int
	quiet    bool
}

// exitStatusHelp ends the long help of every command.
const exitStatusHelp = `
EXIT STATUS
  0    done, nothing wrong found
  1    could not be done, or a part could not be checked
  2    wrong usage
  3    done, and damage was found
  4    done, what was asked for is not there (lookup)
  130  interrupted`

// NewRootCommand builds the whole command tree on the given streams.
func NewRootCommand(streams Streams) *cobra.Command {
	global := &globalOptions{streams: streams}
	root := &cobra.Command{
		Use:   "kafsck COMMAND [flags] PATH...",
		Short: "fsck for Kafka: read, check and repair the files of a broker, offline",
		Long: `kafsck reads, checks and repairs the files that an Apache Kafka broker keeps
on disk. It works offline, on the files alone; reading never writes. A PATH is a
file of a partition, a partition directory, or one of a broker's log.dirs.

Examples:
  kafsck sanity-check /var/lib/kafka/data      # what is wrong
  kafsck recovery /var/lib/kafka/data          # what a start would destroy
  kafsck salvage /var/lib/kafka/data/orders-3 --out-dir /mnt/spare/saved
  kafsck dump --print-data-log orders-3/00000000000000000000.log
` + exitStatusHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := emptyValue(cmd); err != nil {
				return err
			}
			return global.check()
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetFlagErrorFunc(flagError)
	root.Version, _, _ = versionInfo()
	root.SetVersionTemplate("kafsck {{.Version}}\n")
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { writeHelp(global, cmd) })
	root.SuggestionsMinimumDistance = 2
	flags := root.PersistentFlags()
	flags.StringVarP(&global.format, "format", "f", "text", "`FORMAT` of the output: text, table or json (one object a line); more where the command says so")
	flags.StringVar(&global.color, "color", "auto", "colours `WHEN`: auto, always or never (NO_COLOR is honoured)")
	flags.StringVar(&global.progress, "progress", "auto", "progress bar on stderr `WHEN`: auto, always or never")
	flags.IntVar(&global.workers, "workers", runtime.GOMAXPROCS(0), "use `N` cores")
	// Help and man pages must not depend on the machine that prints them.
	flags.Lookup("workers").DefValue = "all cores"
	flags.BoolVarP(&global.quiet, "quiet", "q", false, "no notes and no progress; data and errors stay")

	root.AddCommand(
		newDumpCommand(global),
		newCompareCommand(global),
		newClusterCommand(global),
		newGroupsCommand(global),
		newIndexCommand(global),
		newLookupCommand(global),
		newRecoveryCommand(global),
		newExplainCommand(global),
		newSanityCheckCommand(global),
		newRebuildIndexCommand(global),
		newReportCommand(global),
		newTransactionsCommand(global),
		newSalvageCommand(global),
		newVersionCommand(global),
	)
	strictHelp(root)
	addCompletions(root)
	usageErrors(root)
	hideZeros(root)
	return root
}

// hideZeros leaves the default of a number out of the helps where it means
// none: pflag takes it for one only if it is written as 0.
func hideZeros(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if kind := f.Value.Type(); f.DefValue == "" && (kind == "int" || kind == "int64" || kind == "int32") {
			f.DefValue = "0"
		}
	})
	for _, sub := range cmd.Commands() {
		hideZeros(sub)
	}
}

// usageErrors makes cobra's own complaints about arguments and commands exit
// with 2, for every command of the tree.
func usageErrors(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			var coded *exitError
			if err == nil || errors.As(err, &coded) {
				return err
			}
			return &exitError{code: exitUsage, err: err}
		}
	}
	for _, sub := range cmd.Commands() {
		usageErrors(sub)
	}
}
