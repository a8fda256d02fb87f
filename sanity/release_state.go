package sanity

import (
	"fmt"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
)

// markerReleases are the releases that know a marker of a partition directory.
// To others the name is none of a partition (Log.parseTopicPartitionName).
var markerReleases = map[logdir.Marker]kafkaversion.Range{
	logdir.Delete: kafkaversion.Since(0, 10, 2),
	logdir.Future: kafkaversion.Since(1, 1),    // KIP-113
	logdir.Stray:  kafkaversion.Since(3, 6, 1), // KAFKA-15605
}

// remoteCacheReleases pass over remote-log-index-cache in a log directory
// (LogManager.loadLogs).
var remoteCacheReleases = kafkaversion.Since(3, 5)

const noPartition = "the broker does not start: the name of the directory is none of a partition"

// refusesMarker says whether the reader can't make anything of the name.
func (r *release) refusesMarker(m logdir.Marker) bool {
	known, marked := markerReleases[m]
	return r != nil && marked && !known.Has(r.version)
}

// refusedName is the finding of a directory whose name the reader refuses.
func (r *release) refusedName(path, what string, known kafkaversion.Range) Finding {
	f := At(FileName, path)
	f.Severity = Error
	f.Message = fmt.Sprintf("%s came with Kafka %s; unknown to %s", what, known.From.Name(), r.name())
	f.Broker = noPartition
	return f
}

// metaRules are what releases demand of a meta.properties that is well-formed.
var metaRules = []struct {
	releases kafkaversion.Range
	misses   func(*statefile.MetaProperties) bool
	what     string
	source   string
}{
	{
		kafkaversion.Range{From: kafkaversion.Version{0, 9}, Until: kafkaversion.Version{2, 8}},
		func(m *statefile.MetaProperties) bool { return m.Version == 1 },
		"version 1 came with Kafka 2.8; unknown to", "BrokerMetadataCheckpoint.read (2.7)",
	},
	{
		kafkaversion.Range{From: kafkaversion.Version{0, 9}, Until: kafkaversion.Version{2, 8}},
		func(m *statefile.MetaProperties) bool { return m.BrokerID == nil },
		"broker.id is missing, without which there is no start of", "BrokerMetadataCheckpoint.read (2.7)",
	},
	{
		kafkaversion.Since(4),
		func(m *statefile.MetaProperties) bool { return m.ID() < 0 },
		"there is no id of the node, without which there is no start of", "KafkaRaftServer.initializeLogDirs",
	},
	{
		kafkaversion.Since(4),
		func(m *statefile.MetaProperties) bool { return m.ClusterID == nil },
		"cluster.id is missing, without which there is no start of", "KafkaRaftServer.initializeLogDirs",
	},
}

// metaProperties reports what keeps the reader from using the directory.
func (r *release) metaProperties(d *dirState) {
	if r == nil || d.meta == nil {
		return
	}
	for _, rule := range metaRules {
		if !rule.releases.Has(r.version) || !rule.misses(d.meta) {
			continue
		}
		f := At(MetaPropertiesMalformed, d.dir.MetaProperties.Path)
		f.Message = rule.what + " " + r.name()
		f.Broker = "the broker does not start"
		d.report.add(f)
		return
	}
}

// quorumReleases read a quorum-state of data_version 1, which a quorum with
// kraft.version 1 writes (FileQuorumStateStore).
var quorumReleases = kafkaversion.Since(3, 8)

// quorumState reports a version that the reader does not know.
func (r *release) quorumState(report *report, path string, q *statefile.QuorumState) {
	if r == nil || q.DataVersion < 1 || quorumReleases.Has(r.version) {
		return
	}
	f := At(QuorumStateMalformed, path)
	f.Message = fmt.Sprintf("data_version %d came with Kafka %s; unknown to %s", q.DataVersion, quorumReleases.From.Name(), r.name())
	f.Broker = "the controller does not start"
	report.add(f)
}

// metadataVersions take a partition.metadata of another version than 0, as later
// ones may write it (PartitionMetadataReadBuffer).
var metadataVersions = kafkaversion.Since(3, 7)

// partitionMetadata reports a version that the reader does not take.
func (r *release) partitionMetadata(report *report, path string, m *statefile.PartitionMetadata) {
	if r == nil || m.Version == 0 || metadataVersions.Has(r.version) || !releaseReads(logdir.KindPartitionMetadata, r.version) {
		return
	}
	f := At(PartitionMetadataMalformed, path)
	f.Message = fmt.Sprintf("version %d is taken since Kafka %s; unknown to %s", m.Version, metadataVersions.From.Name(), r.name())
	f.Broker = loadFails + ": the log directory goes offline"
	report.add(f)
}
