package salvage

import "github.com/kafsck/kafsck/internal/jsonvalue"

// Reasons for which bytes are left that are no codes of findings.
const (
	// Duplicate: the same batch is kept from another place.
	Duplicate = "duplicate"
	// Overlap: some of its offsets are kept from an earlier batch.
	Overlap = "overlap"
	// OutOfPlace: the base offset doesn't fit between those around it, as
	// after a damaged base offset, which no checksum covers.
	OutOfPlace = "out-of-place"
	// Diverged: written under a leader epoch that the partition's history
	// doesn't have at that offset.
	Diverged = "diverged"
	// Conflict: another replica has something else at the same offsets.
	Conflict = "conflict"
	// Refused: a broker would not load the log with it.
	Refused = "broker-refuses"
	// Unreadable: the disk doesn't give it away.
	Unreadable = "io-error"
	// BeingWritten: the running broker was writing there, or has the bytes in
	// advance.
	BeingWritten = "being-written"
	// NotInUse: a file that isn't part of the log, such as a .deleted one.
	NotInUse = "not-in-use"
	// Rebuilt: an index or producer snapshot, made anew from what is kept.
	Rebuilt = "rebuilt"
	// Malformed: a small file that can't be read.
	Malformed = "malformed"
	// Unknown: a file that no broker writes.
	Unknown = "unknown-file"
)

// Lossless says whether leaving bytes for a reason loses nothing.
func Lossless(reason string) bool {
	switch reason {
	case Duplicate, BeingWritten, NotInUse, Rebuilt, Unknown:
		return true
	}
	return false
}

// Offset is an offset, or −1 where there is none, which JSON shows as null.
type Offset = jsonvalue.Offset

// Salvaged is a run of batches that was copied.
type Salvaged struct {
	Type            string `json:"type"` // salvaged
	Partition       string `json:"partition"`
	File            string `json:"file"`
	Position        int64  `json:"position"`
	EndPosition     int64  `json:"endPosition"`
	FirstOffset     Offset `json:"firstOffset"`
	LastOffset      Offset `json:"lastOffset"`
	Batches         int64  `json:"batches"`
	Records         int64  `json:"records"`
	Written         string `json:"written"`
	WrittenPosition int64  `json:"writtenPosition"`
	// Moved: the batches stood behind later ones; their offsets fill the gap
	// in front of these exactly.
	Moved bool `json:"moved"`
}

// Left is a range of a source that was not copied.
type Left struct {
	Type        string `json:"type"` // left
	Partition   string `json:"partition"`
	File        string `json:"file"`
	Position    int64  `json:"position"`
	EndPosition int64  `json:"endPosition"`
	FirstOffset Offset `json:"firstOffset"`
	LastOffset  Offset `json:"lastOffset"`
	Batches     int64  `json:"batches"`
	Records     int64  `json:"records"`
	Reason      string `json:"reason"` // one above, or the code of a finding
	Message     string `json:"message"`
}

// Decision tells how replicas that differ were reconciled.
type Decision struct {
	Type        string `json:"type"` // conflict
	Partition   string `json:"partition"`
	FirstOffset Offset `json:"firstOffset"`
	LastOffset  Offset `json:"lastOffset"`
	Kept        string `json:"kept"` // a file, or the replica whose history counts
	KeptEpoch   int32  `json:"keptEpoch"`
	Left        string `json:"left"`
	LeftEpoch   int32  `json:"leftEpoch"`
	DecidedBy   string `json:"decidedBy"` // leader-epoch, undamaged or order
}

// Gap is a range of offsets that nobody has any more.
type Gap struct {
	Type        string `json:"type"` // gap
	Partition   string `json:"partition"`
	FirstOffset Offset `json:"firstOffset"`
	LastOffset  Offset `json:"lastOffset"`
}

// Written is a file of the result.
type Written struct {
	Type        string `json:"type"` // written
	Partition   string `json:"partition"`
	File        string `json:"file"`
	Bytes       int64  `json:"bytes"`
	Batches     int64  `json:"batches"`
	Records     int64  `json:"records"`
	FirstOffset Offset `json:"firstOffset"`
	LastOffset  Offset `json:"lastOffset"`
	SHA256      string `json:"sha256"`
}

// Loss counts what was left.
type Loss struct {
	Ranges  int64 `json:"ranges"`
	Bytes   int64 `json:"bytes"`
	Batches int64 `json:"batches"`
	Records int64 `json:"records"` // as far as they could be counted
}

func (l *Loss) add(r *Left) {
	l.Ranges++
	l.Bytes += r.EndPosition - r.Position
	l.Batches += r.Batches
	l.Records += r.Records
}

// Summary ends the report of a partition.
type Summary struct {
	Type         string `json:"type"` // salvage-summary
	Partition    string `json:"partition"`
	Directory    string `json:"directory"`
	Replicas     int    `json:"replicas"`
	Segments     int64  `json:"segments"`
	Batches      int64  `json:"batches"`
	Records      int64  `json:"records"`
	Bytes        int64  `json:"bytes"`
	FirstOffset  Offset `json:"firstOffset"`
	LogEndOffset Offset `json:"logEndOffset"`
	// LogStartOffset is that of the checkpoint beside the source. A broker
	// takes it from its own checkpoint: without an entry there, deleted
	// records come back.
	LogStartOffset Offset `json:"logStartOffset"`
	Left           Loss   `json:"left"`       // damaged, out of place, or refused
	Duplicates     Loss   `json:"duplicates"` // kept from elsewhere
	Conflicts      int64  `json:"conflicts"`
	Gaps           int64  `json:"gaps"`
	LostOffsets    int64  `json:"lostOffsets"` // in gaps
	// TailDamaged: the end of the log is damaged in all replicas. How many
	// offsets that costs, nobody knows.
	TailDamaged bool  `json:"tailDamaged"`
	Unreadable  int64 `json:"unreadable"` // bytes
	Exit        int   `json:"exit"`
}
