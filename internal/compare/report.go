package compare

import "github.com/kafsck/kafsck/internal/jsonvalue"

// Kind is how two replicas relate over a range of offsets.
type Kind string

// The kinds.
const (
	Identical   Kind = "identical"    // the same bytes
	SameRecords Kind = "same-records" // the same records, in other batches or under other headers
	Different   Kind = "different"    // not the same records
	OnlyA       Kind = "only-a"       // b has nothing at these offsets
	OnlyB       Kind = "only-b"
)

// Reasons why one replica has nothing where the other has.
const (
	BelowLogStart = "below-log-start" // its first offset is larger
	BehindLogEnd  = "behind-log-end"  // it lags, or was cut
	Damaged       = "damaged"         // what stood there is damaged
	Missing       = "missing"         // a hole without damage: compacted on one side, or lost
)

// Offset is an offset, or −1 where there is none, which JSON shows as null.
type Offset = jsonvalue.Offset

// Part is what one replica has of a range.
type Part struct {
	File     string `json:"file"` // where it begins
	Position int64  `json:"position"`
	Batches  int64  `json:"batches"`
	Records  int64  `json:"records"`
	Bytes    int64  `json:"bytes"`
	Epoch    int32  `json:"leaderEpoch"` // of its first batch
}

// Range is a run of offsets over which the replicas relate in one way.
type Range struct {
	Type        string `json:"type"` // range
	Kind        Kind   `json:"kind"`
	FirstOffset Offset `json:"firstOffset"`
	LastOffset  Offset `json:"lastOffset"`
	Reason      string `json:"reason"` // of only-a and only-b; else ""
	Message     string `json:"message"`
	A           *Part  `json:"a"` // null where it has nothing
	B           *Part  `json:"b"`
	// Of different ranges: records that both have, but not alike, and those
	// that one has alone.
	Differing int64 `json:"differing"`
	AloneInA  int64 `json:"aloneInA"`
	AloneInB  int64 `json:"aloneInB"`
}

// Replica is one of the two in the summary.
type Replica struct {
	Path           string `json:"path"`
	LogStartOffset Offset `json:"logStartOffset"` // of its first batch
	LogEndOffset   int64  `json:"logEndOffset"`
	LeaderEpoch    int32  `json:"leaderEpoch"` // the latest
	Batches        int64  `json:"batches"`
	Records        int64  `json:"records"`
	Damaged        int64  `json:"damaged"` // places
}

// Divergence says where the leader epochs of the replicas part.
type Divergence struct {
	// Offset is that to which the follower truncates its log.
	Offset int64 `json:"offset"`
	// Leader is the replica with the larger leader epoch, a or b.
	Leader string `json:"leader"`
	// EpochA and EpochB are the epochs at that offset, −1 where a replica has
	// no record there.
	EpochA int32 `json:"leaderEpochA"`
	EpochB int32 `json:"leaderEpochB"`
	// Truncated is how many offsets the follower loses.
	Truncated int64 `json:"truncatedOffsets"`
}

// Summary ends the report.
type Summary struct {
	Type string  `json:"type"` // compare-summary
	A    Replica `json:"a"`
	B    Replica `json:"b"`
	// Offsets by kind of range.
	Identical   int64 `json:"identical"`
	SameRecords int64 `json:"sameRecords"`
	Different   int64 `json:"different"`
	OnlyA       int64 `json:"onlyA"`
	OnlyB       int64 `json:"onlyB"`
	// FirstDifference is the first offset at which the records of both
	// differ; null where they don't anywhere.
	FirstDifference Offset      `json:"firstDifference"`
	Divergence      *Divergence `json:"divergence"`
	Equal           bool        `json:"equal"` // the same records on both sides
	Exit            int         `json:"exit"`
}
