package sanity

import (
	"strings"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
)

// consequenceRule is what some releases do about a finding, where that is not
// what its broker text says anyway.
type consequenceRule struct {
	code     Code
	releases kafkaversion.Range
	when     func(*Finding, environment) bool // nil: always
	severity *Severity                        // nil: as it is
	broker   string
	source   string
}

var asError = func() *Severity { s := Error; return &s }()

// zerosAtEnd: a start would find zeros behind all that is sound, and no broker
// is at work.
func zerosAtEnd(f *Finding, _ environment) bool {
	lost, known := f.Detail["lostBatches"].(int64)
	return known && lost == 0 && f.Severity == Warning
}

// zerosTrusted: so many zeros that a walk over the log fails on them, in a log
// directory whose marker says that nothing has to be recovered.
func zerosTrusted(f *Finding, env environment) bool {
	return zerosAtEnd(f, env) && env.closedCleanly && f.EndPosition-f.Position >= 18
}

// ofKind is for findings in one kind of file.
func ofKind(kind logdir.Kind) func(*Finding, environment) bool {
	return func(f *Finding, _ environment) bool { return logdir.ParseName(baseName(f.File)).Kind == kind }
}

func negativeEpoch(f *Finding, _ environment) bool {
	return strings.Contains(f.Message, statefile.ErrNegativeEpoch.Error())
}

func between(from, until kafkaversion.Version) kafkaversion.Range {
	return kafkaversion.Range{From: from, Until: until}
}

const (
	indexRebuilt = "the next start recovers the whole segment to rebuild it"
	indexEmpty   = "not missed: this release makes an empty one before it looks for it; lookups read the segment from its start"
)

// releaseConsequences are the rules; of those of one code the first that holds
// counts.
var releaseConsequences = []consequenceRule{
	{
		code: LogZeroTail, releases: kafkaversion.Until(0, 10, 2), when: zerosAtEnd,
		broker: "zeros are the end of the log to this release: recovery cuts them off without a word; after a clean stop they stay, and what is appended behind them can't be read",
		source: "FileMessageSet.iterator (0.10.1): a size below the smallest ends the walk",
	},
	{
		code: LogZeroTail, releases: kafkaversion.Since(0, 10, 2), when: zerosTrusted, severity: asError,
		broker: "the broker does not start: .kafka_cleanshutdown keeps it from recovering the log, and the walk over it fails with CorruptRecordException",
		source: "FileLogInputStream.nextBatch, LogSegment.readNextOffset",
	},
	{
		code: OffsetOverflow, releases: kafkaversion.Until(2),
		broker: "not noticed: index entries for such offsets overflow, and lookups go astray",
		source: "OffsetIndex.append (1.1): (offset - baseOffset).toInt",
	},
	{
		code: OffsetBelowBase, releases: kafkaversion.Until(2),
		broker: "not noticed by recovery; its records can't be found by their offsets",
		source: "LogSegment.recover (1.1), which checks no range",
	},
	{
		code: ProducerEpochDecreased, releases: kafkaversion.Until(2, 4, 1),
		broker: "where the batch is a marker, replaying the log fails with ProducerFencedException and the log does not load; else the smaller epoch is taken",
		source: "ProducerAppendInfo.checkProducerEpoch (2.4.0), which appendEndTxnMarker calls",
	},
	{
		code: ProducerEpochDecreased, releases: kafkaversion.Since(2, 4, 1),
		broker: "replaying the log logs a warning and goes on with the smaller epoch",
		source: "ProducerAppendInfo.checkProducerEpoch (2.4.1), origin replication",
	},
	{
		code: IndexMissing, releases: kafkaversion.Until(0, 8, 1), severity: asError,
		broker: "the broker does not start: IllegalStateException, Found log file with no corresponding index file",
		source: "Log.loadSegments (0.8)",
	},
	{code: IndexMissing, releases: between(kafkaversion.Version{0, 8, 1}, kafkaversion.Version{0, 9}), broker: indexRebuilt, source: "Log.loadSegments (0.8.2)"},
	{code: IndexMissing, releases: between(kafkaversion.Version{0, 9}, kafkaversion.Version{0, 10, 1}), broker: indexEmpty, source: "Log.loadSegments (0.10.0): exists() is asked when the segment is open"},
	{code: IndexMissing, releases: between(kafkaversion.Version{0, 10, 1}, kafkaversion.Version{1, 1}), broker: indexRebuilt, source: "Log.loadSegments (0.10.1), Log.loadSegmentFiles (1.0)"},
	{code: IndexMissing, releases: between(kafkaversion.Version{1, 1}, kafkaversion.Version{2, 3}), broker: indexEmpty, source: "LogSegment.sanityCheck (1.1 to 2.2): exists() is asked when the segment is open"},
	{code: IndexMissing, releases: kafkaversion.Since(2, 3), broker: indexRebuilt, source: "LogSegment.sanityCheck (2.3): indexes are opened when they are needed"},
	{
		code: IndexSize, releases: kafkaversion.Since(2, 3),
		broker: "not noticed: the last bytes are left out", source: "LogSegment.sanityCheck (2.3)",
	},
	{
		code: TimeIndexSize, releases: kafkaversion.Since(2, 3),
		broker: "not noticed: the last bytes are left out", source: "LogSegment.sanityCheck (2.3)",
	},
	{
		code: CheckpointMalformed, releases: between(kafkaversion.Version{0, 8, 1}, kafkaversion.Version{0, 9}), when: ofKind(logdir.KindRecoveryPoints),
		broker: "the broker does not start: it reads the recovery points before the logs, and catches nothing",
		source: "LogManager.loadLogs (0.8.2)",
	},
	{
		code: CheckpointMalformed, releases: kafkaversion.Until(2, 7), when: negativeEpoch,
		broker: "not noticed: the entry is taken", source: "LeaderEpochFileCache (2.6)",
	},
	{
		code: CheckpointMalformed, releases: kafkaversion.Until(3, 2), when: ofKind(logdir.KindLeaderEpochCheckpoint),
		broker: loadFails + ": the broker does not start",
		source: "LogManager.loadLogs (3.1): a KafkaStorageException is not caught; before 1.0 no IOException is either",
	},
	{
		code: PartitionMetadataMalformed, releases: kafkaversion.Until(3, 2),
		broker: loadFails + ": the broker does not start",
		source: "LogManager.loadLogs (3.1), PartitionMetadataFile",
	},
	{
		code: CheckpointOffsetOutOfRange, releases: kafkaversion.Until(2, 2, 1), when: ofKind(logdir.KindLogStarts),
		broker: "the log starts behind its end: nothing of the partition can be read, and no segment is deleted for it at the start",
		source: "Log.recoverLog (2.2.0), before KAFKA-8306",
	},
	{
		code: MetadataGap, releases: kafkaversion.Until(3, 3), when: func(f *Finding, _ environment) bool { return f.Detail["logStart"] != nil },
		broker: "not noticed at the start: the node goes on without what the missing records said",
		source: "KafkaMetadataLog.recoverSnapshots (3.2), before KAFKA-14240",
	},
}
