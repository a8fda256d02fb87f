package sanity

// Code names a kind of finding. Codes are part of the contract: scripts match
// them. They are only ever added to.
type Code string

// Severity is how bad a finding is.
type Severity uint8

// The severities, in rising order.
const (
	Info    Severity = iota // legal, and worth knowing
	Warning                 // suspicious, costs something, or will be rebuilt
	Error                   // data is lost or unreadable, or a broker acts on it or answers wrongly
)

// String is the severity as JSON and text show it.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "info"
}

// The codes, by what they are about.
const (
	LogTornTail Code = "log-torn-tail"
	LogZeroTail Code = "log-zero-tail"
	LogZeroHole Code = "log-zero-hole"
	LogGarbage  Code = "log-garbage"
	LogTooLarge Code = "log-too-large"

	BatchBadSize              Code = "batch-bad-size"
	BatchBadMagic             Code = "batch-bad-magic"
	BatchBadCodec             Code = "batch-bad-codec"
	BatchUnknownAttributes    Code = "batch-unknown-attributes"
	BatchCRCMismatch          Code = "batch-crc-mismatch"
	BatchDecompressFailed     Code = "batch-decompress-failed"
	BatchDecompressLimit      Code = "batch-decompress-limit"
	BatchCountMismatch        Code = "batch-count-mismatch"
	BatchTrailingBytes        Code = "batch-trailing-bytes"
	BatchLastOffsetMismatch   Code = "batch-last-offset-mismatch"
	BatchMaxTimestampMismatch Code = "batch-max-timestamp-mismatch"

	RecordMalformed           Code = "record-malformed"
	RecordOffsetNotIncreasing Code = "record-offset-not-increasing"

	OffsetBelowBase           Code = "offset-below-base"
	OffsetNotIncreasing       Code = "offset-not-increasing"
	OffsetOverlapsNextSegment Code = "offset-overlaps-next-segment"
	OffsetOverflow            Code = "offset-overflow"
	OffsetGap                 Code = "offset-gap"

	EpochDecreased         Code = "epoch-decreased"
	EpochUnknown           Code = "epoch-unknown"
	SequenceGap            Code = "sequence-gap"
	SequenceRepeated       Code = "sequence-repeated"
	ProducerEpochDecreased Code = "producer-epoch-decreased"
	ControlMalformed       Code = "control-malformed"
	TransactionOpen        Code = "transaction-open"

	IndexMissing            Code = "index-missing"
	IndexSize               Code = "index-size"
	IndexNotIncreasing      Code = "index-not-increasing"
	IndexOffsetOutOfRange   Code = "index-offset-out-of-range"
	IndexPositionOutOfRange Code = "index-position-out-of-range"
	IndexPositionNotABatch  Code = "index-position-not-a-batch"
	IndexOffsetMismatch     Code = "index-offset-mismatch"
	IndexZeroHole           Code = "index-zero-hole"
	IndexBeyondLog          Code = "index-beyond-log"
	IndexPreallocated       Code = "index-preallocated"
	IndexStaleTail          Code = "index-stale-tail"
	IndexSparse             Code = "index-sparse"

	TimeIndexMissing          Code = "timeindex-missing"
	TimeIndexSize             Code = "timeindex-size"
	TimeIndexNotIncreasing    Code = "timeindex-not-increasing"
	TimeIndexOffsetOutOfRange Code = "timeindex-offset-out-of-range"
	TimeIndexMismatch         Code = "timeindex-mismatch"
	TimeIndexZeroHole         Code = "timeindex-zero-hole"
	TimeIndexPreallocated     Code = "timeindex-preallocated"
	TimeIndexStaleTail        Code = "timeindex-stale-tail"
	TimeIndexLastEntryMissing Code = "timeindex-last-entry-missing"

	TxnIndexSize          Code = "txnindex-size"
	TxnIndexVersion       Code = "txnindex-version"
	TxnIndexNotIncreasing Code = "txnindex-not-increasing"
	TxnIndexMismatch      Code = "txnindex-mismatch"
	TxnIndexEntryMissing  Code = "txnindex-entry-missing"

	SnapshotCRCMismatch Code = "snapshot-crc-mismatch"
	SnapshotVersion     Code = "snapshot-version"
	SnapshotSize        Code = "snapshot-size"
	SnapshotMismatch    Code = "snapshot-mismatch"

	CheckpointMalformed        Code = "checkpoint-malformed"
	CheckpointEpochOrder       Code = "checkpoint-epoch-order"
	CheckpointOffsetOutOfRange Code = "checkpoint-offset-out-of-range"
	PartitionMetadataMalformed Code = "partition-metadata-malformed"
	KRaftCheckpointMalformed   Code = "kraft-checkpoint-malformed"
	MetaPropertiesMalformed    Code = "meta-properties-malformed"
	MetaPropertiesConflict     Code = "meta-properties-conflict"
	QuorumStateMalformed       Code = "quorum-state-malformed"
	MetadataGap                Code = "metadata-gap"
	MetadataReference          Code = "metadata-reference"
	TopicIDMismatch            Code = "topic-id-mismatch"
	PartitionDuplicate         Code = "partition-duplicate"

	FileOrphan   Code = "file-orphan"
	FileName     Code = "file-name"
	FileLeftover Code = "file-leftover"

	IOError     Code = "io-error"
	Unsupported Code = "unsupported"
)

// severities holds the codes that are not errors by nature.
var severities = map[Code]Severity{
	BatchUnknownAttributes:     Warning,
	BatchMaxTimestampMismatch:  Warning,
	OffsetGap:                  Info,
	EpochDecreased:             Warning,
	EpochUnknown:               Warning,
	SequenceGap:                Info,
	SequenceRepeated:           Info,
	ProducerEpochDecreased:     Warning,
	TransactionOpen:            Info,
	IndexMissing:               Warning,
	IndexPreallocated:          Info,
	IndexStaleTail:             Info,
	IndexSparse:                Info,
	TimeIndexMissing:           Warning,
	TimeIndexPreallocated:      Info,
	TimeIndexStaleTail:         Info,
	TimeIndexLastEntryMissing:  Info,
	TxnIndexSize:               Warning,
	SnapshotMismatch:           Warning,
	CheckpointOffsetOutOfRange: Warning,
	FileOrphan:                 Warning,
	FileName:                   Warning,
	FileLeftover:               Info,
}

// Severity is how bad a finding of this code is unless its circumstances say
// otherwise.
func (c Code) Severity() Severity {
	if s, ok := severities[c]; ok {
		return s
	}
	return Error
}

// Unchecked says whether a finding of this code means "could not check": it
// makes a run end with 1, not with 3.
func (c Code) Unchecked() bool {
	return c == IOError || c == BatchDecompressLimit || c == Unsupported
}
