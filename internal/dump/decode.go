package dump

import (
	"path/filepath"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/recordbatch"
)

// topicOf is the topic by whose rules the records of a file are decoded, and
// whether it is the file's own. A KRaft checkpoint holds cluster metadata
// wherever it lies.
func (o *Options) topicOf(e logdir.Entry) (topic topics.Topic, own bool) {
	if !o.PrintData || o.ValueFormat != ValueDecoded {
		return topics.None, false
	}
	named := topics.None
	switch e.File.Kind {
	case logdir.KindKRaftCheckpoint, logdir.KindBootstrapCheckpoint:
		named = topics.ClusterMetadata
	default:
		if path, err := filepath.Abs(e.Path); err == nil {
			named = topics.ForDirectory(filepath.Base(filepath.Dir(path)))
		}
	}
	topic = o.Decode
	if topic == topics.None && o.DecodeAuto {
		topic = named
	}
	return topic, topic == named
}

// decode returns nil where the record isn't one of Kafka's own.
func (d *logDump) decode(b *recordbatch.Batch, r *recordbatch.Record) *topics.Decoded {
	if d.topic == topics.None || b.IsControl() {
		return nil
	}
	return d.topic.DecodeRecord(r)
}

// appendDecodedText appends the contents as Kafka's decoder for the topic
// prints them.
func (d *logDump) appendDecodedText(dst []byte, prefix string, decoded *topics.Decoded) []byte {
	start := len(dst)
	if with, ok := decoded.AppendKey(append(append(dst, prefix...), "key: "...)); ok {
		dst, prefix = with, " "
	}
	if with, ok := decoded.AppendPayload(append(append(dst, prefix...), "payload: "...)); ok {
		dst = with
	}
	if d.Terminal && !printable(dst[start:]) {
		return AppendQuoted(dst[:start], string(dst[start:]))
	}
	return dst
}
