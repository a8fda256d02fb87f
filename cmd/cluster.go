package cmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/internal/cluster"
	"github.com/kafsck/kafsck/internal/topiclog"
)

func newClusterCommand(global *globalOptions) *cobra.Command {
	var at int64
	command := &cobra.Command{
		Use:   "cluster [flags] PATH",
		Short: "Say what a controller knew: brokers, topics, partitions, configs",
		Long: `Replay a controller's metadata log from its newest sound checkpoint on and
print what it knew at the end, or at an offset: features, brokers, topics with
their ids, partitions with leader and replicas, configs, ACLs, quotas. Values of
configs that are secrets are not shown.

PATH is a log dir, the directory __cluster_metadata-0, or one .log or
.checkpoint of it. On the way the chain of checkpoints and log is checked. What
the quorum had committed is not in the files: the last records of one node may
be unknown to the others.

Examples:
  kafsck cluster /var/lib/kafka/metadata
  kafsck cluster --at 4711 --format json __cluster_metadata-0
` + exitStatusHelp,
		Args: onePath,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runReplayed(cmd.Context(), global, args[0], at, cluster.Load, showCluster)
		},
	}
	command.Flags().Int64Var(&at, "at", topiclog.All, "as of `OFFSET`, itself included")
	command.Flags().Lookup("at").DefValue = ""
	return command
}

func showCluster(e *emitter, result *cluster.Result) (skipped int64) {
	switch e.format {
	case formatJSON:
		clusterJSON(e, result)
	case formatTable:
		e.table([]string{"topic", "topicId", "partitions", "withoutLeader", "underReplicated", "configs"}, topicRows(result))
	default:
		clusterText(e, result)
	}
	if result.OpenTransaction != nil {
		e.note("the metadata transaction %q has no end: %s of it left out", *result.OpenTransaction, counted(int64(result.Pending), "record"))
	}
	return result.Skipped
}

// topicRows are the topics with what is worth a look.
func topicRows(r *cluster.Result) [][]string {
	var rows [][]string
	for _, t := range r.SortedTopics() {
		without, under := 0, 0
		for _, p := range t.Partitions {
			if p.Leader < 0 {
				without++
			}
			if len(p.ISR) < len(p.Replicas) {
				under++
			}
		}
		configs := r.Configs[cluster.Resource{Type: "topic", Name: t.Name}]
		rows = append(rows, []string{
			t.Name, t.ID.String(), strconv.Itoa(len(t.Partitions)), strconv.Itoa(without), strconv.Itoa(under), strconv.Itoa(len(configs)),
		})
	}
	return rows
}

func clusterText(e *emitter, r *cluster.Result) {
	w := columns{emitter: e}
	w.line("cluster %s, offset %d, epoch %d, %s", quoted(orDash(r.ClusterID)), r.LastOffset, r.LastEpoch, clockText(r.LastTimestamp))
	if c := r.Checkpoint; c != nil {
		w.line("replayed from %s on", quoted(c.File))
	}
	if r.LeaderID >= 0 {
		w.line("leader of the quorum: %d in epoch %d", r.LeaderID, r.LeaderEpoch)
	}
	if q := r.QuorumState; q != nil {
		w.line("quorum-state: epoch %d, leader %d, voted for %d", q.LeaderEpoch, q.LeaderID, q.VotedID)
	}
	w.section("features", "feature", "level")
	for _, name := range sortedKeys(r.Features) {
		w.row(name, strconv.Itoa(int(r.Features[name])))
	}
	w.section("voters", "voter", "directory", "endpoints")
	for _, v := range r.Voters {
		w.row(strconv.Itoa(int(v.ID)), v.DirectoryID.String(), endpointList(v.Endpoints))
	}
	w.section("brokers", "broker", "epoch", "state", "rack", "endpoints", "log dirs")
	for _, b := range r.SortedBrokers() {
		w.row(strconv.Itoa(int(b.ID)), strconv.FormatInt(b.Epoch, 10), brokerState(b), orDash(b.Rack), endpointList(b.Endpoints), strconv.Itoa(len(b.LogDirs)))
	}
	w.section("partitions", "topic", "partition", "leader", "leader epoch", "replicas", "isr", "elr", "")
	for _, t := range r.SortedTopics() {
		for _, n := range sortedKeys(t.Partitions) {
			p := t.Partitions[n]
			w.row(t.Name, strconv.Itoa(int(n)), numberOrNone(p.Leader), strconv.Itoa(int(p.LeaderEpoch)),
				idList(p.Replicas), idList(p.ISR), idList(p.ELR), partitionNote(p))
		}
	}
	w.section("configs", "of", "name", "value")
	for _, c := range r.SortedConfigs() {
		value := c.Value
		if c.Sensitive {
			value = "<redacted>"
		}
		w.row(resourceText(c.Resource), c.Name, value)
	}
	clusterAccessText(&w, r)
	w.endBlock()
}

// clusterAccessText prints who may do what.
func clusterAccessText(w *columns, r *cluster.Result) {
	w.section("access control entries", "principal", "host", "permission", "operation", "resource")
	for _, a := range r.SortedACLs() {
		w.row(a.Principal, a.Host, a.Perm, a.Op, a.ResourceType+" "+a.PatternType+" "+a.ResourceName)
	}
	w.section("quotas", "entity", "quota", "value")
	for _, q := range r.SortedQuotas() {
		for _, key := range sortedKeys(q.Values) {
			w.row(entityText(q.Entity), key, strconv.FormatFloat(q.Values[key], 'f', -1, 64))
		}
	}
	w.section("SCRAM credentials", "user", "mechanism", "iterations")
	for _, k := range r.SortedScram() {
		w.row(k.User, k.Mechanism, strconv.Itoa(int(r.Scram[k])))
	}
}

func brokerState(b *cluster.Broker) string {
	state := "active"
	if b.Fenced {
		state = "fenced"
	}
	if b.InControlledShutdown {
		state += ", shutting down"
	}
	return state
}

func partitionNote(p *cluster.Partition) string {
	var notes []string
	if p.Recovering {
		notes = append(notes, "leader recovering")
	}
	if len(p.Adding) > 0 {
		notes = append(notes, "adding "+idList(p.Adding))
	}
	if len(p.Removing) > 0 {
		notes = append(notes, "removing "+idList(p.Removing))
	}
	return strings.Join(notes, ", ")
}

func endpointList(list []cluster.Endpoint) string {
	var parts []string
	for _, e := range list {
		parts = append(parts, fmt.Sprintf("%s://%s:%d", e.Name, e.Host, e.Port))
	}
	return strings.Join(parts, " ")
}

func idList(ids []int32) string {
	parts := make([]string, len(ids))
	for i, id := range ids {
		parts[i] = strconv.Itoa(int(id))
	}
	return strings.Join(parts, ",")
}

func numberOrNone(n int32) string {
	if n < 0 {
		return "none"
	}
	return strconv.Itoa(int(n))
}

func resourceText(r cluster.Resource) string {
	if r.Name == "" {
		return r.Type + " default"
	}
	return r.Type + " " + r.Name
}

func entityText(entity []cluster.QuotaEntity) string {
	var parts []string
	for _, e := range entity {
		name := "default"
		if e.Name != nil {
			name = *e.Name
		}
		parts = append(parts, e.Type+" "+name)
	}
	return strings.Join(parts, ", ")
}
