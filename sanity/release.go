package sanity

import (
	"slices"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/logdir"
)

// release is the broker that is going to read the files, where the caller
// names one: what it can't read becomes a finding, and what it does about the
// other findings is said of it. A nil release judges nothing, and costs
// nothing.
//
// What differs between releases is in three tables: releaseBatches (what is in
// a batch), releaseConsequences (what follows from a finding) and releaseFiles
// (which files are read at all). The check that old releases make of indexes
// when they load them is in release_index.go, names and small files are in
// release_state.go.
type release struct {
	version      kafkaversion.Version
	batches      []batchRule // those that hold for the version
	consequences map[Code][]consequenceRule
}

func newRelease(v kafkaversion.Version) *release {
	if v == (kafkaversion.Version{}) {
		return nil
	}
	r := &release{version: v, consequences: map[Code][]consequenceRule{}}
	for _, rule := range releaseBatches {
		if rule.releases.Has(v) {
			r.batches = append(r.batches, rule)
		}
	}
	for _, rule := range releaseConsequences {
		if rule.releases.Has(v) {
			r.consequences[rule.code] = append(r.consequences[rule.code], rule)
		}
	}
	return r
}

// before says whether the reader is a release before the one given; false
// where no reader is named.
func (r *release) before(numbers ...int) bool { return r != nil && r.version.Before(numbers...) }

// is says whether the reader is one of the releases.
func (r *release) is(releases kafkaversion.Range) bool { return r != nil && releases.Has(r.version) }

// name is "Kafka 2.3".
func (r *release) name() string { return "Kafka " + r.version.Name() }

// judge says of what was found in a unit what the reader does about it.
func (r *release) judge(u *unitResult) {
	if r == nil {
		return
	}
	u.report.drop(func(f *Finding) bool {
		return f.Code == TimeIndexMissing && !releaseReads(logdir.KindTimeIndex, r.version)
	})
	for _, f := range u.report.findings {
		if r.unread(f) {
			continue
		}
		rules := r.consequences[f.Code]
		i := slices.IndexFunc(rules, func(rule consequenceRule) bool { return rule.when == nil || rule.when(f, u.env) })
		if i < 0 {
			continue
		}
		f.Broker = rules[i].broker
		if rules[i].severity != nil {
			f.Severity = *rules[i].severity
		}
	}
}

// releaseFiles are the releases that read a kind of file; kinds that are not
// here all do.
var releaseFiles = []struct {
	kind     logdir.Kind
	releases kafkaversion.Range
	source   string
}{
	{logdir.KindTimeIndex, kafkaversion.Since(0, 10, 1), "TimeIndex (KIP-33)"},
	{logdir.KindTxnIndex, kafkaversion.Since(0, 11), "TransactionIndex (KIP-98)"},
	{logdir.KindProducerSnapshot, kafkaversion.Since(0, 11), "ProducerStateManager (KIP-98)"},
	{logdir.KindLeaderEpochCheckpoint, kafkaversion.Since(0, 11), "LeaderEpochCheckpointFile (KIP-101)"},
	{logdir.KindLogStarts, kafkaversion.Since(0, 11), "LogManager.LogStartOffsetCheckpointFile (KIP-107)"},
	{logdir.KindRecoveryPoints, kafkaversion.Since(0, 8, 1), "LogManager.RecoveryPointCheckpointFile"},
	{logdir.KindCleanerOffsets, kafkaversion.Since(0, 8, 1), "LogCleanerManager"},
	{logdir.KindMetaProperties, kafkaversion.Since(0, 9), "BrokerMetadataCheckpoint"},
	{logdir.KindPartitionMetadata, kafkaversion.Since(2, 8), "PartitionMetadataFile (KIP-516)"},
	{logdir.KindQuorumState, kafkaversion.Since(2, 8), "FileBasedStateStore (KIP-595)"},
	{logdir.KindKRaftCheckpoint, kafkaversion.Since(2, 8), "KafkaMetadataLog (KIP-630)"},
	{logdir.KindBootstrapCheckpoint, kafkaversion.Since(3, 3), "BootstrapDirectory"},
}

// releaseReads says whether a release reads files of the kind.
func releaseReads(kind logdir.Kind, v kafkaversion.Version) bool {
	for _, k := range releaseFiles {
		if k.kind == kind {
			return k.releases.Has(v)
		}
	}
	return true
}

// unread says of a finding in a file that the reader doesn't know that it
// means nothing to it.
func (r *release) unread(f *Finding) bool {
	if f.Code.Unchecked() || f.Code == FileLeftover || f.Code == FileName {
		return false
	}
	kind := logdir.ParseName(baseName(f.File)).Kind
	if releaseReads(kind, r.version) {
		return false
	}
	f.Severity = Info
	f.Broker = r.name() + " does not read this file"
	return true
}
