package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kafsck/kafsck/internal/brokerlock"
	"github.com/kafsck/kafsck/internal/logdir"
)

// ErrRefused is a directory that must not be written to. Nothing was changed.
var ErrRefused = errors.New("refused")

func refuse(path, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", path, ErrRefused, fmt.Sprintf(format, args...))
}

// resolve makes a path absolute and follows all symbolic links, of a path that
// doesn't exist those of the part that does.
func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for dir := abs; ; {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		// A link that leads nowhere would be followed by whoever creates it.
		if _, err := os.Lstat(dir); err == nil {
			return "", refuse(path, "%s is a symbolic link that leads nowhere", dir)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return abs, nil
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = parent
	}
}

// within says whether path is dir or lies below it; both are resolved.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// check refuses a directory in which files would do harm. It looks at what is
// there and changes nothing.
func check(path string, sources []string) (resolved string, err error) {
	if resolved, err = resolve(path); err != nil {
		return "", err
	}
	if info, err := os.Stat(resolved); err == nil && !info.IsDir() {
		return "", refuse(path, "is a file, not a directory")
	}
	for _, source := range sources {
		real, err := resolve(source)
		if err != nil {
			return "", err
		}
		if info, err := os.Stat(real); err == nil && !info.IsDir() {
			real = filepath.Dir(real)
			_, partition := logdir.ParsePartitionDir(filepath.Base(real))
			if real == resolved || partition && within(real, resolved) {
				return "", refuse(path, "lies in the directory of the source %s", source)
			}
			continue
		}
		switch {
		case within(real, resolved):
			return "", refuse(path, "lies inside the source %s", source)
		case within(resolved, real):
			return "", refuse(path, "the source %s lies inside of it", source)
		}
	}
	return resolved, checkAncestors(path, resolved)
}

// Outside refuses a path, whether it is there or not, at which new files would
// lie in a log directory. Nothing is changed.
func Outside(path string) error {
	resolved, err := resolve(path)
	if err != nil {
		return err
	}
	return checkAncestors(path, resolved)
}

// checkAncestors refuses a directory inside a log directory or a partition.
func checkAncestors(path, resolved string) error {
	for dir := resolved; ; dir = filepath.Dir(dir) {
		holder, err := brokerlock.Of(dir)
		switch {
		case err != nil:
			return refuse(path, "it could not be found out whether a broker uses %s: %v", dir, err)
		case holder.Held:
			return refuse(path, "is inside the log directory %s, which a broker is using (process %d)", dir, holder.PID)
		}
		for _, name := range logDirFiles {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				return refuse(path, "is inside the log directory %s (it has a %s): a broker would not start with it there", dir, name)
			}
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// logDirFiles are those by which a log directory is known.
var logDirFiles = []string{
	logdir.KindMetaProperties.String(), logdir.KindRecoveryPoints.String(), logdir.KindHighWatermarks.String(),
	logdir.KindLogStarts.String(), logdir.KindCleanerOffsets.String(), logdir.KindCleanShutdown.String(), logdir.KindLock.String(),
}
