// Package groups replays the logs of __consumer_offsets and __share_group_state
// and says what a group coordinator knew at their end: groups, members,
// committed offsets.
package groups

import (
	"cmp"
	"slices"

	"github.com/kafsck/kafsck/internal/statefile"
)

// Type is the kind of a group, as Kafka's tools call it.
type Type string

// The types. A group of which there are offsets alone is Classic.
const (
	Classic  Type = "Classic"
	Consumer Type = "Consumer"
	Share    Type = "Share"
	Streams  Type = "Streams"
)

// Group is one group.
type Group struct {
	Name string
	Type Type
	// State is what a coordinator makes of these records when it loads them:
	// Empty, Assigning, Reconciling, Stable, NotReady.
	State        string
	ProtocolType string  // of classic groups, such as "consumer"; "" without metadata
	Protocol     *string // the assignor of a classic group
	Leader       *string // of a classic group
	// Epoch is a classic group's generation. AssignmentEpoch is that of the
	// target assignment. −1 where there is none.
	Epoch           int32
	AssignmentEpoch int32
	StateTimestamp  int64 // of a classic group's last state, −1 unknown
	Members         []Member
	Offsets         []Offset
	ShareOffsets    []ShareOffset
}

// Member is a member of a group.
type Member struct {
	ID            string
	InstanceID    *string
	RackID        *string
	ClientID      string
	ClientHost    string
	Epoch         int32 // −1 for classic members; −2 a static member that left for a while
	PreviousEpoch int32
	State         string // as Kafka's MemberState; "" for classic members
	// Subscribed are topics and SubscribedRegex is a pattern of topics.
	Subscribed      []string
	SubscribedRegex *string
	Assigned        []TopicPartitions // what it has
	Revoking        []TopicPartitions // what it has to give up
	Target          []TopicPartitions // what it is meant to have; nil for classic members
}

// TopicPartitions are partitions of one topic, or tasks of one subtopology. A
// record names the topic or its id.
type TopicPartitions struct {
	Topic      string          `json:"topic"` // or subtopology; "" where only the id is known
	TopicID    *statefile.UUID `json:"topicId"`
	Partitions []int32         `json:"partitions"`
}

// Offset is a committed offset, or with Pending one that waits for the end of
// its transaction.
type Offset struct {
	Topic           string
	Partition       int32
	TopicID         *statefile.UUID
	Offset          int64
	LeaderEpoch     int32
	Metadata        string
	CommitTimestamp int64
	ExpireTimestamp int64 // −1 none
	RecordOffset    int64 // of the record in __consumer_offsets
	Pending         bool
	ProducerID      int64 // −1 outside of transactions
}

// ShareOffset is where a share group is in a partition.
type ShareOffset struct {
	Topic         string // "" where only the id is known
	TopicID       statefile.UUID
	Partition     int32
	SnapshotEpoch int32
	StateEpoch    int32
	LeaderEpoch   int32
	StartOffset   int64
	// DeliveryComplete counts the offsets from StartOffset on that are done
	// with, −1 unknown.
	DeliveryComplete int32
}

// sort puts everything in a group into a fixed order.
func (g *Group) sort() {
	slices.SortFunc(g.Members, func(a, b Member) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(g.Offsets, func(a, b Offset) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition),
			compareBool(a.Pending, b.Pending), cmp.Compare(a.ProducerID, b.ProducerID))
	})
	slices.SortFunc(g.ShareOffsets, func(a, b ShareOffset) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.TopicID.String(), b.TopicID.String()), cmp.Compare(a.Partition, b.Partition))
	})
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
