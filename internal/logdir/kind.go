package logdir

// Kind is what a file is for, whatever suffix it carries.
type Kind uint8

// The kinds of file.
const (
	KindUnknown               Kind = iota
	KindLog                        // .log: batches
	KindOffsetIndex                // .index
	KindTimeIndex                  // .timeindex
	KindTxnIndex                   // .txnindex: aborted transactions
	KindProducerSnapshot           // .snapshot: producer state
	KindKRaftCheckpoint            // <offset>-<epoch>.checkpoint
	KindBootstrapCheckpoint        // bootstrap.checkpoint
	KindLeaderEpochCheckpoint      // leader-epoch-checkpoint
	KindRecoveryPoints             // recovery-point-offset-checkpoint
	KindHighWatermarks             // replication-offset-checkpoint
	KindLogStarts                  // log-start-offset-checkpoint
	KindCleanerOffsets             // cleaner-offset-checkpoint
	KindPartitionMetadata          // partition.metadata
	KindMetaProperties             // meta.properties
	KindCleanShutdown              // .kafka_cleanshutdown
	KindLock                       // .lock
	KindQuorumState                // quorum-state
)

// extensions are those of the files named by an offset.
var extensions = map[Kind]string{
	KindLog:              ".log",
	KindOffsetIndex:      ".index",
	KindTimeIndex:        ".timeindex",
	KindTxnIndex:         ".txnindex",
	KindProducerSnapshot: ".snapshot",
	KindKRaftCheckpoint:  ".checkpoint",
}

// wholeNames are those of the files with a fixed name.
var wholeNames = map[Kind]string{
	KindBootstrapCheckpoint:   "bootstrap.checkpoint",
	KindLeaderEpochCheckpoint: "leader-epoch-checkpoint",
	KindRecoveryPoints:        "recovery-point-offset-checkpoint",
	KindHighWatermarks:        "replication-offset-checkpoint",
	KindLogStarts:             "log-start-offset-checkpoint",
	KindCleanerOffsets:        "cleaner-offset-checkpoint",
	KindPartitionMetadata:     "partition.metadata",
	KindMetaProperties:        "meta.properties",
	KindCleanShutdown:         ".kafka_cleanshutdown",
	KindLock:                  ".lock",
	KindQuorumState:           "quorum-state",
}

// remoteEpochsExtension is that of the leader epochs of a remote segment.
const remoteEpochsExtension = ".leader_epoch_checkpoint"

// kindsByName and kindsByExtension are the two maps the other way round.
var kindsByName, kindsByExtension = turned(wholeNames), turned(extensions)

func turned(m map[Kind]string) map[string]Kind {
	byText := make(map[string]Kind, len(m))
	for kind, text := range m {
		byText[text] = kind
	}
	return byText
}

// String is the extension or the name of the files of a kind.
func (k Kind) String() string {
	if s, ok := extensions[k]; ok {
		return s
	}
	if s, ok := wholeNames[k]; ok {
		return s
	}
	return "unknown"
}

// IsIndex says whether the kind is one of the three indexes of a segment.
func (k Kind) IsIndex() bool {
	return k == KindOffsetIndex || k == KindTimeIndex || k == KindTxnIndex
}

// IsSegment says whether the kind is a log or one of its indexes.
func (k Kind) IsSegment() bool { return k == KindLog || k.IsIndex() }

// IsOffsetCheckpoint says whether the kind is one of the four checkpoints of
// a log directory.
func (k Kind) IsOffsetCheckpoint() bool {
	return k >= KindRecoveryPoints && k <= KindCleanerOffsets
}
