package bundle

import (
	"errors"
	"fmt"
	"os"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
)

// item is a file, and how its path is shown.
type item struct {
	entry logdir.Entry
	shown string
}

// fileObject is a line of the list of files.
type fileObject struct {
	Type       string `json:"type"`
	File       string `json:"file"`
	Kind       string `json:"kind"`
	Size       int64  `json:"size"`
	Allocated  *int64 `json:"allocated"` // bytes on the disk, where the system tells
	Sparse     *bool  `json:"sparse"`
	Mode       string `json:"mode"`
	ModifiedMs int64  `json:"modifiedMs"`
	Link       bool   `json:"link"`
}

// list finds the files, and learns the names on the way.
func (b *builder) list(t *logdir.Target) []item {
	var entries []logdir.Entry
	partition := func(p *logdir.Partition) {
		if p.HasName {
			b.names.topic(p.Dir.Topic)
		}
		chosen := b.options.Filter.Chosen(p)
		for _, e := range p.Files() {
			if chosen(e) {
				entries = append(entries, e)
			}
		}
	}
	switch {
	case t.File != nil:
		entries = append(entries, *t.File)
	case t.Partition != nil:
		partition(t.Partition)
	case t.Dir != nil:
		entries = append(entries, t.Dir.Files()...)
		b.learn(t.Dir)
		for _, ref := range b.options.Filter.Select(t.Dir.Partitions) {
			p, err := ref.Open()
			if err != nil {
				why := goneSince
				if !isGone(ref.Path, err) {
					why = b.names.text(err.Error())
					b.result.Failures = append(b.result.Failures, err)
				}
				b.result.LeftOut = append(b.result.LeftOut, Omission{File: b.names.path(ref.Path), What: "the partition", Why: why})
				continue
			}
			partition(p)
		}
		b.unread(t.Dir)
	}
	items := make([]item, len(entries))
	for i, e := range entries {
		if e.File.Kind == logdir.KindUnknown {
			b.names.name(e.Name)
		}
		if e.File.Kind == logdir.KindLog {
			b.logSizes[e.Path] = e.Size
		}
		items[i] = item{e, b.names.path(e.Path)}
	}
	return items
}

// learn makes all names known that messages about a log directory may have.
func (b *builder) learn(d *logdir.Dir) {
	for _, ref := range d.Partitions {
		b.names.topic(ref.Dir.Topic)
	}
	for _, e := range d.UnknownDirs {
		b.names.name(e.Name)
	}
	for _, e := range d.Files() {
		if !e.File.Kind.IsOffsetCheckpoint() {
			continue
		}
		if c, err := statefile.ReadFile(e.Path, statefile.ReadOffsetCheckpoint); err == nil {
			for i := range c.Entries {
				b.names.topic(c.Entries[i].Topic)
			}
		}
	}
}

// unread notes what of a log directory isn't looked into.
func (b *builder) unread(d *logdir.Dir) {
	for _, e := range d.UnknownDirs {
		b.result.LeftOut = append(b.result.LeftOut, Omission{File: b.names.path(e.Path), What: "the directory", Why: "its name is not that of a partition"})
	}
	if d.RemoteIndexCache != nil {
		b.result.LeftOut = append(b.result.LeftOut, Omission{File: b.names.path(d.RemoteIndexCache.Path), What: "the directory", Why: "its files belong to segments that are elsewhere"})
	}
	if left := len(d.Partitions) - len(b.options.Filter.Select(d.Partitions)); left > 0 {
		b.result.LeftOut = append(b.result.LeftOut, Omission{What: fmt.Sprintf("%d partitions", left), Why: "--topic or --partition"})
	}
}

// files adds the list of files.
func (b *builder) files(list []item) error {
	l := b.lines("files.ndjson", "the files: sizes, modes, times")
	for i := range list {
		e := &list[i].entry
		o := fileObject{Type: "file", File: list[i].shown, Kind: e.File.Kind.String(), Size: e.Size, ModifiedMs: e.ModTime.UnixMilli(), Link: e.Link != ""}
		if info, err := os.Stat(e.Path); err == nil {
			o.Mode = info.Mode().String()
			if n, ok := allocated(info); ok {
				sparse := n < info.Size()-info.Size()%4096
				o.Allocated, o.Sparse = &n, &sparse
			}
		}
		_ = l.encoder.Encode(o) // its end tells
	}
	return l.w.end()
}

// isReading says whether reading failed, as opposed to what was read.
func isReading(err error) bool {
	var index *indexfile.ReadError
	return errors.As(err, &index) || errors.Is(err, statefile.ErrRead)
}
