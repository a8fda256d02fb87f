package place

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kafsck/kafsck/internal/logdir"
)

// Beside opens the directory in which a single new file is going to be, whatever
// else is in it, and returns the name of that file in it. The file must not
// exist, the directory must. It is refused where a file would do harm: in a
// source, in a partition, inside a log directory. Nothing is changed yet.
func Beside(path string, sources []string) (d *Dir, name string, err error) {
	name = filepath.Base(path)
	if err := checkName(name); err != nil {
		return nil, "", err
	}
	parent := filepath.Dir(path)
	resolved, err := resolve(parent)
	if err != nil {
		return nil, "", err
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, "", refuse(path, "is there already, and nothing is overwritten")
	}
	info, err := os.Stat(resolved)
	switch {
	case err != nil:
		return nil, "", err
	case !info.IsDir():
		return nil, "", fmt.Errorf("%s: %w: not a directory", parent, fs.ErrInvalid)
	}
	if err := checkBeside(path, resolved, sources); err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(resolved)
	if err != nil {
		return nil, "", err
	}
	return &Dir{path: parent, fs: rooted{root}}, name, nil
}

func checkBeside(path, resolved string, sources []string) error {
	for _, source := range sources {
		real, err := resolve(source)
		if err != nil {
			return err
		}
		if info, err := os.Stat(real); err == nil && info.IsDir() && within(real, resolved) {
			return refuse(path, "lies inside the source %s", source)
		}
	}
	if p, err := logdir.OpenPartition(resolved); err == nil && (p.LeaderEpochs != nil || p.Metadata != nil || p.HasName && len(p.Segments) > 0) {
		return refuse(path, "lies in the directory of a partition")
	}
	return checkAncestors(path, resolved)
}
