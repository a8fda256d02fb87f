package sanity

import (
	"fmt"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/logdir"
)

// Depth is how far a check looks into the logs. The zero value is Records.
type Depth uint8

// The depths. Each includes the ones below it.
const (
	// Records decompresses and decodes every record.
	Records Depth = iota
	// Checksums computes the checksum of every batch and decodes control
	// batches alone.
	Checksums
	// Headers judges what the headers of the batches say. Checksums are
	// computed only where the framing is in doubt: at gaps, at the end of a
	// file, around damage (recordbatch.Options.FramingOnly). What is wrong
	// inside of a batch is not found.
	Headers
)

// ParseDepth reads the name of a depth.
func ParseDepth(name string) (Depth, error) {
	switch name {
	case "records":
		return Records, nil
	case "checksums":
		return Checksums, nil
	case "headers":
		return Headers, nil
	}
	return Records, fmt.Errorf("depth %q: headers, checksums or records", name)
}

// CleanupPolicy is what is known of a topic's cleanup.policy. It decides what
// gaps mean: nothing on disk says whether a topic is compacted.
type CleanupPolicy uint8

// The policies.
const (
	PolicyAuto    CleanupPolicy = iota // judged by what the files show
	PolicyDelete                       // not compacted: a gap is a loss
	PolicyCompact                      // compacted: gaps mean nothing
)

// ParseCleanupPolicy reads the name of a policy.
func ParseCleanupPolicy(name string) (CleanupPolicy, error) {
	switch name {
	case "auto":
		return PolicyAuto, nil
	case "delete":
		return PolicyDelete, nil
	case "compact", "compact,delete", "delete,compact":
		return PolicyCompact, nil
	}
	return PolicyAuto, fmt.Errorf("cleanup policy %q: auto, delete or compact", name)
}

// Options say what is checked and how.
type Options struct {
	Depth         Depth
	CleanupPolicy CleanupPolicy
	// KafkaVersion is the release of the broker that is going to read the
	// files: what it can't read is found, and what it does is said of the
	// findings. The zero value is no release in particular.
	KafkaVersion kafkaversion.Version
	// Workers is how many cores are used; 0 or less is one.
	Workers int
	// Filter chooses partitions of log directories and segments of them.
	Filter logdir.Filter
	// Progress is told how many bytes were read since it was told last. It is
	// called from several goroutines.
	Progress func(bytes int64)
	// Done is told of a file, a partition or a log directory itself when all
	// that was found there has been emitted; not where the end of the context
	// left a part of it unchecked. It is called in the order of the output, from
	// the goroutine that emits; an error ends the run.
	Done func(Unit) error
	// ReadRate bounds the bytes read in a second; 0 is no bound.
	ReadRate int64
	// DecompressLimit bounds what one batch may decompress to; 0 stands for
	// the default of recordbatch.
	DecompressLimit int64
}

// Unit is a piece of what was checked, with the counts of its own: a file, a
// partition, or what lies in a log directory beside its partitions.
type Unit struct {
	Path        string // as reached from the argument
	IsPartition bool
	Segments    int   // of a partition
	FirstOffset int64 // that a partition's logs hold; −1 unknown
	LastOffset  int64 // −1 unknown, or where there is none
	Summary     Summary
}

// Summary counts what was looked at and what was found.
type Summary struct {
	Paths int64 // arguments
	Files int64 // of which the content was looked at
	Bytes int64 // of these files
	// Batches and Records are those that are sound: the checksum is right,
	// wherever they lie, also behind damage.
	Batches, Records int64
	// Findings by severity; Unchecked are those among them that say that
	// something could not be checked.
	Errors, Warnings, Infos, Unchecked int64
}

// Add adds the counts of another part.
func (s *Summary) Add(o Summary) {
	s.Paths += o.Paths
	s.Files += o.Files
	s.Bytes += o.Bytes
	s.Batches += o.Batches
	s.Records += o.Records
	s.Errors += o.Errors
	s.Warnings += o.Warnings
	s.Infos += o.Infos
	s.Unchecked += o.Unchecked
}

// Count counts a finding.
func (s *Summary) Count(f *Finding) {
	switch f.Severity {
	case Error:
		s.Errors++
	case Warning:
		s.Warnings++
	default:
		s.Infos++
	}
	if f.Code.Unchecked() {
		s.Unchecked++
	}
}

// AppendJSON appends the summary as one JSON object, without a newline. exit
// is the exit code of the run.
func (s *Summary) AppendJSON(dst []byte, exit int) []byte {
	return fmt.Appendf(dst, `{"type":"summary","paths":%d,"files":%d,"bytes":%d,"batches":%d,"records":%d,"errors":%d,"warnings":%d,"infos":%d,"unchecked":%d,"exit":%d}`,
		s.Paths, s.Files, s.Bytes, s.Batches, s.Records, s.Errors, s.Warnings, s.Infos, s.Unchecked, exit)
}
