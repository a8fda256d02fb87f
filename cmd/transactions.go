package cmd

import (
	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/internal/topiclog"
)

func newTransactionsCommand(global *globalOptions) *cobra.Command {
	var coordinator bool
	var at int64
	command := &cobra.Command{
		Use:   "transactions --coordinator [flags] PATH",
		Short: "Say what transaction coordinators knew of each transactional id",
		Long: `Replay the logs of __transaction_state and print each transactional id with
its state, producer id and epoch, the partitions of its transaction, and for how
long one has been under way: until it ends, readers of committed data on these
partitions wait. PATH is a log dir, a partition directory, or one .log of it.

Examples:
  kafsck transactions --coordinator /var/lib/kafka/data
  kafsck transactions --coordinator --at 900 --format json __transaction_state-7
` + exitStatusHelp,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !coordinator {
				return usageErrorf("transactions needs --coordinator")
			}
			return runCoordinator(cmd.Context(), global, args[0], at)
		},
		ValidArgsFunction: completeFiles,
	}
	command.Flags().BoolVar(&coordinator, "coordinator", false, "what coordinators wrote down in __transaction_state")
	command.Flags().Int64Var(&at, "at", topiclog.All, "as of `OFFSET`, itself included, of the one partition at PATH")
	command.Flags().Lookup("at").DefValue = ""
	return command
}
