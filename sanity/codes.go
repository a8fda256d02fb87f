package sanity

import "strings"

// Codes are all codes, in the order of the contract. MetadataReference is
// reported by the cluster command alone, which replays the metadata log.
var Codes = []Code{
	LogTornTail,
	LogZeroTail,
	LogZeroHole,
	LogGarbage,
	LogTooLarge,
	BatchBadSize,
	BatchBadMagic,
	BatchBadCodec,
	BatchUnknownAttributes,
	BatchCRCMismatch,
	BatchDecompressFailed,
	BatchDecompressLimit,
	BatchCountMismatch,
	BatchTrailingBytes,
	BatchLastOffsetMismatch,
	BatchMaxTimestampMismatch,
	RecordMalformed,
	RecordOffsetNotIncreasing,
	OffsetBelowBase,
	OffsetNotIncreasing,
	OffsetOverlapsNextSegment,
	OffsetOverflow,
	OffsetGap,
	EpochDecreased,
	EpochUnknown,
	SequenceGap,
	SequenceRepeated,
	ProducerEpochDecreased,
	ControlMalformed,
	TransactionOpen,
	IndexMissing,
	IndexSize,
	IndexNotIncreasing,
	IndexOffsetOutOfRange,
	IndexPositionOutOfRange,
	IndexPositionNotABatch,
	IndexOffsetMismatch,
	IndexZeroHole,
	IndexBeyondLog,
	IndexPreallocated,
	IndexStaleTail,
	IndexSparse,
	TimeIndexMissing,
	TimeIndexSize,
	TimeIndexNotIncreasing,
	TimeIndexOffsetOutOfRange,
	TimeIndexMismatch,
	TimeIndexZeroHole,
	TimeIndexPreallocated,
	TimeIndexStaleTail,
	TimeIndexLastEntryMissing,
	TxnIndexSize,
	TxnIndexVersion,
	TxnIndexNotIncreasing,
	TxnIndexMismatch,
	TxnIndexEntryMissing,
	SnapshotCRCMismatch,
	SnapshotVersion,
	SnapshotSize,
	SnapshotMismatch,
	CheckpointMalformed,
	CheckpointEpochOrder,
	CheckpointOffsetOutOfRange,
	PartitionMetadataMalformed,
	KRaftCheckpointMalformed,
	MetaPropertiesMalformed,
	MetaPropertiesConflict,
	QuorumStateMalformed,
	MetadataGap,
	MetadataReference,
	TopicIDMismatch,
	PartitionDuplicate,
	FileOrphan,
	FileName,
	FileLeftover,
	IOError,
	Unsupported,
}

var known = func() map[Code]bool {
	m := make(map[Code]bool, len(Codes))
	for _, c := range Codes {
		m[c] = true
	}
	return m
}()

// ParseCode is the code of that name; false if there is none.
func ParseCode(name string) (Code, bool) {
	c := Code(name)
	return c, known[c]
}

// AreaOf is what a code is about: what to do next depends on it.
type AreaOf uint8

// The areas.
const (
	AreaOther AreaOf = iota
	AreaLog          // batches and their order
	AreaIndex        // .index, .timeindex, .txnindex
)

// Area is what the code is about.
func Area(c Code) AreaOf {
	front, _, _ := strings.Cut(string(c), "-")
	switch front {
	case "log", "batch", "record", "offset", "epoch", "producer", "control":
		return AreaLog
	case "index", "timeindex", "txnindex":
		return AreaIndex
	}
	return AreaOther
}
