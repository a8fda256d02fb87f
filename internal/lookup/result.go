package lookup

import (
	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/sanity"
)

// Target is what is looked up: an offset, or with ByTime a timestamp in epoch
// milliseconds.
type Target struct {
	ByTime    bool
	Offset    int64
	Timestamp int64
}

// Result tells how a lookup went, step by step.
type Result struct {
	Target Target

	// Considered are the segments whose largest timestamps were compared with
	// the target, in order; the last one was chosen if Chosen. Of a lookup by
	// offset there are none: base offsets decide.
	Considered []Considered

	// Walks are the segments searched, in order. There is more than one where
	// a segment had nothing left at or above the target.
	Walks []Walk

	Found *Found
	Why   Absence // why Found is nil

	// LogEnd is the offset behind the last batch, where Why needed it; else −1.
	LogEnd int64
	// LargestTimestamp is that of all segments considered, where Why is
	// NoSuchTime; else −1.
	LargestTimestamp int64

	// Truthful is the verdict of Options.Verify on the indexes that were used;
	// nil without it, and where there was no index.
	Truthful *bool

	// Findings are what was met on the way: damage, missing indexes, entries
	// that lie.
	Findings []sanity.Finding
}

// Absence says why nothing was found.
type Absence uint8

// The reasons.
const (
	NotAbsent    Absence = iota
	BeforeStart          // the offset is below the log start offset
	AtEnd                // the offset is the log end offset: the next record will have it
	PastEnd              // the offset is above the log end offset
	NothingLeft          // all records from the offset to the log end are gone
	NoSuchTime           // no segment has a timestamp so late
	NoTimeInside         // the chosen segment has no record for the target: a broker looks no further
)

// TimeSource is where a segment's largest timestamp is from.
type TimeSource uint8

// The sources.
const (
	FromTimeIndex TimeSource = iota // the last entry of the .timeindex
	FromLog                         // a scan of what the .timeindex doesn't cover
	FromModTime                     // the file's modification time: nothing in the log has a timestamp
)

// Considered is a segment that was asked for its largest timestamp. A scan
// ends at the first one that is large enough.
type Considered struct {
	Segment   *Segment
	Timestamp int64
	Source    TimeSource
	Chosen    bool
}

// IndexState says what came of an index.
type IndexState uint8

// The states.
const (
	IndexUsed       IndexState = iota
	IndexEmpty                 // without entries: the search has nothing to compare
	IndexMissing               // no such file
	IndexUnreadable            // it could not be read, or is larger than a broker can map
	IndexLies                  // its entry is wrong: the scan started at 0
	IndexIgnored               // Options.NoIndex
)

// Search is what a search in an index did.
type Search[E any] struct {
	File    string
	State   IndexState
	Entries int // that count: neither a zero nor a stale tail
	Zeros   int // slots of a zero tail
	Stale   int // slots left behind by a truncation

	Read []Read[E] // entries compared, in order
	Warm bool      // the search ended in the warm section
	// WarmFirstSlot is where the warm section begins.
	WarmFirstSlot int
	Slot          int // of the entry that the search gave; −1 none
	Entry         E   // that entry
}

// Used says whether the entry was used.
func (s *Search[E]) Used() bool { return s.State == IndexUsed && s.Slot >= 0 }

// Read is an entry that a search compared with the target.
type Read[E any] struct {
	Slot  int
	Entry E
}

// Walk is the search in one segment.
type Walk struct {
	Segment *Segment
	LogSize int64

	// Time is the search in the .timeindex, nil in a lookup by offset.
	Time *Search[indexfile.TimeEntry]
	// Offset is the search in the .index, for FromOffset.
	Offset     Search[indexfile.OffsetEntry]
	FromOffset int64

	StartPosition int64
	EndPosition   int64 // behind the last batch scanned
	Batches       int   // headers read, from StartPosition on
	// Scanned are the positions of the first maxScanned of them.
	Scanned []int64
	Records int64 // from StartPosition up to the one found, itself included
	// FetchPosition is where a fetch of the offset begins: the first batch
	// that does not end below it. It lies before the found batch where
	// compaction removed the records. −1: there is no such batch.
	FetchPosition int64
}

// maxScanned is how many positions a walk keeps.
const maxScanned = 256

// Bytes is how much of the log was walked.
func (w *Walk) Bytes() int64 { return w.EndPosition - w.StartPosition }

// Found is where a lookup landed.
type Found struct {
	BatchPosition   int64
	BatchSize       int64
	BatchBaseOffset int64
	BatchLastOffset int64
	// Offset and Timestamp are of the record; it could not be decoded where
	// HasRecord is false.
	HasRecord bool
	Offset    int64
	Timestamp int64
	// Control: it is a marker, which a consumer doesn't see.
	Control bool
}
