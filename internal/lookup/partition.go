package lookup

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
)

// File is a file of a segment, opened when it is needed.
type File struct {
	Path    string // as reached from the argument
	ModTime time.Time
	// Open opens it for reading. nil: there is no such file.
	Open func() (Source, error)
}

// Source is an open file and its size. Close may be nil.
type Source struct {
	R     io.ReaderAt
	Size  int64
	Close func() error
}

// Segment is one segment of a partition.
type Segment struct {
	BaseOffset int64
	Log        File
	Index      File
	TimeIndex  File
}

// Partition is what a lookup needs to know of a partition: its segments by
// rising base offset, and where its log starts.
type Partition struct {
	Path     string
	Segments []Segment
	// LogStart is the first offset that a consumer may have: that of the
	// checkpoint, or else the first base offset.
	LogStart int64
	// LogStartFile is the checkpoint that LogStart is from, or "".
	LogStartFile string
	// Unread are the errors of what could not be looked at: LogStart and the
	// choice of a segment may depend on it.
	Unread []error
}

// Open lists the partition at path: a partition directory, or one .log, which
// is then a partition of one segment.
func Open(path string) (*Partition, error) {
	target, err := logdir.Open(path)
	if err != nil {
		return nil, err
	}
	p := &Partition{Path: path}
	dir := path
	switch {
	case target.Dir != nil:
		return nil, fmt.Errorf("%s: is a log directory; lookup needs one partition of it", path)
	case target.Partition != nil:
		if err := target.Partition.Unread(); err != nil {
			p.Unread = append(p.Unread, err)
		}
		for i := range target.Partition.Segments {
			if s := &target.Partition.Segments[i]; s.Log != nil {
				p.Segments = append(p.Segments, Segment{s.BaseOffset, onDisk(s.Log), onDisk(s.Index), onDisk(s.TimeIndex)})
			}
		}
	default:
		e := target.File
		if e.File.Kind != logdir.KindLog || !e.File.HasOffset {
			return nil, fmt.Errorf("%s: lookup needs a partition directory or a .log named by its base offset", path)
		}
		dir = filepath.Dir(path)
		p.Segments = []Segment{{e.File.BaseOffset, onDisk(e),
			onDisk(sibling(path, logdir.KindOffsetIndex)), onDisk(sibling(path, logdir.KindTimeIndex))}}
	}
	if len(p.Segments) == 0 {
		return nil, errors.Join(append(p.Unread, fmt.Errorf("%s: no .log in it", path))...)
	}
	p.LogStart = p.Segments[0].BaseOffset
	p.readLogStart(dir)
	return p, nil
}

// sibling is the index beside a log, or nil.
func sibling(log string, kind logdir.Kind) *logdir.Entry {
	target, err := logdir.Open(logdir.SiblingPath(log, kind))
	if err != nil {
		return nil
	}
	return target.File
}

func onDisk(e *logdir.Entry) File {
	if e == nil {
		return File{}
	}
	return File{Path: e.Path, ModTime: e.ModTime, Open: func() (Source, error) {
		f, size, err := logdir.OpenFile(e.Path)
		if err != nil {
			return Source{}, err
		}
		return Source{R: f, Size: size, Close: f.Close}, nil
	}}
}

// readLogStart takes the log start offset from the checkpoint in the log
// directory that the partition lies in. A broker goes without a checkpoint that
// it can't read.
func (p *Partition) readLogStart(dir string) {
	start, file, ok, err := statefile.LogStart(dir)
	switch {
	case err != nil:
		p.Unread = append(p.Unread, err)
	case ok && start > p.LogStart:
		p.LogStart, p.LogStartFile = start, file
	}
}

// floor is the number of the segment with the greatest base offset ≤ offset,
// or −1.
func (p *Partition) floor(offset int64) int {
	found := -1
	for i := range p.Segments {
		if p.Segments[i].BaseOffset <= offset {
			found = i
		}
	}
	return found
}
