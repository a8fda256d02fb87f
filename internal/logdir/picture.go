package logdir

import (
	"errors"
	"io/fs"
	"slices"
	"sync/atomic"
	"time"

	"github.com/kafsck/kafsck/internal/readonly"
)

// Picture is a partition as it was at one moment, for those who read several of
// its files and tell what they say together. A running broker makes, renames and
// deletes files one by one while they are read; of a picture, it can't.
type Picture struct {
	*Partition
	held map[string]keptFile
}

type keptFile struct {
	file *readonly.File
	size int64
}

// mostKept is how many files all pictures hold open; those behind are opened when
// they are read. Systems allow 1024 at the least.
const mostKept = 500

// kept is how many there are.
var kept atomic.Int64

// Hold lists the partition anew where a broker is running, and opens those of
// its files that are chosen, so that they stay as they are now, whatever becomes
// of their names. Where no broker runs the picture is the listing at hand, and
// files are opened when they are read. The error is about the directory; it is a
// GoneError where that has gone.
func (p *Partition) Hold(files func(*Partition) []Entry) (*Picture, error) {
	if !HeldAround(p.Path) {
		return &Picture{Partition: p}, nil
	}
	now, err := p.relist()
	for try := 1; err == nil; try++ {
		picture := &Picture{now, make(map[string]keptFile)}
		chosen := files(now)
		whole := picture.open(chosen)
		if now, err = p.relist(); try == MostTries || whole && err == nil && slices.EqualFunc(chosen, files(now), sameName) {
			return picture, nil
		}
		picture.Close()
		time.Sleep(listPause)
	}
	return nil, err
}

func sameName(a, b Entry) bool { return a.Name == b.Name }

// open opens files. It is false where one of them has gone.
func (p *Picture) open(files []Entry) bool {
	for i := range files {
		if kept.Load() >= mostKept {
			return true
		}
		f, size, err := OpenFile(files[i].Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return false
		case err != nil:
			continue // told by whoever opens it
		}
		kept.Add(1)
		p.held[files[i].Path] = keptFile{f, size}
	}
	return true
}

// Open opens a listed file, or gives the one that is held, with the size that it
// had then. Without one of its files the picture isn't whole: that a file has gone
// is an error like any other.
func (p *Picture) Open(path string) (*Kept, int64, error) {
	if p != nil {
		if k, ok := p.held[path]; ok {
			return &Kept{k.file, true}, k.size, nil
		}
	}
	f, size, err := OpenFile(path)
	if err != nil {
		return nil, 0, err
	}
	return &Kept{f, false}, size, nil
}

// Close closes what is held.
func (p *Picture) Close() {
	if p == nil {
		return
	}
	for path, k := range p.held {
		_ = k.file.Close()
		kept.Add(-1)
		delete(p.held, path)
	}
}

// Kept is an open file of a picture.
type Kept struct {
	*readonly.File
	held bool
}

// Close closes the file, unless the picture holds it.
func (k *Kept) Close() error {
	if k.held {
		return nil
	}
	return k.File.Close()
}

// Logs are the logs of all segments, by base offset: what most pictures are of.
func (p *Partition) Logs() []Entry { return Logs(p.Segments) }

// Logs are the logs of segments.
func Logs(segments []Segment) []Entry {
	var logs []Entry
	for i := range segments {
		if log := segments[i].Log; log != nil {
			logs = append(logs, *log)
		}
	}
	return logs
}
