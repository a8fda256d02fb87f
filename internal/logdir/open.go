package logdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Target is what a path given on the command line is: exactly one of File,
// Partition and Dir is set.
type Target struct {
	Path string // as given

	File      *Entry
	Partition *Partition
	Dir       *Dir
}

// ErrNotKafka is a path that is neither a file nor a directory of a broker.
var ErrNotKafka = errors.New("not a directory of a Kafka broker")

// Open says what path is. Any regular file is a File, of whatever kind; for a
// directory its content decides before its name, since log directories are
// often called "kafka-logs-1":
//
//   - with meta.properties, one of the four offset checkpoints, or partition
//     directories in it: a log directory
//   - with segment files, a leader-epoch-checkpoint or a partition.metadata
//     in it, or with the name of a partition: a partition directory
//   - otherwise an error for which errors.Is(err, ErrNotKafka) holds.
//
// A path that is a symbolic link is followed.
func Open(path string) (*Target, error) {
	if path == "" {
		return nil, errors.New("a path is empty: give a file, a partition directory or a log directory")
	}
	info, err := os.Stat(path)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("%s: %w", path, e.Err)
	} else if err != nil {
		return nil, err
	}
	switch {
	case info.Mode().IsRegular():
		name := baseName(path)
		e := &Entry{Name: name, Path: path, File: ParseName(name), Size: info.Size(), ModTime: info.ModTime()}
		if link, err := os.Readlink(path); err == nil {
			e.Link = link
		}
		return &Target{Path: path, File: e}, nil
	case !info.IsDir():
		return nil, fmt.Errorf("%s: is a %s, neither a file nor a directory", path, typeName(info.Mode()))
	}
	l, err := readDir(path)
	if err != nil {
		return nil, err
	}
	switch kindOfDir(path, &l) {
	case dirIsLogDir:
		return &Target{Path: path, Dir: newDir(path, l)}, nil
	case dirIsPartition:
		p := newPartition(path, l)
		if link, err := os.Readlink(path); err == nil {
			p.Link = link
		}
		return &Target{Path: path, Partition: p}, nil
	}
	if baseName(path) == RemoteIndexCacheDir {
		return nil, fmt.Errorf("%s: %w: indexes of remote segments belong to no partition here; give the files one by one", path, ErrNotKafka)
	}
	return nil, fmt.Errorf("%s: %w: neither segments, nor a meta.properties, nor directories called TOPIC-PARTITION are in it", path, ErrNotKafka)
}

type dirKind uint8

const (
	dirIsOther dirKind = iota
	dirIsLogDir
	dirIsPartition
)

func kindOfDir(path string, l *listing) dirKind {
	segments := false
	for i := range l.files {
		n := &l.files[i].File
		if n.Kind == KindMetaProperties || n.Kind.IsOffsetCheckpoint() {
			return dirIsLogDir
		}
		if n.RemoteID == "" && (n.HasOffset || n.Kind == KindLeaderEpochCheckpoint || n.Kind == KindPartitionMetadata) {
			segments = true
		}
	}
	_, named := ParsePartitionDir(baseName(path))
	if segments && named {
		return dirIsPartition
	}
	for i := range l.dirs {
		if _, ok := ParsePartitionDir(l.dirs[i].Name); ok {
			return dirIsLogDir
		}
	}
	if segments || named {
		return dirIsPartition
	}
	return dirIsOther
}

// Resolve opens several paths. One that cannot be opened does not hide the
// others: the error joins the errors of all of them, in their order.
func Resolve(paths ...string) ([]*Target, error) {
	var targets []*Target
	var errs []error
	for _, path := range paths {
		t, err := Open(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		targets = append(targets, t)
	}
	return targets, errors.Join(errs...)
}
