package batchtest

import (
	"fmt"
	"path/filepath"
)

// Partition is the directory of one partition with all that a broker keeps in
// it.
type Partition struct {
	Topic    string
	Number   int
	TopicID  [16]byte // no partition.metadata if zero
	Segments []*Segment

	// IndexInterval is index.interval.bytes; 0 is Kafka's default. Below 0
	// it is an interval of 0: every batch but the first gets an entry.
	IndexInterval int64
	// Preallocated, if positive, pads the indexes of the last segment to
	// this size, as those of an active segment are.
	Preallocated int

	// Files replaces or adds files by name; a nil value removes one.
	Files map[string][]byte
}

// Dir is the name of the partition's directory.
func (p *Partition) Dir() string { return fmt.Sprintf("%s-%d", p.Topic, p.Number) }

// NextOffset is the log end offset.
func (p *Partition) NextOffset() int64 {
	if len(p.Segments) == 0 {
		return 0
	}
	return p.Segments[len(p.Segments)-1].Layout.NextOffset()
}

// Build returns the files of the partition by name: .log, .index, .timeindex,
// .txnindex where something was aborted, .snapshot at every segment after the
// first and at the log end, leader-epoch-checkpoint, partition.metadata.
func (p *Partition) Build() map[string][]byte {
	files := map[string][]byte{}
	var producers Producers
	var epochs []EpochStart
	for i, s := range p.Segments {
		if i > 0 {
			files[FileName(s.Layout.BaseOffset, ".snapshot")] = Snapshot(producers.Entries()...)
		}
		producers.Aborted = nil
		for j := range s.Layout.Batches {
			b := &s.Layout.Batches[j]
			producers.Append(b)
			if n := len(epochs); b.LeaderEpoch >= 0 && (n == 0 || b.LeaderEpoch > epochs[n-1].Epoch) {
				epochs = append(epochs, EpochStart{b.LeaderEpoch, b.BaseOffset})
			}
		}
		p.addSegment(files, s, producers.Aborted, i == len(p.Segments)-1)
	}
	files[FileName(p.NextOffset(), ".snapshot")] = Snapshot(producers.Entries()...)
	files["leader-epoch-checkpoint"] = EpochCheckpoint(epochs...)
	if p.TopicID != [16]byte{} {
		files["partition.metadata"] = PartitionMetadata(p.TopicID)
	}
	return replaceFiles(files, p.Files)
}

// replaceFiles puts with over files; nil removes.
func replaceFiles(files, with map[string][]byte) map[string][]byte {
	for name, data := range with {
		files[name] = data
		if data == nil {
			delete(files, name)
		}
	}
	return files
}

func (p *Partition) addSegment(files map[string][]byte, s *Segment, aborted []AbortedTxn, active bool) {
	base := s.Layout.BaseOffset
	interval := max(p.IndexInterval, 0)
	if p.IndexInterval == 0 {
		interval = DefaultIndexInterval
	}
	index, times := s.Layout.RebuiltIndexes(interval)
	indexFile, timeFile := AppendIndex([]byte{}, base, index...), AppendTimeIndex([]byte{}, base, times...)
	if active && p.Preallocated > 0 {
		indexFile = Preallocate(indexFile, IndexEntrySize, p.Preallocated)
		timeFile = Preallocate(timeFile, TimeIndexEntrySize, p.Preallocated)
	}
	files[FileName(base, ".log")] = s.Data
	files[FileName(base, ".index")] = indexFile
	files[FileName(base, ".timeindex")] = timeFile
	if len(aborted) > 0 {
		files[FileName(base, ".txnindex")] = AppendTxnIndex(nil, aborted...)
	}
}

// Write writes the partition's directory into the log dir and returns its
// path.
func (p *Partition) Write(logDir string) (string, error) {
	dir := filepath.Join(logDir, p.Dir())
	return dir, writeFiles(dir, p.Build())
}

// LogDir is a log dir with partitions, checkpoints and meta.properties.
type LogDir struct {
	Partitions  []*Partition
	NodeID      int
	ClusterID   string
	DirectoryID [16]byte
	Clean       bool // with a clean-shutdown marker

	// Files replaces or adds files by name; a nil value removes one.
	Files map[string][]byte
}

// Write writes the log dir at root.
func (d *LogDir) Write(root string) error {
	var ends []TopicPartitionOffset
	for _, p := range d.Partitions {
		if _, err := p.Write(root); err != nil {
			return err
		}
		ends = append(ends, TopicPartitionOffset{p.Topic, p.Number, p.NextOffset()})
	}
	files := map[string][]byte{
		".lock":                            {},
		"meta.properties":                  MetaProperties(d.NodeID, d.ClusterID, d.DirectoryID),
		"recovery-point-offset-checkpoint": OffsetCheckpoint(ends...),
		"replication-offset-checkpoint":    OffsetCheckpoint(ends...),
		"log-start-offset-checkpoint":      OffsetCheckpoint(),
		"cleaner-offset-checkpoint":        OffsetCheckpoint(),
	}
	if d.Clean {
		files[".kafka_cleanshutdown"] = []byte(`{"version":0,"brokerEpoch":7}`)
	}
	return writeFiles(root, replaceFiles(files, d.Files))
}
