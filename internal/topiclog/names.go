package topiclog

import (
	"path/filepath"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
)

// TopicNames are the names of topic ids by the partition.metadata files of a log
// directory. Files that can't be read are passed over.
func TopicNames(dir *logdir.Dir) map[statefile.UUID]string {
	names := map[statefile.UUID]string{}
	if dir == nil {
		return names
	}
	for _, ref := range dir.Partitions {
		if ref.Dir.MaybeTruncated() {
			continue
		}
		m, err := statefile.ReadFile(filepath.Join(ref.Path, logdir.KindPartitionMetadata.String()), statefile.ReadPartitionMetadata)
		if err == nil {
			names[m.TopicID] = ref.Dir.Topic
		}
	}
	return names
}
