package logdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kafsck/kafsck/internal/readonly"
)

// Entry is one file, or in a log directory one partition directory.
type Entry struct {
	Name    string // last element of Path
	Path    string // as reached from the argument
	File    Name   // what the name says; of a directory without meaning
	Size    int64
	ModTime time.Time
	// Link is where the entry leads if it is a symbolic link, as the link
	// itself puts it; else "".
	Link string
}

// Issue is something about an entry that a listing could not pass over in
// silence.
type Issue struct {
	Path string
	Kind IssueKind
	Err  error // never nil; its text does not repeat Path
}

// Error names the path and the cause.
func (i Issue) Error() string { return i.Path + ": " + i.Err.Error() }

// Unwrap gives access to the cause.
func (i Issue) Unwrap() error { return i.Err }

// unread are the issues of what could not be looked at; live says whether a
// broker runs.
func unread(issues []Issue, live func() bool) (list []Issue) {
	for _, issue := range issues {
		if issue.Kind == Unreadable || issue.Kind == Vanished && !live() {
			list = append(list, issue)
		}
	}
	return list
}

func joined(issues []Issue) error {
	var errs []error
	for _, issue := range issues {
		errs = append(errs, issue)
	}
	return errors.Join(errs...)
}

// IssueKind says what an issue means for the result.
type IssueKind uint8

// The kinds of issue.
const (
	// Unreadable: the entry could not be looked at. It is unchecked.
	Unreadable IssueKind = iota + 1
	// Vanished: it was there in the listing and is gone. On the directory of
	// a running broker that is normal.
	Vanished
	// NotAFile: a directory, pipe, socket or device with a file's name, or
	// a file where a directory should be. A broker ignores it.
	NotAFile
	// LeadsOutside: a symbolic link whose target is not below the directory.
	// It is followed, as a broker does; what is read is not in this directory.
	LeadsOutside
	// SecondName: another file with the same meaning is the one in use.
	SecondName
)

// listing is the result of reading one directory once.
type listing struct {
	files  []Entry // regular files, also behind a link, by name
	dirs   []Entry // directories, also behind a link, by name
	issues []Issue
}

// readDir lists a directory. The error is that of the directory itself; what
// could be read before it is returned with it.
func readDir(dir string) (listing, error) {
	var l listing
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		l.add(dir, e)
	}
	return l, err
}

func (l *listing) issue(path string, kind IssueKind, err error) {
	l.issues = append(l.issues, Issue{Path: path, Kind: kind, Err: err})
}

func (l *listing) add(dir string, d fs.DirEntry) {
	entry := Entry{Name: d.Name(), Path: filepath.Join(dir, d.Name()), File: ParseName(d.Name())}
	info, err := d.Info()
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		info, err = l.follow(dir, &entry)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.issue(entry.Path, Vanished, withoutPath(err))
		return
	case err != nil:
		l.issue(entry.Path, Unreadable, withoutPath(err))
		return
	}
	entry.Size, entry.ModTime = info.Size(), info.ModTime()
	switch {
	case info.IsDir():
		l.dirs = append(l.dirs, entry)
	case info.Mode().IsRegular():
		l.files = append(l.files, entry)
	default:
		l.issue(entry.Path, NotAFile, fmt.Errorf("is a %s, not a file", typeName(info.Mode())))
	}
}

// follow looks behind a symbolic link and notes one that leads away.
func (l *listing) follow(dir string, entry *Entry) (fs.FileInfo, error) {
	link, err := os.Readlink(entry.Path)
	if err != nil {
		return nil, err
	}
	entry.Link = link
	info, err := os.Stat(entry.Path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("symbolic link to %q, which does not exist", link)
		}
		return nil, err
	}
	inside, err := leadsInside(dir, entry.Path)
	if err != nil {
		return nil, err
	}
	if !inside {
		l.issue(entry.Path, LeadsOutside, fmt.Errorf("symbolic link to %q, outside of the directory; it is followed", link))
	}
	return info, nil
}

// leadsInside says whether the target of a link lies below dir.
func leadsInside(dir, path string) (bool, error) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false, err
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false, err
	}
	if root, err = filepath.Abs(root); err != nil {
		return false, err
	}
	if target, err = filepath.Abs(target); err != nil {
		return false, err
	}
	rel, err := filepath.Rel(root, target)
	if err != nil {
		return false, nil // no relative path: the target is on another volume
	}
	return rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)), nil
}

// withoutPath is the cause of a path error: the path is said elsewhere.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func typeName(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// OpenFile opens a listed file read-only and returns its size at that moment.
// Anything but a regular file is refused before it is opened: opening a named
// pipe would wait. A file that vanished since it was listed gives an error for
// which errors.Is(err, fs.ErrNotExist) holds.
//
// A broker that rolls a segment cuts the preallocated zeros off its log and its
// indexes (LogSegment.onBecomeInactiveSegment): while one holds the log
// directory, they are read as zeros all the same.
func OpenFile(path string) (*readonly.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s: is a %s, not a file", path, typeName(info.Mode()))
	}
	f, size, err := readonly.Open(path)
	if err == nil {
		f.PadWhile(func() bool { return HeldNear(path) })
	}
	return f, size, err
}
