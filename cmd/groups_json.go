package cmd

import (
	"github.com/kafsck/kafsck/internal/groups"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/internal/topiclog"
)

// The objects of groups in JSON.
type (
	groupObject struct {
		Type            string      `json:"type"`
		Group           string      `json:"group"`
		GroupType       groups.Type `json:"groupType"`
		State           string      `json:"state"`
		ProtocolType    string      `json:"protocolType"`
		Protocol        *string     `json:"protocol"`
		Leader          *string     `json:"leader"`
		Epoch           int32       `json:"epoch"`
		AssignmentEpoch int32       `json:"assignmentEpoch"`
		StateTimestamp  int64       `json:"stateTimestamp"`
		Members         int         `json:"members"`
		Offsets         int         `json:"offsets"`
	}
	memberObject struct {
		Type            string                   `json:"type"`
		Group           string                   `json:"group"`
		MemberID        string                   `json:"memberId"`
		InstanceID      *string                  `json:"instanceId"`
		RackID          *string                  `json:"rackId"`
		ClientID        string                   `json:"clientId"`
		ClientHost      string                   `json:"clientHost"`
		Epoch           int32                    `json:"epoch"`
		PreviousEpoch   int32                    `json:"previousEpoch"`
		State           string                   `json:"state"`
		Subscribed      []string                 `json:"subscribed"`
		SubscribedRegex *string                  `json:"subscribedRegex"`
		Assigned        []groups.TopicPartitions `json:"assigned"`
		Revoking        []groups.TopicPartitions `json:"revoking"`
		Target          []groups.TopicPartitions `json:"target"`
	}
	groupOffsetObject struct {
		Type            string          `json:"type"`
		Group           string          `json:"group"`
		Topic           string          `json:"topic"`
		Partition       int32           `json:"partition"`
		TopicID         *statefile.UUID `json:"topicId"`
		Offset          int64           `json:"offset"`
		LeaderEpoch     int32           `json:"leaderEpoch"`
		Metadata        string          `json:"metadata"`
		CommitTimestamp int64           `json:"commitTimestamp"`
		ExpireTimestamp int64           `json:"expireTimestamp"`
		RecordOffset    int64           `json:"recordOffset"`
		Pending         bool            `json:"pending"`
		ProducerID      int64           `json:"producerId"`
	}
	shareOffsetObject struct {
		Type             string         `json:"type"`
		Group            string         `json:"group"`
		Topic            string         `json:"topic"`
		Partition        int32          `json:"partition"`
		TopicID          statefile.UUID `json:"topicId"`
		StartOffset      int64          `json:"startOffset"`
		SnapshotEpoch    int32          `json:"snapshotEpoch"`
		StateEpoch       int32          `json:"stateEpoch"`
		LeaderEpoch      int32          `json:"leaderEpoch"`
		DeliveryComplete int32          `json:"deliveryComplete"`
	}
	groupsSummaryObject struct {
		Type       string           `json:"type"`
		Groups     int              `json:"groups"`
		Skipped    int64            `json:"skipped"`
		Partitions []replayedObject `json:"partitions"`
	}
	replayedObject struct {
		Partition  string `json:"partition"`
		LastOffset int64  `json:"lastOffset"`
	}
)

func groupsJSON(e *emitter, result *groups.Result, list []groups.Group) {
	for _, g := range list {
		e.object(groupObject{
			"group", g.Name, g.Type, g.State, g.ProtocolType, g.Protocol, g.Leader,
			g.Epoch, g.AssignmentEpoch, g.StateTimestamp, len(g.Members), len(g.Offsets) + len(g.ShareOffsets),
		})
		for _, m := range g.Members {
			e.object(memberObject{
				"group-member", g.Name, m.ID, m.InstanceID, m.RackID, m.ClientID, m.ClientHost, m.Epoch, m.PreviousEpoch,
				m.State, notNil(m.Subscribed), m.SubscribedRegex, notNil(m.Assigned), notNil(m.Revoking), notNil(m.Target),
			})
		}
		for _, o := range g.Offsets {
			e.object(groupOffsetObject{
				"group-offset", g.Name, o.Topic, o.Partition, o.TopicID, o.Offset, o.LeaderEpoch, o.Metadata,
				o.CommitTimestamp, o.ExpireTimestamp, o.RecordOffset, o.Pending, o.ProducerID,
			})
		}
		for _, o := range g.ShareOffsets {
			e.object(shareOffsetObject{
				"share-offset", g.Name, o.Topic, o.Partition, o.TopicID, o.StartOffset,
				o.SnapshotEpoch, o.StateEpoch, o.LeaderEpoch, o.DeliveryComplete,
			})
		}
	}
	e.object(groupsSummaryObject{"groups-summary", len(list), result.Skipped, replayed(result.Partitions)})
}

// replayed are the logs that were read.
func replayed(list []topiclog.Replayed) []replayedObject {
	objects := make([]replayedObject, 0, len(list))
	for _, r := range list {
		objects = append(objects, replayedObject{r.Partition, r.LastOffset})
	}
	return objects
}

// notNil makes an empty list [] instead of null.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
