package loader

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/ratelimit"
	"github.com/kafsck/kafsck/internal/statefile"
)

// The suffixes and extensions that the loader looks for.
const (
	extLog, extIndex, extTime, extTxn = ".log", ".index", ".timeindex", ".txnindex"
	extSnapshot                       = ".snapshot"
	sufDeleted, sufCleaned, sufSwap   = ".deleted", ".cleaned", ".swap"
	checkpointDeleted                 = ".checkpoint.deleted"
	epochsName, metadataName          = "leader-epoch-checkpoint", "partition.metadata"
)

// file is a file of the partition as it would be: what lies on disk, cut to a
// size, or something that the broker writes.
type file struct {
	name   string
	size   int64
	source string // the path of what is read; "" where the broker makes the file
	from   int64  // position in the source at which this file begins
	origin string // its name before the start; "" where the broker makes it

	// producers is what a snapshot holds that the broker writes.
	producers []statefile.ProducerEntry
	// index is what an offset index holds that the broker writes.
	index *offsets
}

// open gives the bytes. What the broker makes, but for snapshots, is zeros: new
// indexes and new logs.
func (l *load) open(f *file) (io.ReaderAt, func(), error) {
	if f.source == "" {
		return zeros{f.size}, func() {}, nil
	}
	r, size, err := l.picture.Open(f.source)
	if err != nil {
		return nil, nil, err
	}
	if size < f.from+f.size {
		_ = r.Close()
		return nil, nil, &os.PathError{Op: "read", Path: f.source, Err: errShrunk}
	}
	closeFile := func() { _ = r.Close() }
	if f.from > 0 {
		return io.NewSectionReader(l.reading(r), f.from, f.size), closeFile, nil
	}
	return l.reading(r), closeFile, nil
}

// reading is r read as the options want it, until the context ends.
func (l *load) reading(r io.ReaderAt) io.ReaderAt {
	if l.options.Reading != nil {
		r = l.options.Reading(r)
	}
	return ratelimit.Until(l.ctx, r)
}

// errShrunk: somebody cuts the file meanwhile, perhaps a broker that runs.
var errShrunk = errors.New("the file has become shorter since it was listed")

// zeros is a file of zero bytes.
type zeros struct{ size int64 }

func (z zeros) ReadAt(p []byte, at int64) (int, error) {
	n := min(int64(len(p)), max(0, z.size-at))
	clear(p[:n])
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// directory is the partition directory as the broker would leave it, step by
// step. Nothing on disk changes.
type directory struct {
	path   string
	files  map[string]*file
	before map[string]int64 // sizes by name

	snapshots snapshots // by their names, as far as a broker gives such
	odd       bool      // a snapshot has, or had, a name that no broker gives
}

func newDirectory(p *logdir.Partition) *directory {
	d := &directory{path: p.Path, files: make(map[string]*file), before: make(map[string]int64)}
	for _, e := range p.Files() {
		d.put(&file{name: e.Name, size: e.Size, source: e.Path, origin: e.Name})
		d.before[e.Name] = e.Size
	}
	return d
}

// names are sorted as Java sorts files of one directory.
func (d *directory) names() []string { return slices.Sorted(maps.Keys(d.files)) }

func (d *directory) has(name string) bool { return d.files[name] != nil }

// put adds a file, in the place of another of its name.
func (d *directory) put(f *file) {
	d.files[f.name] = f
	d.noted(f.name, true)
}

func (d *directory) remove(name string) {
	delete(d.files, name)
	d.noted(name, false)
}

// rename replaces what has the new name. It says whether there was a file.
func (d *directory) rename(from, to string) bool {
	f := d.files[from]
	if f == nil {
		return false
	}
	d.remove(from)
	f.name = to
	d.put(f)
	return true
}

// create makes a file of zeros where there is none.
func (d *directory) create(name string, size int64) *file {
	if f := d.files[name]; f != nil {
		return f
	}
	f := &file{name: name, size: size}
	d.put(f)
	return f
}

// abs is the path in messages.
func (d *directory) abs(name string) string { return filepath.Join(d.path, name) }

// fileName is LogFileUtils.filenamePrefixFromOffset with an extension.
func fileName(offset int64, ext string) string {
	if offset < 0 {
		return fmt.Sprintf("-%020d%s", -offset, ext)
	}
	return fmt.Sprintf("%020d%s", offset, ext)
}

// offsetOf is LogFileUtils.offsetFromFile: the number before the first dot.
// What it throws on another name is seldom caught.
func offsetOf(name string) (int64, *indexfile.KafkaError) {
	before, _, dot := strings.Cut(name, ".")
	if !dot {
		return 0, &indexfile.KafkaError{Class: classStringIndex, Message: fmt.Sprintf("begin 0, end -1, length %d", len(name))}
	}
	n, err := strconv.ParseInt(before, 10, 64)
	if err != nil {
		return 0, &indexfile.KafkaError{Class: classNumberFormat, Message: fmt.Sprintf("For input string: %q", before)}
	}
	return n, nil
}

// indexExts are the indexes that the release knows.
func (l *load) indexExts() []string {
	switch v := l.options.Version; {
	case v.Before(0, 10, 1):
		return []string{extIndex}
	case v.Before(0, 11):
		return []string{extIndex, extTime}
	}
	return []string{extIndex, extTime, extTxn}
}

// exts are the files of a segment.
func (l *load) exts() []string { return append([]string{extLog}, l.indexExts()...) }

func hasSuffix(name string, suffixes []string) bool {
	return slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

func (l *load) isIndexName(name string) bool { return hasSuffix(name, l.indexExts()) }

// maxSegment is the size up to which a .log can be opened.
const maxSegment = math.MaxInt32

// Exceptions of the loader, beside those of package recovery.
const (
	classKafka          = "org.apache.kafka.common.KafkaException"
	classIO             = "java.io.IOException"
	classIllegalArg     = "java.lang.IllegalArgumentException"
	classIllegalState   = "java.lang.IllegalStateException"
	classNoSuchElement  = "java.util.NoSuchElementException"
	classNumberFormat   = "java.lang.NumberFormatException"
	classStringIndex    = "java.lang.StringIndexOutOfBoundsException"
	classInvalidOffset  = "org.apache.kafka.common.errors.InvalidOffsetException"
	classOutOfRange     = "org.apache.kafka.common.errors.OffsetOutOfRangeException"
	classCorruptRecord  = "org.apache.kafka.common.errors.CorruptRecordException"
	classInvalidRecord  = "org.apache.kafka.common.InvalidRecordException"
	classOffsetOverflow = "org.apache.kafka.storage.internals.log.LogSegmentOffsetOverflowException"
	classNullPointer    = "java.lang.NullPointerException"
	classStorage        = "org.apache.kafka.common.errors.KafkaStorageException"
	classCorruptIndex   = "org.apache.kafka.storage.internals.log.CorruptIndexException"
)

func throw(class, message string, args ...any) error {
	return &indexfile.KafkaError{Class: class, Message: fmt.Sprintf(message, args...)}
}
