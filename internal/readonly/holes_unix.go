//go:build linux || darwin || freebsd

package readonly

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// isSparse says whether less is allocated than the size says. So it is with
// file systems that compress, too, which then know of no holes.
func isSparse(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Blocks*512 < info.Size() // a unit of its own, whatever the block size
}

// seekData asks for the next data from position on. behind says that there is
// none up to the end of the file.
func seekData(f *os.File, position int64) (next int64, behind, known bool) {
	next, err := f.Seek(position, unix.SEEK_DATA) // reads go by their own positions
	if errors.Is(err, unix.ENXIO) {
		return 0, true, true
	}
	return next, false, err == nil
}
