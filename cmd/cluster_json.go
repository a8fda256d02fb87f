package cmd

import (
	"fmt"
	"math"

	"github.com/kafsck/kafsck/internal/cluster"
	"github.com/kafsck/kafsck/internal/statefile"
)

// The objects of cluster in JSON.
type (
	clusterObject struct {
		Type            string                 `json:"type"`
		Path            string                 `json:"path"`
		ClusterID       *string                `json:"clusterId"`
		NodeID          *int32                 `json:"nodeId"`
		Checkpoint      *cluster.Checkpoint    `json:"checkpoint"`
		LastOffset      int64                  `json:"lastOffset"`
		LastEpoch       int32                  `json:"lastEpoch"`
		LastTimestamp   int64                  `json:"lastTimestamp"`
		LeaderID        int32                  `json:"leaderId"`
		LeaderEpoch     int32                  `json:"leaderEpoch"`
		KRaftVersion    int16                  `json:"kraftVersion"`
		NextProducerID  int64                  `json:"nextProducerId"`
		QuorumState     *statefile.QuorumState `json:"quorumState"`
		OpenTransaction *string                `json:"openTransaction"`
		Pending         int                    `json:"pending"`
	}
	featureObject struct {
		Type    string `json:"type"`
		Feature string `json:"feature"`
		Level   int16  `json:"level"`
	}
	voterObject struct {
		Type        string             `json:"type"`
		ID          int32              `json:"id"`
		DirectoryID cluster.UUID       `json:"directoryId"`
		Endpoints   []cluster.Endpoint `json:"endpoints"`
	}
	controllerObject struct {
		Type          string             `json:"type"`
		ID            int32              `json:"id"`
		IncarnationID cluster.UUID       `json:"incarnationId"`
		Endpoints     []cluster.Endpoint `json:"endpoints"`
	}
	brokerObject struct {
		Type                 string             `json:"type"`
		ID                   int32              `json:"id"`
		Epoch                int64              `json:"epoch"`
		IncarnationID        cluster.UUID       `json:"incarnationId"`
		Fenced               bool               `json:"fenced"`
		InControlledShutdown bool               `json:"inControlledShutdown"`
		Rack                 *string            `json:"rack"`
		Endpoints            []cluster.Endpoint `json:"endpoints"`
		LogDirs              []cluster.UUID     `json:"logDirs"`
		CordonedLogDirs      []cluster.UUID     `json:"cordonedLogDirs"`
	}
	topicObject struct {
		Type       string       `json:"type"`
		Topic      string       `json:"topic"`
		TopicID    cluster.UUID `json:"topicId"`
		Partitions int          `json:"partitions"`
	}
	partitionObject struct {
		Type           string         `json:"type"`
		Topic          string         `json:"topic"`
		TopicID        cluster.UUID   `json:"topicId"`
		Partition      int32          `json:"partition"`
		Leader         int32          `json:"leader"`
		LeaderEpoch    int32          `json:"leaderEpoch"`
		PartitionEpoch int32          `json:"partitionEpoch"`
		Replicas       []int32        `json:"replicas"`
		ISR            []int32        `json:"isr"`
		ELR            []int32        `json:"elr"`
		LastKnownELR   []int32        `json:"lastKnownElr"`
		Adding         []int32        `json:"addingReplicas"`
		Removing       []int32        `json:"removingReplicas"`
		Directories    []cluster.UUID `json:"directories"`
		Recovering     bool           `json:"recovering"`
	}
	configObject struct {
		Type         string  `json:"type"`
		ResourceType string  `json:"resourceType"`
		ResourceName string  `json:"resourceName"`
		Name         string  `json:"name"`
		Value        *string `json:"value"`
		Sensitive    bool    `json:"sensitive"`
	}
	aclObject struct {
		Type         string       `json:"type"`
		ID           cluster.UUID `json:"id"`
		Principal    string       `json:"principal"`
		Host         string       `json:"host"`
		Permission   string       `json:"permission"`
		Operation    string       `json:"operation"`
		ResourceType string       `json:"resourceType"`
		PatternType  string       `json:"patternType"`
		ResourceName string       `json:"resourceName"`
	}
	quotaObject struct {
		Type   string                `json:"type"`
		Entity []cluster.QuotaEntity `json:"entity"`
		Quota  string                `json:"quota"`
		Value  any                   `json:"value"` // text where JSON has no such number
	}
	scramObject struct {
		Type       string `json:"type"`
		User       string `json:"user"`
		Mechanism  string `json:"mechanism"`
		Iterations int32  `json:"iterations"`
	}
	tokenObject struct {
		Type           string `json:"type"`
		TokenID        string `json:"tokenId"`
		Owner          string `json:"owner"`
		Requester      string `json:"requester"`
		IssueTime      int64  `json:"issueTimestamp"`
		MaxTime        int64  `json:"maxTimestamp"`
		ExpirationTime int64  `json:"expirationTimestamp"`
	}
	clusterSummaryObject struct {
		Type       string `json:"type"`
		Records    int64  `json:"records"`
		Skipped    int64  `json:"skipped"`
		Brokers    int    `json:"brokers"`
		Topics     int    `json:"topics"`
		Partitions int    `json:"partitions"`
	}
)

func clusterJSON(e *emitter, r *cluster.Result) {
	e.object(clusterObject{
		"cluster", r.Path, r.ClusterID, r.NodeID, r.Checkpoint, r.LastOffset, r.LastEpoch, r.LastTimestamp,
		r.LeaderID, r.LeaderEpoch, r.KRaftVersion, r.NextProducerID, r.QuorumState, r.OpenTransaction, r.Pending,
	})
	for _, name := range sortedKeys(r.Features) {
		e.object(featureObject{"feature", name, r.Features[name]})
	}
	for _, v := range r.Voters {
		e.object(voterObject{"voter", v.ID, v.DirectoryID, notNil(v.Endpoints)})
	}
	for _, id := range sortedKeys(r.Controllers) {
		c := r.Controllers[id]
		e.object(controllerObject{"controller", c.ID, c.IncarnationID, notNil(c.Endpoints)})
	}
	for _, b := range r.SortedBrokers() {
		e.object(brokerObject{
			"broker", b.ID, b.Epoch, b.IncarnationID, b.Fenced, b.InControlledShutdown, b.Rack,
			notNil(b.Endpoints), notNil(b.LogDirs), b.CordonedLogDirs,
		})
	}
	partitions := 0
	for _, t := range r.SortedTopics() {
		e.object(topicObject{"topic", t.Name, t.ID, len(t.Partitions)})
		partitions += len(t.Partitions)
		for _, n := range sortedKeys(t.Partitions) {
			p := t.Partitions[n]
			e.object(partitionObject{
				"partition", t.Name, t.ID, n, p.Leader, p.LeaderEpoch, p.PartitionEpoch, notNil(p.Replicas), notNil(p.ISR),
				notNil(p.ELR), notNil(p.LastKnownELR), notNil(p.Adding), notNil(p.Removing), p.Directories, p.Recovering,
			})
		}
	}
	clusterAccessJSON(e, r)
	e.object(clusterSummaryObject{"cluster-summary", r.Records, r.Skipped, len(r.Brokers), len(r.Topics), partitions})
}

// finite is x, or its text if it isn't a finite number.
func finite(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Sprint(x)
	}
	return x
}

// clusterAccessJSON writes configs and who may do what.
func clusterAccessJSON(e *emitter, r *cluster.Result) {
	for _, c := range r.SortedConfigs() {
		value := &c.Value
		if c.Sensitive {
			value = nil
		}
		e.object(configObject{"config", c.Resource.Type, c.Resource.Name, c.Name, value, c.Sensitive})
	}
	for _, a := range r.SortedACLs() {
		e.object(aclObject{"acl", a.ID, a.Principal, a.Host, a.Perm, a.Op, a.ResourceType, a.PatternType, a.ResourceName})
	}
	for _, q := range r.SortedQuotas() {
		for _, key := range sortedKeys(q.Values) {
			e.object(quotaObject{"quota", notNil(q.Entity), key, finite(q.Values[key])})
		}
	}
	for _, k := range r.SortedScram() {
		e.object(scramObject{"scram-credential", k.User, k.Mechanism, r.Scram[k]})
	}
	for _, id := range sortedKeys(r.Tokens) {
		t := r.Tokens[id]
		e.object(tokenObject{"delegation-token", t.ID, t.Owner, t.Requester, t.IssueTime, t.MaxTime, t.ExpirationTime})
	}
}
