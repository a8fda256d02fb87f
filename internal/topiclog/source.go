// Package topiclog reads the logs of Kafka's own topics from disk: decoded
// records and control records in order, and what is damaged among them.
package topiclog

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/topics"
)

// Source is what there is to read of one partition of a topic.
type Source struct {
	Name        string         // of the partition, such as "__consumer_offsets-12"
	Path        string         // of its directory, or of the one file given
	Partition   int32          // −1 where the name has no number
	Logs        []logdir.Entry // by base offset
	Checkpoints []logdir.Entry // KRaft, by offset and epoch
	QuorumState *logdir.Entry

	partition *logdir.Partition // nil of one file
	listed    bool              // in a log directory, as opposed to named
	picture   *logdir.Picture   // opens logs and checkpoints; nil: from the disk
}

// Hold makes the source a picture of one moment, also where a broker compacts
// and deletes what it lists: a state that is replayed is wrong where a part of
// the log is left out. The caller closes the source. The error is a
// logdir.GoneError where the partition has gone.
func (s *Source) Hold() error {
	if s.partition == nil {
		return nil
	}
	picture, err := s.partition.Hold(func(p *logdir.Partition) []logdir.Entry { return append(p.Logs(), p.Checkpoints...) })
	if err != nil {
		s.Logs, s.Checkpoints = nil, nil
		if !s.listed {
			err = logdir.Named(err)
		}
		return err
	}
	s.picture = picture
	s.list(picture.Partition)
	return nil
}

// Close closes what is held.
func (s *Source) Close() { s.picture.Close() }

func (s *Source) list(p *logdir.Partition) {
	s.partition, s.Logs, s.Checkpoints, s.QuorumState = p, p.Logs(), p.Checkpoints, p.QuorumState
}

// ErrNoPartition says that a path holds no partition of the topic.
var ErrNoPartition = errors.New("no partition of the topic is there")

// OtherTopicError says that a directory or a file is none of the topic.
type OtherTopicError struct {
	Path  string
	What  string // "log" or "partition"
	Topic topics.Topic
}

func (e *OtherTopicError) Error() string {
	return fmt.Sprintf("%s: not a %s of %s", e.Path, e.What, e.Topic)
}

// Find returns the partitions of a topic at a path: those in use of a log
// directory, one partition directory (also one set aside), or one file of it.
// For a log directory dir is its listing.
func Find(path string, topic topics.Topic) (sources []Source, dir *logdir.Dir, err error) {
	target, err := logdir.Open(path)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case target.File != nil:
		s, err := fileSource(*target.File, topic)
		return []Source{s}, nil, err
	case target.Partition != nil:
		s, err := partitionSource(target.Partition, topic)
		return []Source{s}, nil, err
	}
	var errs []error
	var gone error
	for _, ref := range target.Dir.Partitions {
		if ref.Dir.Topic != topic.String() || ref.Dir.Marker != logdir.NoMarker {
			continue
		}
		p, err := ref.Open()
		if _, ok := errors.AsType[*logdir.GoneError](err); ok {
			gone = errors.Join(gone, err)
			continue
		} else if err != nil {
			errs = append(errs, err)
			continue
		}
		s, err := partitionSource(p, topic)
		s.listed = true
		sources, errs = append(sources, s), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil || len(sources) > 0 {
		return sources, target.Dir, errors.Join(err, gone)
	}
	return nil, target.Dir, fmt.Errorf("%s: %s: %w", path, topic, ErrNoPartition)
}

func partitionSource(p *logdir.Partition, topic topics.Topic) (Source, error) {
	s := Source{Name: nameOf(p.Path), Path: p.Path, Partition: -1}
	if topics.ForDirectory(s.Name) != topic {
		return s, &OtherTopicError{p.Path, "partition", topic}
	}
	if p.HasName {
		s.Name, s.Partition = p.Dir.String(), p.Dir.Partition
	}
	s.list(p)
	return s, p.Unread()
}

func fileSource(e logdir.Entry, topic topics.Topic) (Source, error) {
	s := Source{Name: nameOf(filepath.Dir(e.Path)), Path: e.Path, Partition: -1}
	if dir, ok := logdir.ParsePartitionDir(s.Name); ok {
		s.Partition = dir.Partition
	}
	switch {
	case e.File.Kind == logdir.KindLog && e.File.HasOffset && topics.ForDirectory(s.Name) == topic:
		s.Logs = []logdir.Entry{e}
	case topic == topics.ClusterMetadata && (e.File.Kind == logdir.KindKRaftCheckpoint || e.File.Kind == logdir.KindBootstrapCheckpoint):
		s.Checkpoints = []logdir.Entry{e}
	default:
		return s, &OtherTopicError{e.Path, "log", topic}
	}
	return s, nil
}

// nameOf is the last element of a directory's path, also of ".".
func nameOf(dir string) string {
	if path, err := filepath.Abs(dir); err == nil {
		return filepath.Base(path)
	}
	return filepath.Base(dir)
}
