// Package dump writes the contents of a partition's files as text, byte for
// byte that of Kafka's DumpLogSegments where Kafka can read them, or as one
// JSON object a line.
package dump

import (
	"io"
	"math"
	"regexp"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/topics"
)

// Format is how the contents are written.
type Format uint8

// The formats.
const (
	Text Format = iota
	JSON
	Hex   // batch headers byte by byte
	Quiet // only the summaries and findings
)

// Options are what the flags of dump say.
type Options struct {
	Format   Format
	Workers  int
	Terminal bool // stdout is a terminal: control characters are quoted

	// Filter chooses partitions of log directories, and segments of them.
	Filter logdir.Filter
	// Reading, if there is one, is put between the dump and each file that it
	// reads, to count or to slow down. It is called from one goroutine, what it
	// returns from several.
	Reading func(io.ReaderAt) io.ReaderAt

	// Kafka's own.
	PrintData          bool
	Deep               bool
	SkipRecordMetadata bool
	VerifyIndexOnly    bool
	IndexSanityCheck   bool
	MaxBytes           int64 // of each log; −1 is all
	KeyText, ValueText TextFunc

	// Decode is the topic of Kafka's own by whose rules all records are decoded;
	// with DecodeAuto it is the one that the directory is named after. Records
	// are not decoded where PrintData isn't set or ValueFormat is.
	Decode     topics.Topic
	DecodeAuto bool

	// Ours.
	FromOffset, ToOffset int64 // both inclusive
	FromTime, ToTime     int64 // epoch milliseconds, both inclusive
	Limit                int64 // batches, or records with Deep; −1 is all
	ProducerID           int64
	HasProducerID        bool
	Key                  *regexp.Regexp
	OnlyDamaged          bool
	ValueFormat          ValueFormat
}

// DefaultOptions dump everything, as text.
func DefaultOptions() Options {
	return Options{
		Workers: 1, MaxBytes: -1, Limit: -1,
		FromOffset: 0, ToOffset: math.MaxInt64,
		FromTime: math.MinInt64, ToTime: math.MaxInt64,
		KeyText: StringText, ValueText: StringText,
	}
}

// deep says whether records are decoded.
func (o *Options) deep() bool { return o.Deep || o.PrintData || o.Key != nil }
