package groups

import (
	"strconv"

	"github.com/kafsck/kafsck/internal/message"
	"github.com/kafsck/kafsck/internal/statefile"
)

const stable = "STABLE"

// Kafka's names of a member's state, by number; 127 is UNKNOWN.
var (
	memberStates  = map[int64]string{0: stable, 1: "UNREVOKED_PARTITIONS", 2: "UNRELEASED_PARTITIONS", 127: "UNKNOWN"}
	streamsStates = map[int64]string{1: stable, 2: "UNREVOKED_TASKS", 3: "UNRELEASED_TASKS", 127: "UNKNOWN"}
)

func stateName(names map[int64]string, n int64) string {
	if name, ok := names[n]; ok {
		return name
	}
	return strconv.FormatInt(n, 10)
}

func applyEpoch(_ *image, s *state, _ *Member, v *message.Message) {
	s.hasMetadata, s.epoch = true, int32(v.Get("epoch").Int)
}

func dropGroup(s *state, _ string) { s.reset("") }

func applyTarget(_ *image, s *state, _ *Member, v *message.Message) {
	s.target = int32(v.Get("assignmentEpoch").Int)
}

func dropTarget(s *state, _ string) { s.target = -1 }

func applyConsumer(im *image, s *state, m *Member, v *message.Message) {
	m.InstanceID, m.SubscribedRegex = v.Get("instanceId").TextOrNil(), v.Get("subscribedTopicRegex").TextOrNil()
	applyShareMember(im, s, m, v)
}

func applyShareMember(_ *image, _ *state, m *Member, v *message.Message) {
	applyClient(m, v)
	m.Subscribed = v.Get("subscribedTopicNames").Texts()
}

func applyStreamsMember(_ *image, _ *state, m *Member, v *message.Message) {
	m.InstanceID = v.Get("instanceId").TextOrNil()
	applyClient(m, v)
}

func applyClient(m *Member, v *message.Message) {
	m.RackID, m.ClientID, m.ClientHost = v.Get("rackId").TextOrNil(), v.Get("clientId").Text(), v.Get("clientHost").Text()
}

func dropMember(s *state, member string) { delete(s.members, member) }

func applyTargetMember(_ *image, _ *state, m *Member, v *message.Message) {
	m.Target = partitionsOf(v.Get("topicPartitions"))
}

func dropTargetMember(s *state, member string) {
	if m := s.members[member]; m != nil {
		m.Target = nil
	}
}

func applyEpochs(m *Member, v *message.Message, states map[int64]string) {
	m.Epoch, m.PreviousEpoch = int32(v.Get("memberEpoch").Int), int32(v.Get("previousMemberEpoch").Int)
	m.State = stateName(states, v.Get("state").Int)
}

func applyCurrent(_ *image, _ *state, m *Member, v *message.Message) {
	applyEpochs(m, v, memberStates)
	m.Assigned = partitionsOf(v.Get("assignedPartitions"))
	m.Revoking = nil
	if revoking := v.Find("partitionsPendingRevocation"); revoking != nil {
		m.Revoking = partitionsOf(revoking)
	}
}

func dropCurrent(s *state, member string) {
	if m := s.members[member]; m != nil {
		m.Epoch, m.PreviousEpoch, m.State, m.Assigned, m.Revoking = -1, -1, "", nil, nil
	}
}

func partitionsOf(v *message.Value) []TopicPartitions {
	list := make([]TopicPartitions, len(v.Items))
	for i := range v.Items {
		id := uuidOf(v.Items[i].Get("topicId"))
		list[i] = TopicPartitions{TopicID: &id, Partitions: v.Items[i].Get("partitions").Ints()}
	}
	return list
}

// Of a member of a streams group only active tasks are shown: they are the
// partitions that it reads.
func applyStreamsTarget(_ *image, _ *state, m *Member, v *message.Message) {
	m.Target = tasksOf(v.Get("activeTasks"))
}

func applyStreamsCurrent(_ *image, _ *state, m *Member, v *message.Message) {
	applyEpochs(m, v, streamsStates)
	m.Assigned, m.Revoking = tasksOf(v.Get("activeTasks")), tasksOf(v.Get("activeTasksPendingRevocation"))
}

func tasksOf(v *message.Value) []TopicPartitions {
	list := make([]TopicPartitions, len(v.Items))
	for i := range v.Items {
		list[i] = TopicPartitions{Topic: v.Items[i].Get("subtopologyId").Text(), Partitions: v.Items[i].Get("partitions").Ints()}
	}
	return list
}

func applyTopology(_ *image, s *state, _ *Member, _ *message.Message) { s.hasTopology = true }

// applyShareTopics learns the names of the topics that a share group reads.
func applyShareTopics(im *image, _ *state, _ *Member, v *message.Message) {
	for _, field := range []string{"initializingTopics", "initializedTopics", "deletingTopics"} {
		list := v.Get(field).Items
		for i := range list {
			im.topicNames[statefile.UUID(list[i].Get("topicId").UUID())] = list[i].Get("topicName").Text()
		}
	}
}
