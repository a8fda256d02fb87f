package sanity

import (
	"fmt"
	"path/filepath"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
)

// across compares log directories and partitions with each other, as their
// results come in.
type across struct {
	topics     map[topicKey]seenTopic
	partitions map[partitionKey]string // path of the first one
	dirs       []*dirState
}

// owner is a broker as far as meta.properties tells: topic ids and partitions
// are its own.
type owner struct {
	node    int32
	cluster string
}

type topicKey struct {
	cluster, topic string
}

type seenTopic struct {
	id   statefile.UUID
	path string
}

type partitionKey struct {
	owner
	partition string
}

func newAcross() *across {
	return &across{topics: map[topicKey]seenTopic{}, partitions: map[partitionKey]string{}}
}

// ownerOf is who a partition belongs to. Directories that don't say are taken
// for those of one broker.
func ownerOf(d *dirState) owner {
	o := owner{node: -1}
	if d != nil && d.meta != nil {
		o.node = d.meta.ID()
		if d.meta.ClusterID != nil {
			o.cluster = *d.meta.ClusterID
		}
	}
	return o
}

func (a *across) see(r *unitResult) {
	switch {
	case r.partition != nil:
		a.topic(r)
		a.duplicate(r)
	case r.dir != nil && r.report == r.dir.report:
		a.directory(r.dir)
	}
}

// topic compares the topic's id with that of the partitions seen before.
func (a *across) topic(r *unitResult) {
	p := r.partition
	if !p.p.HasName || p.topicID == statefile.ZeroUUID || p.p.Metadata == nil ||
		p.env.marker == logdir.Delete || p.env.marker == logdir.Stray {
		return
	}
	k := topicKey{ownerOf(r.dir).cluster, p.p.Dir.Topic}
	if r.dir == nil {
		// Given alone: only what lies side by side belongs together.
		k.cluster = filepath.Join(p.p.Path, "..")
	}
	first, ok := a.topics[k]
	if !ok {
		a.topics[k] = seenTopic{p.topicID, p.p.Metadata.Path}
		return
	}
	if first.id == p.topicID {
		return
	}
	f := At(TopicIDMismatch, p.p.Metadata.Path)
	f.Message = fmt.Sprintf("topic id %s, where %s has %s", p.topicID, first.path, first.id)
	f.Broker = "the broker takes the partition for one of another topic of the same name: it becomes a stray, or fails to load"
	r.report.add(f)
}

// duplicate finds a partition that a broker has twice.
func (a *across) duplicate(r *unitResult) {
	p := r.partition
	if !p.p.HasName || r.dir == nil || p.env.marker != logdir.NoMarker {
		return
	}
	k := partitionKey{ownerOf(r.dir), p.p.Dir.String()}
	first, ok := a.partitions[k]
	if !ok {
		a.partitions[k] = p.p.Path
		return
	}
	f := At(PartitionDuplicate, p.p.Path)
	f.Message = fmt.Sprintf("%s is also in %s", p.p.Dir, first)
	f.Broker = "the broker does not start: duplicate log directories for one partition"
	r.report.add(f)
}

// directory compares meta.properties with those of the directories before.
func (a *across) directory(d *dirState) {
	if d.meta == nil {
		return
	}
	for _, o := range a.dirs {
		text := conflict(d.meta, o.meta)
		if text == "" {
			continue
		}
		f := At(MetaPropertiesConflict, d.dir.MetaProperties.Path)
		f.Message = fmt.Sprintf("%s, where %s has %s", text, o.dir.MetaProperties.Path, describe(o.meta))
		f.Broker = "a broker with both directories does not start"
		d.report.add(f)
		break
	}
	a.dirs = append(a.dirs, d)
}

// conflict says why two directories can't be of one broker although they
// claim to be, or "" where they don't contradict each other. Directories of
// several brokers may well be given together.
func conflict(m, o *statefile.MetaProperties) string {
	same := m.ID() == o.ID() && m.ID() >= 0
	switch {
	case m.DirectoryID != nil && o.DirectoryID != nil && *m.DirectoryID == *o.DirectoryID:
		return fmt.Sprintf("directory.id %s is taken", m.DirectoryID)
	case same && m.ClusterID != nil && o.ClusterID != nil && *m.ClusterID != *o.ClusterID:
		return describe(m)
	case same && m.Version != o.Version:
		return describe(m)
	}
	return ""
}

func describe(m *statefile.MetaProperties) string {
	cluster := "none"
	if m.ClusterID != nil {
		cluster = *m.ClusterID
	}
	return fmt.Sprintf("version %d, node %d, cluster %s", m.Version, m.ID(), cluster)
}
