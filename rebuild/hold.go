package rebuild

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/kafsck/kafsck/internal/brokerlock"
)

// holds are the locks of log directories that this process has taken, shared
// by the partitions that it works on.
var holds = struct {
	sync.Mutex
	files map[string]*hold
}{files: make(map[string]*hold)}

type hold struct {
	file   *os.File // nil where the lock could only be asked for
	disown func()   // nil where file is
	users  int
}

// guard keeps brokers out of the log directories around a partition directory.
type guard struct{ paths []string }

// newGuard takes the .lock of the log directory that holds dir, under both of
// its paths where dir is a symbolic link. No .lock is fine: no broker ever
// used the directory. It never creates one.
func newGuard(dir string) (*guard, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(absolute)
	if err != nil {
		return nil, err
	}
	g := new(guard)
	for _, parent := range []string{filepath.Dir(absolute), filepath.Dir(real)} {
		path, err := filepath.EvalSymlinks(filepath.Join(parent, brokerlock.Name))
		if errors.Is(err, fs.ErrNotExist) {
			path, err = filepath.Join(parent, brokerlock.Name), nil
		}
		if err == nil {
			err = g.take(path)
		}
		if err != nil {
			g.release()
			return nil, err
		}
	}
	return g, nil
}

func (g *guard) take(path string) error {
	holds.Lock()
	defer holds.Unlock()
	h := holds.files[path]
	if h == nil {
		if err := ask(path); err != nil {
			return err
		}
		file, _, err := takeLock(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		h = &hold{file: file}
		if file != nil {
			info, err := file.Stat()
			if err != nil {
				_ = file.Close()
				return err
			}
			h.disown = brokerlock.Own(info)
		}
		holds.files[path] = h
	}
	h.users++
	g.paths = append(g.paths, path)
	return nil
}

// still asks again where the lock could not be taken.
func (g *guard) still() error {
	holds.Lock()
	defer holds.Unlock()
	for _, path := range g.paths {
		if holds.files[path].file == nil {
			if err := ask(path); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *guard) release() {
	holds.Lock()
	defer holds.Unlock()
	for _, path := range g.paths {
		h := holds.files[path]
		if h.users--; h.users == 0 {
			if h.file != nil {
				h.disown()
				_ = h.file.Close() // drops the lock
			}
			delete(holds.files, path)
		}
	}
	g.paths = nil
}

func ask(path string) error {
	holder, err := brokerlock.Of(filepath.Dir(path))
	switch {
	case err != nil:
		return err
	case holder.Held && holder.PID != 0:
		return fmt.Errorf("%s: %w (process %d)", path, ErrLocked, holder.PID)
	case holder.Held:
		return fmt.Errorf("%s: %w", path, ErrLocked)
	}
	return nil
}
