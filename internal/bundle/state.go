package bundle

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
)

// state adds one of the small text files, written anew from what was understood.
func (b *builder) state(it *item) error {
	f, size, err := logdir.OpenFile(it.entry.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := b.decoded(it.entry.File.Kind, b.reading(f), size)
	if err != nil {
		return err
	}
	name, what := "files/"+it.shown, "what "+it.shown+" says, written anew"
	if it.entry.File.Kind == logdir.KindQuorumState {
		name += ".json"
	}
	w := b.spool.begin(name, what)
	w.member.modTime = it.entry.ModTime.Unix()
	_, _ = w.Write(text) // end tells
	return w.end()
}

func (b *builder) decoded(kind logdir.Kind, r io.ReaderAt, size int64) ([]byte, error) {
	switch {
	case kind.IsOffsetCheckpoint():
		c, err := statefile.ReadOffsetCheckpoint(r, size)
		if err != nil {
			return nil, err
		}
		for i := range c.Entries {
			c.Entries[i].Topic = b.names.topicName(c.Entries[i].Topic)
		}
		return statefile.AppendOffsetCheckpoint(nil, c.Entries), nil
	case kind == logdir.KindLeaderEpochCheckpoint:
		c, err := statefile.ReadLeaderEpochs(r, size)
		return statefile.AppendLeaderEpochs(nil, c.Entries), err
	case kind == logdir.KindPartitionMetadata:
		m, err := statefile.ReadPartitionMetadata(r, size)
		return statefile.AppendPartitionMetadata(nil, m), err
	case kind == logdir.KindMetaProperties:
		m, err := statefile.ReadMetaProperties(r, size)
		return statefile.AppendProperties(nil, identity(&m)), err
	case kind == logdir.KindCleanShutdown:
		m, err := statefile.ReadCleanShutdown(r, size)
		if err != nil || m == (statefile.CleanShutdown{}) {
			return nil, err
		}
		return json.Marshal(m)
	case kind == logdir.KindQuorumState:
		q, err := statefile.ReadQuorumState(r, size)
		if err != nil {
			return nil, err
		}
		if q.ClusterID != nil && !identifier.MatchString(*q.ClusterID) {
			q.ClusterID = nil
		}
		return json.Marshal(q)
	}
	return nil, fmt.Errorf("no decoder for files of the kind %s", kind)
}

// identifier is what ids of clusters are made of.
var identifier = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// identity are the properties that say whose log directory this is.
func identity(m *statefile.MetaProperties) []statefile.Property {
	list := []statefile.Property{{Key: "version", Value: strconv.Itoa(int(m.Version))}}
	number := func(key string, n *int32) {
		if n != nil {
			list = append(list, statefile.Property{Key: key, Value: strconv.Itoa(int(*n))})
		}
	}
	number("broker.id", m.BrokerID)
	number("node.id", m.NodeID)
	if m.ClusterID != nil && identifier.MatchString(*m.ClusterID) {
		list = append(list, statefile.Property{Key: "cluster.id", Value: *m.ClusterID})
	}
	if m.DirectoryID != nil {
		list = append(list, statefile.Property{Key: "directory.id", Value: m.DirectoryID.String()})
	}
	return list
}
