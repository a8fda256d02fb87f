// Package cluster replays a controller's metadata log, __cluster_metadata, from
// its newest sound checkpoint on, and says what the controller knew: features,
// brokers, topics, partitions, configs, ACLs, quotas.
package cluster

import (
	"github.com/kafsck/kafsck/internal/statefile"
)

// UUID is an id of a topic, a directory or an incarnation.
type UUID = statefile.UUID

// Image is what a controller knew.
type Image struct {
	Features    map[string]int16
	Brokers     map[int32]*Broker
	Controllers map[int32]*Controller
	Topics      map[UUID]*Topic
	Configs     map[Resource]map[string]string
	ACLs        map[UUID]ACL
	Quotas      map[string]*Quota // by the entity, see Quota.name
	Scram       map[ScramKey]int32
	Tokens      map[string]Token
	// NextProducerID is the start of the next block of producer ids, −1 where
	// none was given out.
	NextProducerID int64

	// KRaftVersion is −1, and Voters are nil, where the log doesn't say: the
	// quorum is then a matter of the nodes' configuration.
	KRaftVersion int16
	Voters       []Voter
	// LeaderID and LeaderEpoch are of the last election in the log, −1 none.
	LeaderID    int32
	LeaderEpoch int32

	topicIDs map[string]UUID
}

// Broker is a registered broker.
type Broker struct {
	ID                   int32
	Epoch                int64
	IncarnationID        UUID
	Fenced               bool
	InControlledShutdown bool
	Rack                 *string
	Endpoints            []Endpoint
	LogDirs              []UUID
	CordonedLogDirs      []UUID
}

// Controller is a registered controller.
type Controller struct {
	ID            int32
	IncarnationID UUID
	Endpoints     []Endpoint
}

// Endpoint is where a node listens. SecurityProtocol is "" for voters, of which
// it isn't recorded.
type Endpoint struct {
	Name             string `json:"name"`
	Host             string `json:"host"`
	Port             uint16 `json:"port"`
	SecurityProtocol string `json:"securityProtocol"`
}

// Voter is a member of the quorum.
type Voter struct {
	ID          int32
	DirectoryID UUID
	Endpoints   []Endpoint
}

// Topic is a topic with its partitions by number.
type Topic struct {
	Name       string
	ID         UUID
	Partitions map[int32]*Partition
}

// Partition is the registration of a partition.
type Partition struct {
	Leader         int32 // −1 none
	LeaderEpoch    int32
	PartitionEpoch int32
	Replicas       []int32
	ISR            []int32
	Adding         []int32
	Removing       []int32
	ELR            []int32 // eligible leader replicas
	LastKnownELR   []int32
	Directories    []UUID // of the replicas, in their order; nil in old records
	Recovering     bool   // the leader was elected uncleanly and is recovering
}

// Resource is what a config belongs to.
type Resource struct {
	Type string // topic, broker, client-metrics, group, or a number
	Name string // "" for the default of all
}

// ACL is an access control entry. Names are Kafka's.
type ACL struct {
	ID                                                                 UUID
	ResourceType, ResourceName, PatternType, Principal, Host, Op, Perm string
}

// Quota are the quotas of one client entity.
type Quota struct {
	Entity []QuotaEntity
	Values map[string]float64
}

// QuotaEntity is a part of an entity: a user, a client id, an address. A nil
// Name is the default of all.
type QuotaEntity struct {
	Type string  `json:"type"`
	Name *string `json:"name"`
}

// ScramKey names a credential. Its secrets are not kept.
type ScramKey struct{ User, Mechanism string }

// Token is a delegation token without its secret, which isn't in the log.
type Token struct {
	ID, Owner, Requester               string
	IssueTime, MaxTime, ExpirationTime int64
}

func newImage() *Image {
	return &Image{
		Features: map[string]int16{}, Brokers: map[int32]*Broker{}, Controllers: map[int32]*Controller{},
		Topics: map[UUID]*Topic{}, topicIDs: map[string]UUID{}, Configs: map[Resource]map[string]string{},
		ACLs: map[UUID]ACL{}, Quotas: map[string]*Quota{}, Scram: map[ScramKey]int32{}, Tokens: map[string]Token{},
		NextProducerID: -1, KRaftVersion: -1, LeaderID: -1, LeaderEpoch: -1,
	}
}
