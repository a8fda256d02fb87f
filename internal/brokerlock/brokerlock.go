// Package brokerlock says whether a process holds the .lock file of a log
// directory. A running broker holds it exclusively from start to stop
// (LogManager.lockLogDirs, FileLock.java). Asking takes no lock and changes
// nothing, except on Windows, where nothing but trying tells.
package brokerlock

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Name is the name of the file within a log directory. It stays behind when
// the broker stops: what counts is the lock, not the file.
const Name = ".lock"

// Holder is what is known of the process that holds the lock.
type Holder struct {
	Held bool
	// PID is the process, 0 where the system does not tell or it lives in
	// another PID namespace.
	PID int
}

// Of asks for the lock of a log directory. No file is no lock. An error
// means that nobody knows: a caller that is about to write must refuse then.
func Of(logDir string) (Holder, error) {
	h, err := probe(filepath.Join(logDir, Name))
	if errors.Is(err, fs.ErrNotExist) {
		return Holder{}, nil
	}
	if err != nil {
		return h, fmt.Errorf("ask for the lock of a broker: %w", err)
	}
	return h, nil
}
