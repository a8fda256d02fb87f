package sanity

import (
	"fmt"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/recordbatch"
)

// batchRule is something in a sound batch that some releases can't read.
type batchRule struct {
	releases kafkaversion.Range
	code     Code
	severity Severity
	hits     func(*recordbatch.Batch, *probe) bool
	// what is there and since when releases know it; the reader's name is put
	// behind it.
	what string
	// broker says what the reader does; "": recovery cuts the log here, and
	// how much that costs is counted.
	broker string
	source string
}

// releaseBatches are the rules in the order in which they are tried: of one
// batch the first that holds is reported.
var releaseBatches = []batchRule{
	{
		releases: kafkaversion.Until(0, 11), code: BatchBadMagic, severity: Error,
		hits:   func(b *recordbatch.Batch, _ *probe) bool { return b.Magic == 2 },
		what:   "magic 2 came with Kafka 0.11; the leader epoch is taken for the checksum, which is wrong then, by",
		source: "Message.ensureValid, Record.ensureValid (0.10.2): the CRC is expected at byte 12",
	},
	{
		releases: kafkaversion.Until(0, 10), code: BatchBadMagic, severity: Error,
		hits:   func(b *recordbatch.Batch, _ *probe) bool { return b.Magic == 1 },
		what:   "magic 1 came with Kafka 0.10; the timestamp is taken for the length of the key by",
		broker: "the checksum is right, so recovery keeps the message; whoever reads it gets a wrong key and value, or fails",
		source: "Message.keySize, Message.ensureValid (0.9.0)",
	},
	{
		releases: kafkaversion.Until(2, 1), code: BatchBadCodec, severity: Error,
		hits:   func(b *recordbatch.Batch, _ *probe) bool { return b.Codec() == recordbatch.CodecZstd },
		what:   "zstd came with Kafka 2.1; \"Unknown compression type id: 4\" for",
		broker: "recovery keeps the batch and fetches hand it on as it is; the log cleaner and clients of that age fail to decompress it",
		source: "CompressionType.forId (2.0)",
	},
	{
		releases: kafkaversion.Until(0, 8, 2), code: BatchBadCodec, severity: Error,
		hits:   func(b *recordbatch.Batch, _ *probe) bool { return b.Codec() == recordbatch.CodecLZ4 },
		what:   "lz4 came with Kafka 0.8.2; \"3 is an unknown compression codec\" for",
		broker: "recovery fails with UnknownCodecException where an index entry falls on the message, and clients fail to decompress it",
		source: "CompressionCodec.getCompressionCodec, LogSegment.recover (0.8.1)",
	},
	{
		releases: kafkaversion.Range{From: kafkaversion.Version{3, 5}, Until: kafkaversion.Version{3, 8}}, code: ControlMalformed, severity: Error,
		hits:   func(_ *recordbatch.Batch, p *probe) bool { return p.kraft },
		what:   "control records KRAFT_VERSION and KRAFT_VOTERS came with Kafka 3.8; unknown to",
		broker: "the node that reads the metadata log fails with IllegalArgumentException: Unknown control record type UNKNOWN",
		source: "RecordsIterator.decodeControlRecord (3.5 to 3.7); earlier ones don't look into control batches",
	},
	{
		releases: kafkaversion.Until(3, 1), code: BatchUnknownAttributes, severity: Info,
		hits:   func(b *recordbatch.Batch, _ *probe) bool { _, ok := b.DeleteHorizonMs(); return ok },
		what:   "the delete horizon of a compacted batch came with Kafka 3.1; not looked at by",
		broker: "times are read right all the same; tombstones and markers are removed by the age of the segment's file",
		source: "DefaultRecordBatch, LogCleaner.cleanSegments (3.0)",
	},
}

// refusal is the newest finding of a rule in a log.
type refusal struct {
	finding *Finding
	runs    int
}

// read judges a sound batch by the release that is going to read it.
func (r *release) read(s *segmentCheck, b *recordbatch.Batch, p *probe) {
	for i := range r.batches {
		if rule := &r.batches[i]; rule.hits(b, p) {
			r.refuse(s, rule, b)
			return
		}
	}
}

// refuse reports a batch, or folds it into the run that it continues: a log of
// nothing but such batches costs one finding.
func (r *release) refuse(s *segmentCheck, rule *batchRule, b *recordbatch.Batch) {
	last := s.refused[rule]
	if f := last.finding; f != nil && (f.EndPosition == b.Position || last.runs >= MostOfCode) {
		f.folded = f.count() + 1
		f.EndPosition, f.LastOffset = b.EndPosition(), max(f.LastOffset, b.LastOffset())
		return
	}
	f := s.at(rule.code, b.Position, b.EndPosition(), "%s", rule.what+" "+r.name())
	f.Severity, f.Broker = rule.severity, rule.broker
	f.Offset, f.LastOffset = b.Offset, max(b.Offset, b.LastOffset())
	added := s.partition.report.add(f)
	if s.refused == nil {
		s.refused = map[*batchRule]refusal{}
	}
	s.refused[rule] = refusal{added, last.runs + 1}
	if rule.broker == "" {
		s.cutAt(added)
	}
}

// kraftUnknown says what of a KRaft snapshot's control records the reader does
// not know, "" if nothing.
func (r *release) kraftUnknown(b *recordbatch.Batch, p *probe) string {
	if r == nil || !p.kraft {
		return ""
	}
	for i := range r.batches {
		if rule := &r.batches[i]; rule.code == ControlMalformed && rule.hits(b, p) {
			return fmt.Sprintf("%s %s", rule.what, r.name())
		}
	}
	return ""
}
