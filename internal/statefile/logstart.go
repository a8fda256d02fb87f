package statefile

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/kafsck/kafsck/internal/logdir"
)

// LogStart looks the partition directory at path up in the
// log-start-offset-checkpoint of the log directory around it. ok is false where
// that has no entry for it, or is not there, or where path has no name of a
// partition. file is the checkpoint, as reached from path. A broker takes 0
// where it can't read the file, and never less than the first base offset
// (LogManager.loadLogs, UnifiedLog).
func LogStart(path string) (offset int64, file string, ok bool, err error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return 0, "", false, err
	}
	name, ok := logdir.ParsePartitionDir(filepath.Base(absolute))
	if !ok {
		return 0, "", false, nil
	}
	file = filepath.Join(logdir.Parent(path), logdir.KindLogStarts.String())
	checkpoint, err := ReadFile(file, ReadOffsetCheckpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, file, false, nil
	}
	if err != nil {
		return 0, file, false, err
	}
	offset, ok = checkpoint.ByPartition().Lookup(name.Topic, name.Partition)
	return offset, file, ok, nil
}
