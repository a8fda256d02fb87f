//go:build unix

package brokerlock

import (
	"io"
	"io/fs"
	"os"
	"syscall"
)

// probe asks for a lock that conflicts with the one that Java's FileLock
// takes: a POSIX record lock for writing over the whole file. F_GETLK only
// asks, so the file may be open read-only and lie on a read-only mount.
//
// Closing a file drops all POSIX locks that this very process holds on it, so
// what was taken with Own is not asked about.
func probe(path string) (Holder, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Holder{}, err
	}
	if info.Mode()&fs.ModeNamedPipe != 0 {
		return Holder{}, nil // no broker locks one, and opening it would wait for a writer
	}
	if isOwn(info) {
		return Holder{}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return Holder{}, err
	}
	defer func() { _ = f.Close() }()
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock); err != nil {
		return Holder{}, &fs.PathError{Op: "fcntl", Path: path, Err: err}
	}
	if lock.Type == syscall.F_UNLCK {
		return Holder{}, nil
	}
	return Holder{Held: true, PID: max(0, int(lock.Pid))}, nil
}
