package logdir

import (
	"cmp"
	"slices"
)

// PartitionRef is a partition directory of a log directory, not read yet.
type PartitionRef struct {
	Path string
	Dir  PartitionDir
	Link string // where the directory is a symbolic link

	unread error // why it could not even be looked at
}

// Open lists the partition. One that could not be looked at, such as a link to
// a disk that isn't mounted, is an empty listing with the error; it is a GoneError
// where a running broker has taken the partition away.
func (r PartitionRef) Open() (*Partition, error) {
	if r.unread != nil {
		return newPartition(r.Path, listing{}), r.unread
	}
	p, err := OpenPartition(r.Path)
	p.Link = r.Link
	return p, Listed(r.Path, err)
}

// Dir is the listing of a log directory (one of a broker's log.dirs).
type Dir struct {
	Path string
	// Partitions are sorted by topic, partition number, marker and name.
	Partitions []PartitionRef
	// UnknownDirs have a name that is none of a partition. Each of them keeps
	// a broker from using the log directory.
	UnknownDirs []Entry
	// RemoteIndexCache is the directory of indexes of remote segments.
	RemoteIndexCache *Entry

	RecoveryPoints *Entry // recovery-point-offset-checkpoint
	HighWatermarks *Entry // replication-offset-checkpoint
	LogStarts      *Entry // log-start-offset-checkpoint
	CleanerOffsets *Entry // cleaner-offset-checkpoint
	MetaProperties *Entry
	CleanShutdown  *Entry
	Lock           *Entry
	Bootstrap      *Entry  // bootstrap.checkpoint
	Leftovers      []Entry // files with a suffix
	Other          []Entry // files that a broker ignores here

	Issues []Issue
}

func newDir(path string, l listing) *Dir {
	d := &Dir{Path: path}
	for _, issue := range l.issues {
		// Whoever goes through the partitions must come to this one too.
		if dir, ok := ParsePartitionDir(baseName(issue.Path)); ok && issue.Kind == Unreadable {
			d.Partitions = append(d.Partitions, PartitionRef{Path: issue.Path, Dir: dir, unread: issue})
		} else {
			d.Issues = append(d.Issues, issue)
		}
	}
	for i := range l.files {
		d.sort(&l.files[i])
	}
	for i := range l.dirs {
		e := &l.dirs[i]
		if dir, ok := ParsePartitionDir(e.Name); ok {
			d.Partitions = append(d.Partitions, PartitionRef{Path: e.Path, Dir: dir, Link: e.Link})
		} else if e.Name == RemoteIndexCacheDir {
			d.RemoteIndexCache = e
		} else {
			d.UnknownDirs = append(d.UnknownDirs, *e)
		}
	}
	slices.SortStableFunc(d.Partitions, func(a, b PartitionRef) int {
		return cmp.Or(
			cmp.Compare(a.Dir.Topic, b.Dir.Topic),
			cmp.Compare(a.Dir.Partition, b.Dir.Partition),
			cmp.Compare(a.Dir.Marker, b.Dir.Marker),
			cmp.Compare(a.Path, b.Path))
	})
	return d
}

func (d *Dir) sort(e *Entry) {
	if e.File.Suffix != NoSuffix {
		d.Leftovers = append(d.Leftovers, *e)
		return
	}
	slots := map[Kind]**Entry{
		KindRecoveryPoints: &d.RecoveryPoints, KindHighWatermarks: &d.HighWatermarks,
		KindLogStarts: &d.LogStarts, KindCleanerOffsets: &d.CleanerOffsets,
		KindMetaProperties: &d.MetaProperties, KindCleanShutdown: &d.CleanShutdown,
		KindLock: &d.Lock, KindBootstrapCheckpoint: &d.Bootstrap,
	}
	if slot, ok := slots[e.File.Kind]; ok {
		*slot = e
	} else {
		d.Other = append(d.Other, *e)
	}
}

// Unread joins what in the log directory itself could not be looked at; nil
// where there is nothing. What a running broker took away while it was listed
// isn't among that.
func (d *Dir) Unread() error {
	return joined(unread(d.Issues, func() bool { return held(d.Path) }))
}

// Files are all files of the log directory itself, by name.
func (d *Dir) Files() []Entry {
	all := slices.Concat(d.Leftovers, d.Other)
	for _, e := range []*Entry{d.RecoveryPoints, d.HighWatermarks, d.LogStarts, d.CleanerOffsets, d.MetaProperties, d.CleanShutdown, d.Lock, d.Bootstrap} {
		if e != nil {
			all = append(all, *e)
		}
	}
	slices.SortFunc(all, byName)
	return all
}
