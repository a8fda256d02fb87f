//go:build unix

package rebuild

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// syncDir makes the names in a directory durable. File systems that can't
// sync a directory say EINVAL or ENOTSUP: they have no weaker state either.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// setOwner gives f the owner and the group of another file, if they differ.
func setOwner(f *os.File, like fs.FileInfo) error {
	want, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if have, ok := info.Sys().(*syscall.Stat_t); ok && have.Uid == want.Uid && have.Gid == want.Gid {
		return nil
	}
	return f.Chown(int(want.Uid), int(want.Gid))
}

// lockDir keeps other runs of this program out of a directory until the
// returned function is called. It leaves nothing behind, not even when the
// process is killed.
func lockDir(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = d.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errBusy
		}
		return func() {}, nil // a file system without locks
	}
	return func() { _ = d.Close() }, nil
}
