package rebuild

import (
	"fmt"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/recovery"
)

// Plan is what becomes of one segment: what its indexes should be, how that
// differs from what is there, and, after Rebuilder wrote them, where they went.
type Plan struct {
	Log        string // path as reached from the argument
	BaseOffset int64
	LogBytes   int64
	Files      []Index
	// Damage is what ends the log too early; nil of a sound one.
	Damage *Damage
	// Notes say what could not be known and is no failure.
	Notes []string
	// Err says why the segment, or a part of it, was refused or failed.
	Err error
}

// Damage is where a broker's recovery would end, and how.
type Damage struct {
	Position int64 // bytes of the log that stay
	Left     int64 // bytes behind
	// Thrown is the exception; nil where the last batch is incomplete.
	Thrown *indexfile.KafkaError
	// Consequence is what a broker does.
	Consequence recovery.Consequence
	// InUse: a running broker is writing there, or has the bytes in advance.
	// Nothing is refused for that; only a dry run gets so far.
	InUse bool
}

// String is the damage in words.
func (d *Damage) String() string {
	why := "the last batch is incomplete"
	if d.Thrown != nil {
		why = d.Thrown.Error()
	}
	then := "a broker's recovery cuts the log there"
	switch d.Consequence {
	case recovery.Emptied:
		then = "a broker's recovery empties the segment"
	case recovery.Split:
		then = "a broker splits the segment, or fails"
	case recovery.LoadFails:
		then = "a broker does not load the log"
	}
	return fmt.Sprintf("position %d: %s; %s", d.Position, why, then)
}

// Index is one index of a plan.
type Index struct {
	File    string // path of the index beside the log, as reached from the argument
	Kind    indexfile.Kind
	Entries int
	Bytes   int64
	SHA256  string // of what it should be, hexadecimal
	// Before is what is there; nil where nothing is.
	Before *Before
	// Identical: nothing has to be done.
	Identical bool
	// Diff compares the entries; nil where there is nothing to compare with.
	Diff *Diff
	// Written and Backup are paths; empty where nothing was written or kept.
	Written, Backup string

	content []byte
}

// Before is an index that is there already.
type Before struct {
	Entries int // used slots, without a zero tail
	Bytes   int64
	SHA256  string
	// Preallocated says that zero slots follow the used ones.
	Preallocated bool
}
