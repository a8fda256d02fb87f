//go:build unix

package rebuild

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// takeLock takes the lock that a broker would take, for as long as the file
// stays open: no broker can start on the log directory meanwhile. ok is false
// where the lock can't be taken for want of rights or support.
//
// Closing any descriptor of the file drops the lock: nobody else in this
// process may open it while it is held, which brokerlock.Own sees to.
func takeLock(path string) (held *os.File, ok bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, false, nil // asking is left, which needs less
	}
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lock)
	if err == nil {
		return f, true, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return nil, false, ErrLocked
	}
	return nil, false, nil
}
