package brokerlock

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// probe takes a shared lock for an instant and gives it back: the exclusive
// lock of a broker refuses it.
func probe(path string) (Holder, error) {
	f, err := os.Open(path)
	if err != nil {
		return Holder{}, err
	}
	defer func() { _ = f.Close() }()
	handle, region := windows.Handle(f.Fd()), new(windows.Overlapped)
	const all = ^uint32(0)
	err = windows.LockFileEx(handle, windows.LOCKFILE_FAIL_IMMEDIATELY, 0, all, all, region)
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return Holder{Held: true}, nil
	case err != nil:
		return Holder{}, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	if err := windows.UnlockFileEx(handle, 0, all, all, region); err != nil {
		return Holder{}, &fs.PathError{Op: "unlock", Path: path, Err: err}
	}
	return Holder{}, nil
}
