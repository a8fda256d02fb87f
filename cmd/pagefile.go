package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/lookup"
	"github.com/kafsck/kafsck/internal/page"
	"github.com/kafsck/kafsck/internal/place"
	"github.com/kafsck/kafsck/sanity"
)

// pageFlags are the flags of commands that write a page into a file.
type pageFlags struct {
	file    string
	force   bool
	reading func(io.ReaderAt) io.ReaderAt // around the log; may be nil
}

func (p *pageFlags) addFlags(f *pflag.FlagSet, what string) {
	f.StringVar(&p.file, "html", "", what+" as one page into this new `FILE`")
	f.BoolVar(&p.force, "force", false, "with --html: replace the FILE if it is there")
}

func (p *pageFlags) check(f *pflag.FlagSet) error {
	switch {
	case f.Changed("html") && p.file == "":
		return usageErrorf("--html is empty")
	case p.force && p.file == "":
		return usageErrorf("--force belongs to --html")
	}
	return nil
}

// write writes a page of what lies at source. It has the file's name when it is
// complete; on an error there is nothing new.
func (p *pageFlags) write(source string, content func(w io.Writer) error) error {
	f, err := place.NewFile(p.file, place.FileOptions{Sources: []string{source}, Replace: p.force})
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	if err := errors.Join(content(out), out.Flush()); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}

// segmentPage writes the page of one segment. Trouble with its index is
// reported and leaves the index out.
func (p *pageFlags) segmentPage(ctx context.Context, e *emitter, source, log string, r *lookup.Result) error {
	name := logdir.ParseName(filepath.Base(log))
	if !name.HasOffset {
		return fmt.Errorf("%s: a page needs a .log named by its base offset", log)
	}
	return p.write(source, func(w io.Writer) error {
		f, size, err := logdir.OpenFile(log)
		if err != nil {
			return err
		}
		defer f.Close()
		var reader io.ReaderAt = f
		if p.reading != nil {
			reader = p.reading(f)
		}
		segment, err := page.ReadSegment(ctx, reader, size, log, name.BaseOffset)
		if err != nil {
			return err
		}
		if r == nil { // else the lookup has told what it met
			for _, damage := range segment.Damage {
				e.finding(sanity.FromCorrupt(damage))
			}
		}
		readPageIndex(e, segment, log)
		version, _, _ := versionInfo()
		return segment.Write(w, version, r)
	})
}

func readPageIndex(e *emitter, segment *page.Segment, log string) {
	path := logdir.SiblingPath(log, logdir.KindOffsetIndex)
	target, err := logdir.Open(path)
	if err != nil || target.File == nil {
		return // the page says that there is none
	}
	f, size, err := logdir.OpenFile(path)
	if err != nil {
		e.failed(err)
		return
	}
	defer f.Close()
	r := indexfile.NewOffsetReader(f, size, segment.BaseOffset)
	r.File = path
	if err := segment.ReadIndex(r); err != nil {
		e.failed(err)
	}
}

// pageOfIndex writes the page that index --html asks for: of a .log or an
// index, or of a partition's largest segment.
func (p *pageFlags) pageOfIndex(ctx context.Context, e *emitter, paths []string) error {
	if len(paths) != 1 {
		return usageErrorf("--html makes one page: give one PATH")
	}
	path := paths[0]
	target, err := logdir.Open(path)
	if err != nil {
		return err
	}
	log := ""
	switch {
	case target.Dir != nil:
		return fmt.Errorf("%s: is a log directory; --html needs a partition or a .log of it", path)
	case target.Partition != nil:
		size, segments := int64(-1), 0
		for i := range target.Partition.Segments {
			if s := &target.Partition.Segments[i]; s.Log != nil {
				segments++
				if s.Log.Size > size {
					log, size = s.Log.Path, s.Log.Size
				}
			}
		}
		if segments > 1 {
			e.note("%s: the page is of the largest of %d segments, %s", quoted(path), segments, quoted(filepath.Base(log)))
		}
	case target.File.File.Kind == logdir.KindLog:
		log = path
	default:
		log = logdir.SiblingPath(path, logdir.KindLog)
	}
	if log == "" {
		return fmt.Errorf("%s: --html needs a .log", path)
	}
	if err := p.segmentPage(ctx, e, path, log, nil); err != nil {
		return err
	}
	return e.end()
}

// pageOfLookup writes the page of the segment where a lookup ended.
func (p *pageFlags) pageOfLookup(ctx context.Context, e *emitter, partition *lookup.Partition, r *lookup.Result) error {
	segment := &partition.Segments[0]
	switch {
	case len(r.Walks) > 0:
		segment = r.Walks[len(r.Walks)-1].Segment
	case r.Why != lookup.BeforeStart:
		segment = &partition.Segments[len(partition.Segments)-1]
	}
	return p.segmentPage(ctx, e, partition.Path, segment.Log.Path, r)
}
