package groups

import (
	"maps"
	"slices"

	"github.com/kafsck/kafsck/internal/message"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/internal/topiclog"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/recordbatch"
)

// image is the state that records build up. apply gives it the records of one
// or more partitions of the two topics, each in its order; groups don't
// stretch over partitions of __consumer_offsets.
type image struct {
	groups map[string]*state
	// pending are offset commits of open transactions in the log being
	// applied, by producer id; open are those left over in earlier logs.
	pending map[int64][]pendingOffset
	open    []pendingOffset
	// topicNames are the names of topic ids that the records themselves tell.
	topicNames map[statefile.UUID]string
	// skipped counts records that could not be decoded or are of a newer type.
	skipped int64
}

type pendingOffset struct {
	group string
	Offset
}

// partition is a partition of a topic by name.
type partition struct {
	topic  string
	number int32
}

// state is a group while records are applied.
type state struct {
	kind         Type
	hasMetadata  bool
	protocolType string
	protocol     *string
	leader       *string
	epoch        int32
	target       int32
	timestamp    int64
	members      map[string]*Member
	hasTopology  bool
	offsets      map[partition]Offset
	shares       map[sharePartition]ShareOffset
}

type sharePartition struct {
	topicID statefile.UUID
	number  int32
}

// newImage returns an empty one.
func newImage() *image {
	return &image{
		groups: map[string]*state{}, pending: map[int64][]pendingOffset{}, topicNames: map[statefile.UUID]string{},
	}
}

// group returns the group of that name, made if need be, of that kind.
func (im *image) group(name string, kind Type) *state {
	s := im.groups[name]
	if s == nil {
		s = &state{
			epoch: -1, target: -1, timestamp: -1, members: map[string]*Member{},
			offsets: map[partition]Offset{}, shares: map[sharePartition]ShareOffset{},
		}
		im.groups[name] = s
	}
	if kind != "" && s.kind != kind {
		s.reset(kind)
	}
	return s
}

// reset makes a group one of another kind, which keeps its offsets.
func (s *state) reset(kind Type) {
	s.kind, s.hasMetadata, s.hasTopology = kind, false, false
	s.protocolType, s.protocol, s.leader = "", nil, nil
	s.epoch, s.target, s.timestamp = -1, -1, -1
	s.members = map[string]*Member{}
}

// drop forgets what a tombstone removes, and the group where nothing is left.
func (im *image) drop(name string, kind Type, remove func(s *state)) {
	s := im.groups[name]
	if s == nil || kind != "" && s.kind != kind {
		return
	}
	remove(s)
	if s.kind == "" && len(s.offsets) == 0 && len(s.shares) == 0 {
		delete(im.groups, name)
	}
}

func (s *state) member(id string) *Member {
	m := s.members[id]
	if m == nil {
		m = &Member{ID: id, Epoch: -1, PreviousEpoch: -1}
		s.members[id] = m
	}
	return m
}

// endLog says that the records of one partition are at their end: markers of
// another partition don't concern its open transactions.
func (im *image) endLog() {
	for _, id := range slices.Sorted(maps.Keys(im.pending)) {
		im.open = append(im.open, im.pending[id]...)
	}
	clear(im.pending)
}

// apply applies a record.
func (im *image) apply(r *topiclog.Record) {
	switch {
	case r.Err != nil:
		im.skipped++
	case r.Topic == topics.ShareGroupState:
		im.share(r)
	case r.Topic == topics.ConsumerOffsets:
		im.offsetsTopic(r)
	}
}

// endTransaction applies a marker: what a producer committed comes into force,
// unless something newer is there, or is dropped.
func (im *image) endTransaction(b *recordbatch.Batch, c recordbatch.Control) {
	if !c.IsEndTransaction {
		return
	}
	pending := im.pending[b.ProducerID]
	delete(im.pending, b.ProducerID)
	if c.Type != recordbatch.ControlCommit {
		return
	}
	for _, p := range pending {
		key := partition{p.Topic, p.Partition}
		s := im.group(p.group, "")
		if old, ok := s.offsets[key]; !ok || p.RecordOffset > old.RecordOffset {
			s.offsets[key] = p.Offset
		}
	}
}

// list returns the groups by name. names adds names of topic ids.
func (im *image) list(names map[statefile.UUID]string) []Group {
	all := maps.Clone(im.topicNames)
	maps.Copy(all, names)
	im.endLog()
	open := map[string][]Offset{}
	for _, p := range im.open {
		p.Pending = true
		im.group(p.group, "") // a group may consist of pending offsets alone
		open[p.group] = append(open[p.group], p.Offset)
	}
	groups := make([]Group, 0, len(im.groups))
	for _, name := range slices.Sorted(maps.Keys(im.groups)) {
		g := im.groups[name].group(name)
		g.Offsets = append(g.Offsets, open[name]...)
		g.resolve(all)
		g.sort()
		groups = append(groups, g)
	}
	return groups
}

func (s *state) group(name string) Group {
	g := Group{
		Name: name, Type: s.kind, State: s.name(), ProtocolType: s.protocolType, Protocol: s.protocol,
		Leader: s.leader, Epoch: s.epoch, AssignmentEpoch: s.target, StateTimestamp: s.timestamp,
	}
	if g.Type == "" {
		g.Type = Classic
		if len(s.shares) > 0 && len(s.offsets) == 0 {
			g.Type = Share
		}
	}
	for _, m := range s.members {
		g.Members = append(g.Members, *m)
	}
	for _, o := range s.offsets {
		g.Offsets = append(g.Offsets, o)
	}
	for _, o := range s.shares {
		g.ShareOffsets = append(g.ShareOffsets, o)
	}
	return g
}

// resolve puts names to topic ids.
func (g *Group) resolve(names map[statefile.UUID]string) {
	for i := range g.Members {
		m := &g.Members[i]
		for _, list := range [][]TopicPartitions{m.Assigned, m.Revoking, m.Target} {
			for j := range list {
				if id := list[j].TopicID; id != nil {
					list[j].Topic = names[*id]
				}
			}
		}
	}
	for i := range g.ShareOffsets {
		g.ShareOffsets[i].Topic = names[g.ShareOffsets[i].TopicID]
	}
}

// name is the state that a coordinator derives.
func (s *state) name() string {
	if len(s.members) == 0 {
		return "Empty"
	}
	switch s.kind {
	case Streams:
		if !s.hasTopology {
			return "NotReady"
		}
	case Consumer:
	default:
		return "Stable"
	}
	if s.epoch > s.target {
		return "Assigning"
	}
	for _, m := range s.members {
		if m.State != stable || m.Epoch != s.target {
			return "Reconciling"
		}
	}
	return "Stable"
}

func uuidOf(v *message.Value) statefile.UUID { return statefile.UUID(v.UUID()) }
