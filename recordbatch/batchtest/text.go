package batchtest

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// TopicPartitionOffset is one line of an offset checkpoint.
type TopicPartitionOffset struct {
	Topic     string
	Partition int
	Offset    int64
}

// OffsetCheckpoint returns one of the four offset checkpoints of a log dir.
func OffsetCheckpoint(entries ...TopicPartitionOffset) []byte {
	lines := make([]string, len(entries))
	for i, e := range entries {
		lines[i] = fmt.Sprintf("%s %d %d", e.Topic, e.Partition, e.Offset)
	}
	return checkpoint(lines)
}

// EpochStart is one line of a leader-epoch-checkpoint.
type EpochStart struct {
	Epoch  int32
	Offset int64
}

// EpochCheckpoint returns a leader-epoch-checkpoint.
func EpochCheckpoint(entries ...EpochStart) []byte {
	lines := make([]string, len(entries))
	for i, e := range entries {
		lines[i] = fmt.Sprintf("%d %d", e.Epoch, e.Offset)
	}
	return checkpoint(lines)
}

// checkpoint is the text form of all checkpoints: version 0, count, lines.
func checkpoint(lines []string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "0\n%d\n", len(lines))
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	return []byte(b.String())
}

// UUID is how Kafka writes an id: URL-safe base64 without padding.
func UUID(id [16]byte) string { return base64.RawURLEncoding.EncodeToString(id[:]) }

// PartitionMetadata returns a partition.metadata, without a last newline.
func PartitionMetadata(topicID [16]byte) []byte {
	return []byte("version: 0\ntopic_id: " + UUID(topicID))
}

// MetaProperties returns a meta.properties of version 1 (KRaft).
func MetaProperties(nodeID int, clusterID string, directoryID [16]byte) []byte {
	return fmt.Appendf(nil, "#\nversion=1\nnode.id=%d\ncluster.id=%s\ndirectory.id=%s\n",
		nodeID, clusterID, UUID(directoryID))
}
