package cmd

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/internal/groups"
	"github.com/kafsck/kafsck/internal/topiclog"
)

func newGroupsCommand(global *globalOptions) *cobra.Command {
	var at int64
	var pattern string
	command := &cobra.Command{
		Use:   "groups [flags] PATH",
		Short: "Say what group coordinators knew: groups, members, committed offsets",
		Long: `Replay the logs of __consumer_offsets, and in a log dir those of
__share_group_state too, and print the groups with their members and committed
offsets as they were at the end of the logs. PATH is a log dir, a partition
directory, or one .log of it.

Offsets committed in a transaction that has not ended are marked as pending.
Topics that records know by their id alone get their names from the
partition.metadata files of the log dir.

Examples:
  kafsck groups /var/lib/kafka/data
  kafsck groups --group 'billing-*' --format json __consumer_offsets-12
  kafsck groups --at 100200 __consumer_offsets-12
` + exitStatusHelp,
		Args: onePath,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := path.Match(pattern, ""); err != nil {
				return usageErrorf("--group %q: %v", pattern, err)
			}
			return runReplayed(cmd.Context(), global, args[0], at, groups.Load, func(e *emitter, result *groups.Result) int64 {
				return showGroups(e, result, pattern)
			})
		},
	}
	command.Flags().Int64Var(&at, "at", topiclog.All, "as of `OFFSET`, itself included, of the one partition at PATH")
	command.Flags().StringVar(&pattern, "group", "", "only groups whose name matches `GLOB`")
	command.Flags().Lookup("at").DefValue = ""
	return command
}

// showGroups shows the groups whose names match a pattern; "" is all.
func showGroups(e *emitter, result *groups.Result, pattern string) (skipped int64) {
	var chosen []groups.Group
	for _, g := range result.Groups {
		if ok, _ := path.Match(pattern, g.Name); ok || pattern == "" {
			chosen = append(chosen, g)
		}
	}
	switch e.format {
	case formatJSON:
		groupsJSON(e, result, chosen)
	case formatTable:
		e.table(groupColumns, groupRows(chosen))
	default:
		groupsText(e, chosen)
	}
	return result.Skipped
}

var groupColumns = []string{"group", "type", "state", "protocol", "epoch", "members", "offsets"}

func groupRows(list []groups.Group) [][]string {
	rows := make([][]string, 0, len(list))
	for _, g := range list {
		protocol := g.ProtocolType
		if g.Protocol != nil {
			protocol += "/" + *g.Protocol
		}
		rows = append(rows, []string{
			g.Name, string(g.Type), g.State, protocol, strconv.Itoa(int(g.Epoch)),
			strconv.Itoa(len(g.Members)), strconv.Itoa(len(g.Offsets) + len(g.ShareOffsets)),
		})
	}
	return rows
}

// groupsText prints each group with its members and offsets below it.
func groupsText(e *emitter, list []groups.Group) {
	w := columns{emitter: e}
	for i, g := range list {
		if i > 0 {
			w.line("")
		}
		w.line("%s: %s, %s, epoch %d", quoted(g.Name), g.Type, g.State, g.Epoch)
		w.header("member", "client", "host", "instance", "epoch", "assigned")
		for _, m := range g.Members {
			w.row(m.ID, m.ClientID, m.ClientHost, orDash(m.InstanceID), strconv.Itoa(int(m.Epoch)), partitionList(m.Assigned))
		}
		w.endBlock()
		w.header("topic", "partition", "offset", "committed", "metadata", "")
		for _, o := range g.Offsets {
			pending := ""
			if o.Pending {
				pending = fmt.Sprintf("pending, producer %d", o.ProducerID)
			}
			w.row(o.Topic, strconv.Itoa(int(o.Partition)), strconv.FormatInt(o.Offset, 10), clockText(o.CommitTimestamp), o.Metadata, pending)
		}
		w.endBlock()
		w.header("topic", "partition", "start offset", "state epoch", "done from there")
		for _, o := range g.ShareOffsets {
			w.row(topicText(o.Topic, &o.TopicID), strconv.Itoa(int(o.Partition)), strconv.FormatInt(o.StartOffset, 10),
				strconv.Itoa(int(o.StateEpoch)), strconv.Itoa(int(o.DeliveryComplete)))
		}
		w.endBlock()
	}
}

// partitionList is "orders:0,1 other:3".
func partitionList(list []groups.TopicPartitions) string {
	var b strings.Builder
	for i, tp := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(topicText(tp.Topic, tp.TopicID))
		for j, p := range tp.Partitions {
			b.WriteByte(":,"[min(j, 1)])
			b.WriteString(strconv.Itoa(int(p)))
		}
	}
	return b.String()
}
