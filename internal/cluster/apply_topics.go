package cluster

import (
	"fmt"
	"slices"

	"github.com/kafsck/kafsck/internal/message"
)

func (im *Image) topic(v *message.Value) error {
	t := &Topic{Name: v.Get("name").Text(), ID: v.Get("topicId").UUID(), Partitions: map[int32]*Partition{}}
	old, exists := im.topicIDs[t.Name]
	im.Topics[t.ID], im.topicIDs[t.Name] = t, t.ID
	if exists {
		return fmt.Errorf("topic %q is there already, with id %s", t.Name, old)
	}
	return nil
}

func (im *Image) topicByID(v *message.Value) (*Topic, error) {
	id := UUID(v.Get("topicId").UUID())
	if t := im.Topics[id]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("there is no topic with id %s", id)
}

// removeTopic takes the topic's configs away too.
func (im *Image) removeTopic(v *message.Value) error {
	t, err := im.topicByID(v)
	if err != nil {
		return err
	}
	delete(im.Topics, t.ID)
	if im.topicIDs[t.Name] == t.ID {
		delete(im.topicIDs, t.Name)
		delete(im.Configs, Resource{resourceTopic, t.Name})
	}
	return nil
}

func (im *Image) partition(v *message.Value) error {
	t, err := im.topicByID(v)
	if err != nil {
		return err
	}
	p := &Partition{
		Leader: int32(v.Get("leader").Int), LeaderEpoch: int32(v.Get("leaderEpoch").Int), PartitionEpoch: int32(v.Get("partitionEpoch").Int),
		Replicas: v.Get("replicas").Ints(), ISR: v.Get("isr").Ints(),
		Adding: v.Get("addingReplicas").Ints(), Removing: v.Get("removingReplicas").Ints(),
		ELR: v.Get("eligibleLeaderReplicas").Ints(), LastKnownELR: v.Get("lastKnownElr").Ints(),
		Directories: uuids(v.Get("directories")), Recovering: v.Get("leaderRecoveryState").Int == 1,
	}
	t.Partitions[int32(v.Get("partitionId").Int)] = p
	return nil
}

// changePartition applies what is set in a change (PartitionRegistration.merge):
// a leader that is named, also the same one, begins a new leader epoch, and
// every change a new partition epoch.
func (im *Image) changePartition(v *message.Value) error {
	t, err := im.topicByID(v)
	if err != nil {
		return err
	}
	number := int32(v.Get("partitionId").Int)
	p := t.Partitions[number]
	if p == nil {
		return fmt.Errorf("topic %q has no partition %d", t.Name, number)
	}
	const sameLeader, sameState = -2, -1
	if leader := v.Get("leader").Int; leader != sameLeader {
		p.Leader = int32(leader)
		p.LeaderEpoch++
	}
	if replicas := v.Get("replicas"); !replicas.Null {
		list := replicas.Ints()
		p.Directories = directories(p, list)
		p.Replicas = list
	}
	for _, change := range []struct {
		field string
		to    *[]int32
	}{
		{"isr", &p.ISR}, {"addingReplicas", &p.Adding}, {"removingReplicas", &p.Removing},
		{"eligibleLeaderReplicas", &p.ELR}, {"lastKnownElr", &p.LastKnownELR},
	} {
		if list := v.Get(change.field); !list.Null {
			*change.to = list.Ints()
		}
	}
	if state := v.Get("leaderRecoveryState").Int; state != sameState {
		p.Recovering = state == 1
	}
	if list := v.Get("directories"); !list.Null {
		p.Directories = uuids(list)
	}
	p.PartitionEpoch++
	return nil
}

// directories keeps the directory of each replica that stays. That of a new one
// is not known yet, for which Kafka has the id zero.
func directories(p *Partition, replicas []int32) []UUID {
	if p.Directories == nil {
		return nil
	}
	list := make([]UUID, len(replicas))
	for i, id := range replicas {
		if at := slices.Index(p.Replicas, id); at >= 0 && at < len(p.Directories) {
			list[i] = p.Directories[at]
		}
	}
	return list
}

// clearELR forgets the eligible leader replicas of one topic, or of all.
func (im *Image) clearELR(v *message.Value) error {
	name := v.Get("topicName").Text()
	if _, ok := im.topicIDs[name]; name != "" && !ok {
		return fmt.Errorf("there is no topic %q", name)
	}
	for _, t := range im.Topics {
		if name != "" && t.Name != name {
			continue
		}
		for _, p := range t.Partitions {
			p.ELR, p.LastKnownELR = []int32{}, []int32{}
		}
	}
	return nil
}
