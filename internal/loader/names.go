package loader

import (
	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/kafkaversion"
)

// formerNames are the classes that had another name before a release.
var formerNames = []struct {
	name   string
	before kafkaversion.Version
	former string
}{
	{classOffsetOverflow, kafkaversion.Version{3, 7}, "kafka.common.LogSegmentOffsetOverflowException"},
	{classInvalidRecord, kafkaversion.Version{2, 4}, "org.apache.kafka.common.record.InvalidRecordException"},
	{classInvalidOffset, kafkaversion.Version{0, 11}, "kafka.common.InvalidOffsetException"},
	{classCorruptRecord, kafkaversion.Version{0, 10}, "kafka.message.InvalidMessageException"},
}

// renamed is the exception as the release calls it. nil is nil.
func renamed(thrown *indexfile.KafkaError, v kafkaversion.Version) *indexfile.KafkaError {
	if thrown == nil {
		return nil
	}
	for _, n := range formerNames {
		if n.name == thrown.Class && v.Before(n.before[:]...) {
			return &indexfile.KafkaError{Class: n.former, Message: thrown.Message}
		}
	}
	return thrown
}
