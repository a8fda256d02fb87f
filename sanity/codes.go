package sanity

import "strings"

// Codes are all codes, in the order of the contract.
var Codes = []Code{
	LogTornTail,
	LogZeroTail,
	LogZeroHole,
	LogGarbage,
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

// Known says whether c is one of the codes.
func Known(c Code) bool { return known[c] }

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
