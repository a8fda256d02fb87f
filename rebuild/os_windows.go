package rebuild

import (
	"io/fs"
	"os"
)

// syncDir: directories can't be synced on Windows; renames are journaled.
func syncDir(string) error { return nil }

// setOwner: a new file inherits its owner and rights from the directory.
func setOwner(*os.File, fs.FileInfo) error { return nil }

// lockDir: directories can't be locked on Windows. Files that another run has
// open can't be removed there.
func lockDir(string) (unlock func(), err error) { return func() {}, nil }
