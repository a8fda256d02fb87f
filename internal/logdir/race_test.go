package logdir

import (
	"errors"
	"io/fs"
	"testing"
)

// raced is an entry of a directory that cannot be looked at any more.
type raced struct {
	fs.DirEntry
	name string
	err  error
}

func (r raced) Name() string               { return r.name }
func (r raced) Info() (fs.FileInfo, error) { return nil, r.err }

// TestVanished: a file that a running broker deletes while it is listed is no
// failure, one that cannot be looked at is.
func TestVanished(t *testing.T) {
	for want, cause := range map[IssueKind]error{Vanished: fs.ErrNotExist, Unreadable: fs.ErrPermission} {
		var l listing
		l.add("d", raced{name: "00000000000000000000.log", err: &fs.PathError{Op: "lstat", Path: "p", Err: cause}})
		p := newPartition("d", l)
		if len(p.Issues) != 1 || p.Issues[0].Kind != want || !errors.Is(p.Issues[0], cause) || len(p.Segments) != 0 {
			t.Errorf("%v: %+v", cause, p)
		}
	}
}
