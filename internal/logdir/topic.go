package logdir

import (
	"fmt"
	"strconv"
	"strings"
)

// Marker is what a partition directory is set aside for.
type Marker string

// The markers. A directory without one is a partition in use.
const (
	NoMarker Marker = ""
	Delete   Marker = "delete" // being deleted; loaded as an empty log, whatever it holds
	Future   Marker = "future" // the copy of a partition that moves between log directories
	Stray    Marker = "stray"  // not assigned to this broker any more; kept, not deleted
)

// PartitionDir is what the name of a partition directory says.
type PartitionDir struct {
	// Topic of a Delete or Stray directory may be cut: Kafka shortens it so
	// that the whole name stays within 255 characters.
	Topic     string
	Partition int32
	Marker    Marker
	// UniqueID is what stands between the partition and the marker; Kafka
	// writes a UUID as 32 hex digits.
	UniqueID string
	// Canonical says that the partition number and the id are written as
	// Kafka writes them; it accepts "t-01" and "t-+1" too.
	Canonical bool
}

// String is the name of the partition without marker: topic-partition.
func (p PartitionDir) String() string {
	return p.Topic + "-" + strconv.Itoa(int(p.Partition))
}

// MaybeTruncated says whether the topic may have been cut.
func (p PartitionDir) MaybeTruncated() bool {
	if p.Marker != Delete && p.Marker != Stray {
		return false
	}
	return len(p.String())+1+len(p.UniqueID)+1+len(p.Marker) >= maxDirName
}

const maxDirName = 255

// MetadataTopic is the topic of the controllers' log.
const MetadataTopic = "__cluster_metadata"

// RemoteIndexCacheDir is the directory of indexes of remote segments.
const RemoteIndexCacheDir = "remote-log-index-cache"

// ParsePartitionDir parses the last element of the path of a directory
// (UnifiedLog.parseTopicPartitionName): topic and partition are divided by the
// last "-". ok is false for any other name; a broker that finds such a
// directory in a log directory, but for remote-log-index-cache, takes that
// log directory offline or does not start.
func ParsePartitionDir(name string) (p PartitionDir, ok bool) {
	front := name
	for _, marker := range []Marker{Delete, Future, Stray} {
		rest, marked := strings.CutSuffix(name, "-"+string(marker))
		if !marked {
			continue
		}
		p.Marker = marker
		dot := strings.LastIndexByte(rest, '.')
		if dot < 0 {
			return PartitionDir{}, false
		}
		front, p.UniqueID = rest[:dot], rest[dot+1:]
		if p.UniqueID == "" || strings.ContainsAny(name, " \t\n\v\f\r") {
			return PartitionDir{}, false
		}
	}
	dash := strings.LastIndexByte(front, '-')
	if dash <= 0 {
		return PartitionDir{}, false
	}
	partition, err := strconv.ParseInt(front[dash+1:], 10, 32)
	if err != nil {
		return PartitionDir{}, false
	}
	p.Topic, p.Partition = front[:dash], int32(partition)
	p.Canonical = front == p.String() && (p.Marker == NoMarker || isUniqueID(p.UniqueID))
	return p, true
}

func isUniqueID(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789abcdef") == ""
}

// CheckTopic says what is wrong with a topic's name, or nil
// (org.apache.kafka.common.internals.Topic.validate).
func CheckTopic(topic string) error {
	const most = 249
	switch {
	case topic == "":
		return fmt.Errorf("the topic name is empty")
	case topic == "." || topic == "..":
		return fmt.Errorf("%q is no topic name", topic)
	case len(topic) > most:
		return fmt.Errorf("the topic name has %d characters, at most %d are allowed", len(topic), most)
	}
	for i := range len(topic) {
		if c := topic[i]; !isAlphanumeric(c) && c != '.' && c != '_' && c != '-' {
			return fmt.Errorf("the topic name %q has other characters than ASCII letters, digits, '.', '_' and '-'", topic)
		}
	}
	return nil
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
