package groups

import (
	"github.com/kafsck/kafsck/internal/message"
	"github.com/kafsck/kafsck/internal/topiclog"
	"github.com/kafsck/kafsck/internal/topics"
)

// Kafka's numbers of record types in __consumer_offsets that a group is made of.
const (
	legacyOffsetCommit = 0
	offsetCommit       = 1
	groupMetadata      = 2
)

// kinds are the record types of the groups that aren't classic.
var kinds = map[int16]struct {
	kind  Type
	apply func(im *image, s *state, m *Member, v *message.Message)
	drop  func(s *state, member string)
}{
	3:  {Consumer, applyEpoch, dropGroup},
	5:  {Consumer, applyConsumer, dropMember},
	6:  {Consumer, applyTarget, dropTarget},
	7:  {Consumer, applyTargetMember, dropTargetMember},
	8:  {Consumer, applyCurrent, dropCurrent},
	10: {Share, applyShareMember, dropMember},
	11: {Share, applyEpoch, dropGroup},
	12: {Share, applyTarget, dropTarget},
	13: {Share, applyTargetMember, dropTargetMember},
	14: {Share, applyCurrent, dropCurrent},
	15: {Share, applyShareTopics, func(*state, string) {}},
	17: {Streams, applyEpoch, dropGroup},
	19: {Streams, applyStreamsMember, dropMember},
	20: {Streams, applyTarget, dropTarget},
	21: {Streams, applyStreamsTarget, dropTargetMember},
	22: {Streams, applyStreamsCurrent, dropCurrent},
	23: {Streams, applyTopology, func(s *state, _ string) { s.hasTopology = false }},
}

func (im *image) offsetsTopic(r *topiclog.Record) {
	switch r.TypeID {
	case legacyOffsetCommit, offsetCommit:
		im.commit(r)
		return
	case groupMetadata:
		im.classic(r)
		return
	}
	k, ok := kinds[r.TypeID]
	if !ok {
		return // topics of a group, and regular expressions: nothing that is shown
	}
	name, member := r.Key.Get("groupId").Text(), ""
	if v := r.Key.Find("memberId"); v != nil {
		member = v.Text()
	}
	if r.Value == nil {
		im.drop(name, k.kind, func(s *state) { k.drop(s, member) })
		return
	}
	s := im.group(name, k.kind)
	var m *Member
	if member != "" {
		m = s.member(member)
	}
	k.apply(im, s, m, r.Value)
}

func (im *image) commit(r *topiclog.Record) {
	o := Offset{
		Topic: r.Key.Get("topic").Text(), Partition: int32(r.Key.Get("partition").Int),
		LeaderEpoch: -1, ExpireTimestamp: -1, RecordOffset: r.Offset, ProducerID: r.Batch.ProducerID,
	}
	name := r.Key.Get("group").Text()
	key := partition{o.Topic, o.Partition}
	if r.Value == nil {
		im.drop(name, "", func(s *state) { delete(s.offsets, key) })
		return
	}
	o.Offset, o.Metadata = r.Value.Get("offset").Int, r.Value.Get("metadata").Text()
	if v := r.Value.Find("leaderEpoch"); v != nil {
		o.LeaderEpoch = int32(v.Int)
	}
	o.CommitTimestamp = r.Value.Get("commitTimestamp").Int
	if v := r.Value.Find("expireTimestamp"); v != nil {
		o.ExpireTimestamp = v.Int
	}
	if v := r.Value.Find("topicId"); v != nil && v.UUID() != [16]byte{} {
		id := uuidOf(v)
		o.TopicID = &id
		im.topicNames[id] = o.Topic
	}
	if o.ProducerID >= 0 {
		im.pending[o.ProducerID] = append(im.pending[o.ProducerID], pendingOffset{group: name, Offset: o})
		return
	}
	im.group(name, "").offsets[key] = o
}

// classic applies the metadata of a classic group, which holds its members.
func (im *image) classic(r *topiclog.Record) {
	name := r.Key.Get("group").Text()
	if r.Value == nil {
		im.drop(name, Classic, func(s *state) { s.reset("") })
		return
	}
	s := im.group(name, Classic)
	s.reset(Classic)
	v := r.Value
	s.hasMetadata = true
	s.protocolType, s.protocol, s.leader = v.Get("protocolType").Text(), v.Get("protocol").TextOrNil(), v.Get("leader").TextOrNil()
	s.epoch, s.timestamp = int32(v.Get("generation").Int), v.Get("currentStateTimestamp").Int
	members := v.Get("members").Items
	for i := range members {
		from := &members[i]
		m := s.member(from.Get("memberId").Text())
		m.InstanceID = from.Get("groupInstanceId").TextOrNil()
		m.ClientID, m.ClientHost = from.Get("clientId").Text(), from.Get("clientHost").Text()
		if s.protocolType != topics.ConsumerProtocol {
			continue
		}
		if sub, err := topics.ReadSubscription(from.Get("subscription").Bytes); err == nil {
			m.Subscribed, m.RackID = sub.Get("topics").Texts(), sub.Get("rackId").TextOrNil()
		}
		if a, err := topics.ReadAssignment(from.Get("assignment").Bytes); err == nil {
			list := a.Get("assignedPartitions").Items
			for j := range list {
				m.Assigned = append(m.Assigned, TopicPartitions{Topic: list[j].Get("topic").Text(), Partitions: list[j].Get("partitions").Ints()})
			}
		}
	}
}

// share applies a record of __share_group_state: a snapshot replaces what is
// known of a partition, an update changes it.
func (im *image) share(r *topiclog.Record) {
	const snapshot = 0
	name := r.Key.Get("groupId").Text()
	key := sharePartition{uuidOf(r.Key.Get("topicId")), int32(r.Key.Get("partition").Int)}
	if r.Value == nil {
		im.drop(name, "", func(s *state) { delete(s.shares, key) })
		return
	}
	s := im.group(name, "")
	o, known := s.shares[key]
	if !known || r.TypeID == snapshot {
		o = ShareOffset{TopicID: key.topicID, Partition: key.number, StateEpoch: -1, StartOffset: -1, DeliveryComplete: -1}
	}
	o.SnapshotEpoch, o.LeaderEpoch = int32(r.Value.Get("snapshotEpoch").Int), int32(r.Value.Get("leaderEpoch").Int)
	if v := r.Value.Find("stateEpoch"); v != nil {
		o.StateEpoch = int32(v.Int)
	}
	if start := r.Value.Get("startOffset").Int; r.TypeID == snapshot || start != -1 {
		o.StartOffset = start
	}
	if done := int32(r.Value.Get("deliveryCompleteCount").Int); r.TypeID == snapshot || done != -1 {
		o.DeliveryComplete = done
	}
	s.shares[key] = o
}
