//go:build !linux && !darwin && !freebsd

package readonly

import (
	"io/fs"
	"os"
)

func isSparse(fs.FileInfo) bool { return false }

func seekData(_ *os.File, position int64) (next int64, behind, known bool) {
	return position, false, false
}
