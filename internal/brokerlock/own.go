package brokerlock

import (
	"io/fs"
	"os"
	"slices"
	"sync"
)

// own are the lock files that this process holds itself.
var own struct {
	sync.Mutex
	files []fs.FileInfo
}

// Own says that this process holds the lock of a file itself, until release is
// called: Of then answers that no other process does, without touching the file,
// which would drop the lock.
func Own(file fs.FileInfo) (release func()) {
	own.Lock()
	defer own.Unlock()
	own.files = append(own.files, file)
	return func() {
		own.Lock()
		defer own.Unlock()
		if i := slices.IndexFunc(own.files, func(f fs.FileInfo) bool { return os.SameFile(f, file) }); i >= 0 {
			own.files = slices.Delete(own.files, i, i+1)
		}
	}
}

func isOwn(file fs.FileInfo) bool {
	own.Lock()
	defer own.Unlock()
	return slices.ContainsFunc(own.files, func(f fs.FileInfo) bool { return os.SameFile(f, file) })
}
