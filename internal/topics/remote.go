package topics

import (
	"encoding/base64"
	"maps"
	"slices"
	"strconv"

	"github.com/kafsck/kafsck/internal/javatext"
	"github.com/kafsck/kafsck/internal/message"
)

// Names of the states in records about tiers, by number.
var (
	segmentStates = [...]string{"COPY_SEGMENT_STARTED", "COPY_SEGMENT_FINISHED", "DELETE_SEGMENT_STARTED", "DELETE_SEGMENT_FINISHED"}
	deleteStates  = [...]string{"DELETE_PARTITION_MARKED", "DELETE_PARTITION_STARTED", "DELETE_PARTITION_FINISHED"}
)

// appendRemote appends a record about tiers as the toString of Kafka's class for
// it, or why Kafka can't make an object of that class.
func (d *Decoded) appendRemote(dst []byte) []byte {
	reason := d.reason
	if d.printed != nil {
		reason = refused(d.Type, d.printed)
	}
	if reason != "" {
		dst = append(dst, "Error at offset "...)
		dst = strconv.AppendInt(dst, d.Offset, 10)
		dst = append(dst, ", skipping. "...)
		return append(dst, reason...)
	}
	w := remoteWriter{dst, d.printed}
	switch d.Type {
	case "REMOTE_LOG_SEGMENT_METADATA_RECORD":
		w.text("RemoteLogSegmentMetadata{remoteLogSegmentId=")
		w.segmentID()
		w.numbers("startOffset", "endOffset", "brokerId", "maxTimestampMs", "eventTimestampMs")
		w.segment()
	case "REMOTE_LOG_SEGMENT_METADATA_UPDATE_RECORD":
		w.text("RemoteLogSegmentMetadataUpdate{remoteLogSegmentId=")
		w.segmentID()
		w.customMetadata()
		w.state("remoteLogSegmentState", segmentStates[:])
		w.numbers("eventTimestampMs", "brokerId")
		w.text("}")
	case "REMOTE_PARTITION_DELETE_METADATA_RECORD":
		w.text("RemotePartitionDeleteMetadata{topicPartition=")
		w.partition(w.m.Get("topicIdPartition"))
		w.state("remotePartitionDeleteState", deleteStates[:])
		w.numbers("eventTimestampMs", "brokerId")
		w.text("}")
	case "REMOTE_LOG_SEGMENT_METADATA_SNAPSHOT_RECORD":
		w.text("RemoteLogSegmentMetadataSnapshot{segmentId=")
		w.uuid(w.m.Get("segmentId"))
		w.numbers("startOffset", "endOffset", "maxTimestampMs")
		w.segment()
	}
	return w.dst
}

// refused is the text of the exception that the class's constructor throws, ""
// if it throws none.
func refused(kind string, m *message.Message) string {
	const noState, noEpochs = "state can not be null", "segmentLeaderEpochs can not be null or empty"
	switch kind {
	case "REMOTE_LOG_SEGMENT_METADATA_RECORD":
		start, end := m.Get("startOffset").Int, m.Get("endOffset").Int
		switch {
		case start < 0:
			return "Unexpected start offset = " + decimal(start) + ". StartOffset for a remote segment cannot be negative"
		case end < start:
			return "Unexpected end offset = " + decimal(end) + ". EndOffset for a remote segment cannot be less than startOffset = " + decimal(start)
		case len(m.Get("segmentLeaderEpochs").Items) == 0:
			return noEpochs
		case !known(m.Get("remoteLogSegmentState"), segmentStates[:]):
			return noState
		}
	case "REMOTE_LOG_SEGMENT_METADATA_UPDATE_RECORD":
		if !known(m.Get("remoteLogSegmentState"), segmentStates[:]) {
			return noState
		}
	case "REMOTE_PARTITION_DELETE_METADATA_RECORD":
		if !known(m.Get("remotePartitionDeleteState"), deleteStates[:]) {
			return "null"
		}
	case "REMOTE_LOG_SEGMENT_METADATA_SNAPSHOT_RECORD":
		switch {
		case !known(m.Get("remoteLogSegmentState"), segmentStates[:]):
			return noState
		case len(m.Get("segmentLeaderEpochs").Items) == 0:
			return noEpochs
		}
	}
	return ""
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func known(v *message.Value, states []string) bool { return v.Int >= 0 && v.Int < int64(len(states)) }

// remoteWriter writes parts of such a text.
type remoteWriter struct {
	dst []byte
	m   *message.Message
}

func (w *remoteWriter) text(s string) { w.dst = append(w.dst, s...) }

func (w *remoteWriter) uuid(v *message.Value) {
	w.dst = base64.RawURLEncoding.AppendEncode(w.dst, v.Bytes)
}

// numbers writes fields under their own names, each behind a comma.
func (w *remoteWriter) numbers(names ...string) {
	for _, name := range names {
		w.text(", " + name + "=")
		w.dst = strconv.AppendInt(w.dst, w.m.Get(name).Int, 10)
	}
}

// partition writes id:topic-partition.
func (w *remoteWriter) partition(v *message.Value) {
	w.uuid(v.Get("id"))
	w.text(":")
	w.dst = javatext.AppendUTF8(w.dst, v.Get("name").Bytes)
	w.text("-")
	w.dst = strconv.AppendInt(w.dst, v.Get("partition").Int, 10)
}

func (w *remoteWriter) segmentID() {
	id := w.m.Get("remoteLogSegmentId")
	w.text("RemoteLogSegmentId{topicIdPartition=")
	w.partition(id.Get("topicIdPartition"))
	w.text(", id=")
	w.uuid(id.Get("id"))
	w.text("}")
}

// segment writes what the texts of a segment and of a snapshot of it end with.
func (w *remoteWriter) segment() {
	w.text(", segmentLeaderEpochs={")
	w.leaderEpochs()
	w.text("}")
	w.numbers("segmentSizeInBytes")
	w.customMetadata()
	w.state("remoteLogSegmentState", segmentStates[:])
	w.text(", txnIdxEmpty=" + strconv.FormatBool(w.m.Get("txnIndexEmpty").Bool()) + "}")
}

// leaderEpochs writes a sorted map: of an epoch that comes twice, the last.
func (w *remoteWriter) leaderEpochs() {
	starts := map[int64]int64{}
	items := w.m.Get("segmentLeaderEpochs").Items
	for i := range items {
		starts[items[i].Get("leaderEpoch").Int] = items[i].Get("offset").Int
	}
	for i, epoch := range slices.Sorted(maps.Keys(starts)) {
		if i > 0 {
			w.text(", ")
		}
		w.text(decimal(epoch) + "=" + decimal(starts[epoch]))
	}
}

func (w *remoteWriter) customMetadata() {
	w.text(", customMetadata=")
	if v := w.m.Get("customMetadata"); v.Null {
		w.text("Optional.empty")
	} else {
		w.text("Optional[CustomMetadata{" + strconv.Itoa(len(v.Bytes)) + " bytes}]")
	}
}

func (w *remoteWriter) state(field string, states []string) {
	w.text(", state=" + states[w.m.Get(field).Int])
}
