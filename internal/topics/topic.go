// Package topics decodes the records that Kafka writes into its own topics, and
// renders them as Kafka's dump tool does and as JSON.
package topics

import (
	"strings"

	"github.com/kafsck/kafsck/internal/message"
)

// Topic is one of the topics that Kafka keeps for itself.
type Topic uint8

// The topics, each named by what decodes it.
const (
	None Topic = iota
	ConsumerOffsets
	TransactionState
	ShareGroupState
	ClusterMetadata
	RemoteLogMetadata
)

var names = [...]string{
	ConsumerOffsets:   "__consumer_offsets",
	TransactionState:  "__transaction_state",
	ShareGroupState:   "__share_group_state",
	ClusterMetadata:   "__cluster_metadata",
	RemoteLogMetadata: "__remote_log_metadata",
}

// String is the topic's name in Kafka, "" for None.
func (t Topic) String() string { return names[t] }

// ForDirectory returns the topic of a partition directory by its name, such as
// "__consumer_offsets-12", also of one being deleted, moved or stray. It is None
// for topics that aren't Kafka's own.
func ForDirectory(name string) Topic {
	for t := ConsumerOffsets; t <= RemoteLogMetadata; t++ {
		if rest, ok := strings.CutPrefix(name, names[t]+"-"); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			return t
		}
	}
	return None
}

// recordType is a type of record in a topic. Only coordinators' have a key.
type recordType struct {
	id         int16
	name       string // as Kafka's enums spell it, such as OFFSET_COMMIT
	key, value *message.Schema
}

var types = [...]map[int16]recordType{
	ConsumerOffsets:   keyed(message.Offsets()),
	TransactionState:  keyed(message.Transactions()),
	ShareGroupState:   keyed(message.Shares()),
	ClusterMetadata:   framed(message.Metadata()),
	RemoteLogMetadata: framed(message.Tiers()),
}

func keyed(table []message.Schema) map[int16]recordType {
	m := map[int16]recordType{}
	for i := range table {
		s := &table[i]
		t := m[s.Key]
		t.id = s.Key
		if name, ok := strings.CutSuffix(s.Name, "Key"); ok {
			t.name, t.key = upperSnake(name), s
		} else {
			t.value = s
		}
		m[s.Key] = t
	}
	return m
}

func framed(table []message.Schema) map[int16]recordType {
	m := map[int16]recordType{}
	for i := range table {
		s := &table[i]
		m[s.Key] = recordType{id: s.Key, name: upperSnake(s.Name), value: s}
	}
	return m
}

// upperSnake turns OffsetCommit into OFFSET_COMMIT.
func upperSnake(name string) string {
	var b strings.Builder
	for i, c := range name {
		if i > 0 && c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(c)
	}
	return strings.ToUpper(b.String())
}
