package logdir

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"
)

// Segment is what is there of one segment: the files in use that carry its
// base offset. A broker has no segment where Log is nil: it deletes indexes
// without one.
type Segment struct {
	BaseOffset int64
	Log        *Entry
	Index      *Entry
	TimeIndex  *Entry
	TxnIndex   *Entry
	// Snapshot is the producer snapshot with the number of the base offset:
	// the state before the segment.
	Snapshot *Entry
}

// ModTime is the latest time at which the log or one of its indexes was
// written.
func (s *Segment) ModTime() time.Time {
	var latest time.Time
	for _, e := range []*Entry{s.Log, s.Index, s.TimeIndex, s.TxnIndex} {
		if e != nil && e.ModTime.After(latest) {
			latest = e.ModTime
		}
	}
	return latest
}

// file is where the entry of a kind is kept, or nil.
func (s *Segment) file(kind Kind) **Entry {
	switch kind {
	case KindLog:
		return &s.Log
	case KindOffsetIndex:
		return &s.Index
	case KindTimeIndex:
		return &s.TimeIndex
	case KindTxnIndex:
		return &s.TxnIndex
	}
	return nil
}

// Partition is the listing of a partition directory.
type Partition struct {
	Path string
	// Dir is what the name says; zero where HasName is false, as for files
	// that were copied into a directory of another name.
	Dir     PartitionDir
	HasName bool
	Link    string // where the directory is a symbolic link

	Segments    []Segment // by base offset, as a number
	Snapshots   []Entry   // all producer snapshots in use, by number
	Checkpoints []Entry   // KRaft checkpoints in use, by offset and epoch
	Leftovers   []Entry   // all files with a suffix, by name
	Other       []Entry   // names that mean nothing here or have no offset

	LeaderEpochs *Entry
	Metadata     *Entry // partition.metadata
	QuorumState  *Entry

	Issues []Issue
}

// Files are all files of the partition by name.
func (p *Partition) Files() []Entry {
	var all []Entry
	add := func(e *Entry) {
		if e != nil {
			all = append(all, *e)
		}
	}
	for i := range p.Segments {
		s := &p.Segments[i]
		for _, e := range []*Entry{s.Log, s.Index, s.TimeIndex, s.TxnIndex} {
			add(e)
		}
	}
	for _, e := range []*Entry{p.LeaderEpochs, p.Metadata, p.QuorumState} {
		add(e)
	}
	all = slices.Concat(all, p.Snapshots, p.Checkpoints, p.Leftovers, p.Other)
	slices.SortFunc(all, byName)
	return all
}

// Unread joins what in the directory could not be looked at; nil where there is
// nothing. Without it, what was read must not pass for the whole partition. What
// a running broker took away while it was listed isn't among that.
func (p *Partition) Unread() error { return joined(p.UnreadIssues()) }

// UnreadIssues are what Unread joins.
func (p *Partition) UnreadIssues() []Issue {
	return unread(p.Issues, func() bool { return HeldAround(p.Path) })
}

// Swapped are the logs that a broker puts in the place of others at its next
// start, by offset: the .log.swap files, but for those that a .cleaned file of
// the same or a lower offset shows to belong to a cleaning that wasn't finished
// (LogLoader.removeTempFilesAndCollectSwapFiles).
func (p *Partition) Swapped() []Entry {
	var swaps []Entry
	unfinished := int64(math.MaxInt64)
	for _, e := range p.Leftovers {
		switch n := &e.File; {
		case !n.HasOffset:
		case n.Suffix == Cleaned:
			unfinished = min(unfinished, n.BaseOffset)
		case n.Suffix == Swap && n.Kind == KindLog:
			swaps = append(swaps, e)
		}
	}
	swaps = slices.DeleteFunc(swaps, func(e Entry) bool { return e.File.BaseOffset >= unfinished })
	slices.SortFunc(swaps, byOffset)
	return swaps
}

func byName(a, b Entry) int { return cmp.Compare(a.Name, b.Name) }

func byOffset(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.File.BaseOffset, b.File.BaseOffset), cmp.Compare(a.File.Epoch, b.File.Epoch), byName(a, b))
}

// OpenPartition lists a partition directory with one reading of it. Where the
// reading itself fails midway, what was read is returned with the error.
func OpenPartition(path string) (*Partition, error) {
	l, err := readDir(path)
	return newPartition(path, l), err
}

func newPartition(path string, l listing) *Partition {
	p := &Partition{Path: path, Issues: l.issues}
	p.Dir, p.HasName = ParsePartitionDir(baseName(path))
	segments := map[int64]*Segment{}
	for i := range l.files {
		p.sort(&l.files[i], segments)
	}
	for i := range l.dirs {
		d := &l.dirs[i]
		p.Issues = append(p.Issues, Issue{Path: d.Path, Kind: NotAFile, Err: fmt.Errorf("is a directory, not a file")})
	}
	slices.SortFunc(p.Snapshots, byOffset)
	slices.SortFunc(p.Checkpoints, byOffset)
	for _, s := range segments {
		p.Segments = append(p.Segments, *s)
	}
	slices.SortFunc(p.Segments, func(a, b Segment) int { return cmp.Compare(a.BaseOffset, b.BaseOffset) })
	p.attachSnapshots()
	return p
}

// sort puts a file where it belongs.
func (p *Partition) sort(e *Entry, segments map[int64]*Segment) {
	switch n := e.File; {
	case n.Suffix != NoSuffix:
		p.Leftovers = append(p.Leftovers, *e)
	case n.Kind == KindLeaderEpochCheckpoint && n.RemoteID == "":
		p.LeaderEpochs = e
	case n.Kind == KindPartitionMetadata:
		p.Metadata = e
	case n.Kind == KindQuorumState:
		p.QuorumState = e
	case !n.HasOffset || n.RemoteID != "":
		p.Other = append(p.Other, *e)
	case n.Kind == KindProducerSnapshot:
		p.Snapshots = append(p.Snapshots, *e)
	case n.Kind == KindKRaftCheckpoint:
		p.Checkpoints = append(p.Checkpoints, *e)
	default:
		s := segments[n.BaseOffset]
		if s == nil {
			s = &Segment{BaseOffset: n.BaseOffset}
			segments[n.BaseOffset] = s
		}
		p.place(e, s.file(n.Kind))
	}
}

// place puts e into a segment. Of two names for one number the canonical one
// is in use.
func (p *Partition) place(e *Entry, slot **Entry) {
	loser := *slot
	switch {
	case loser == nil:
		*slot = e
		return
	case e.File.Canonical:
		*slot = e
	default:
		loser = e
	}
	p.Other = append(p.Other, *loser)
	p.Issues = append(p.Issues, Issue{Path: loser.Path, Kind: SecondName, Err: fmt.Errorf("means the same as %s, which is the one in use", (*slot).Name)})
}

func (p *Partition) attachSnapshots() {
	at := map[int64]*Entry{}
	for i := range p.Snapshots {
		if s := &p.Snapshots[i]; at[s.File.BaseOffset] == nil || s.File.Canonical {
			at[s.File.BaseOffset] = s
		}
	}
	for i := range p.Segments {
		p.Segments[i].Snapshot = at[p.Segments[i].BaseOffset]
	}
}

// Parent is the directory in which path lies, also that of "." and "..". Links
// are not followed, and nothing is made absolute.
func Parent(path string) string {
	clean := filepath.Clean(path)
	if base := filepath.Base(clean); base == "." || base == ".." {
		return filepath.Join(clean, "..")
	}
	return filepath.Dir(clean)
}

// baseName is the last element of a path, also of "." and "..".
func baseName(path string) string {
	base := filepath.Base(path)
	if base == "." || base == ".." || base == string(filepath.Separator) {
		if abs, err := filepath.Abs(path); err == nil {
			base = filepath.Base(abs)
		}
	}
	return base
}
