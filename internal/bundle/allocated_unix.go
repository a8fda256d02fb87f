//go:build unix

package bundle

import (
	"io/fs"
	"syscall"
)

// allocated is how many bytes a file has on the disk.
func allocated(info fs.FileInfo) (int64, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return stat.Blocks * 512, true
}
