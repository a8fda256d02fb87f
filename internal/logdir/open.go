package logdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
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
//   - with meta.properties, one of the four offset checkpoints or
//     .kafka_cleanshutdown in it, or with partition directories in which
//     something is called as a broker calls its files: a log directory. Names
//     such as "dbus-1" are common elsewhere, so the name alone proves nothing
//   - with segment files, a leader-epoch-checkpoint or a partition.metadata
//     in it, or with the name of a partition and empty: a partition directory
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
	return nil, fmt.Errorf("%s: %w: neither segments, nor a meta.properties, nor partition directories (TOPIC-PARTITION) with Kafka's files are in it%s", path, ErrNotKafka, kafkaBelow(&l))
}

// kafkaBelow names the first directory in a listing that would do, for an
// error: the directory above a broker's is an easy slip.
func kafkaBelow(l *listing) string {
	for i := range l.dirs {
		below, err := readDir(l.dirs[i].Path)
		if err == nil && kindOfDir(l.dirs[i].Path, &below) == dirIsLogDir {
			return "; a log directory is " + l.dirs[i].Path
		}
	}
	return ""
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
		if n.Kind == KindMetaProperties || n.Kind == KindCleanShutdown || n.Kind.IsOffsetCheckpoint() {
			return dirIsLogDir
		}
		if n.RemoteID == "" && (n.HasOffset || n.Kind == KindLeaderEpochCheckpoint || n.Kind == KindPartitionMetadata) {
			segments = true
		}
	}
	_, named := ParsePartitionDir(baseName(path))
	switch {
	case segments && named:
		return dirIsPartition
	case slices.ContainsFunc(l.dirs, holdsPartition):
		return dirIsLogDir
	case segments, named && (l.isEmpty() || hasKafkaFile(l)):
		return dirIsPartition
	}
	return dirIsOther
}

// holdsPartition says whether a directory is one of a partition, by its name
// and by what is in it. One that cannot be read may be; whoever reads it
// reports that.
func holdsPartition(d Entry) bool {
	if _, ok := ParsePartitionDir(d.Name); !ok {
		return false
	}
	l, err := readDir(d.Path)
	return err != nil || hasKafkaFile(&l)
}

// hasKafkaFile says whether a name in the listing is one that brokers give to
// files in partition directories, with an offset or without.
func hasKafkaFile(l *listing) bool {
	brokers := func(n Name) bool { return n.Kind != KindUnknown && n.Kind != KindLock }
	return slices.ContainsFunc(l.files, func(e Entry) bool { return brokers(e.File) }) ||
		slices.ContainsFunc(l.issues, func(i Issue) bool { return brokers(ParseName(baseName(i.Path))) })
}

func (l *listing) isEmpty() bool { return len(l.files)+len(l.dirs)+len(l.issues) == 0 }
