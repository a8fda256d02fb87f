package cmd

import (
	"errors"
	"runtime"

	"github.com/spf13/cobra"
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
		Use:   "kafsck",
		Short: "fsck for Kafka: read, check and repair the files of a broker, offline",
		Long: `kafsck reads, checks and repairs the files that an Apache Kafka broker keeps
on disk. It works offline, on the files alone; reading never writes.
` + exitStatusHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		PersistentPreRunE: func(*cobra.Command, []string) error {
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
	root.SuggestionsMinimumDistance = 2
	flags := root.PersistentFlags()
	flags.StringVarP(&global.format, "format", "f", "text", "output `format`: text, table or json (one object a line)")
	flags.StringVar(&global.color, "color", "auto", "colour: auto, always or never (NO_COLOR is honoured)")
	flags.StringVar(&global.progress, "progress", "auto", "progress bar on stderr: auto, always or never")
	flags.IntVar(&global.workers, "workers", runtime.GOMAXPROCS(0), "how many `N` cores to use")
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
	usageErrors(root)
	return root
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
