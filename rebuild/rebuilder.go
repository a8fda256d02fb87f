package rebuild

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/ordered"
	"github.com/kafsck/kafsck/internal/place"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/sanity"
)

// Rebuilder plans and writes the indexes of partitions. It may be used by
// several goroutines, each on a partition of its own.
type Rebuilder struct{ o Options }

// New makes a Rebuilder.
func New(o Options) *Rebuilder { return &Rebuilder{o.withDefaults()} }

// Partition rebuilds the indexes of the given segments of a partition, which
// are in order of base offset, and yields one plan for each, in that order.
// logStart is the partition's entry in log-start-offset-checkpoint, or 0. A
// segment that was refused or failed has the reason in its plan; the error is
// one of the whole partition, which was then not touched (any further).
func (r *Rebuilder) Partition(ctx context.Context, p *logdir.Partition, segments []logdir.Segment, logStart int64) iter.Seq2[*Plan, error] {
	return func(yield func(*Plan, error) bool) {
		run := &partitionRun{o: &r.o, ctx: ctx, partition: p, logStart: logStart, damagedFrom: -1}
		defer run.close()
		if err := run.prepare(); err != nil {
			yield(nil, err)
			return
		}
		withLogs := make([]logdir.Segment, 0, len(segments))
		for _, segment := range segments {
			if segment.Log != nil {
				withLogs = append(withLogs, segment)
			}
		}
		// One segment is read once; of several the transactions, which depend
		// on the segment before, are read in a second pass where there are any.
		alone := len(withLogs) == 1
		work := func(_ int, segment logdir.Segment) *scan { return run.scan(segment, alone) }
		drop := func(s *scan) { s.close() }
		for s, err := range ordered.Map(ctx, max(1, r.o.Workers), each(withLogs), work, drop) {
			if err != nil {
				yield(nil, err)
				return
			}
			plan := run.finish(s)
			s.close()
			if ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
			if !yield(plan, nil) {
				return
			}
		}
	}
}

func each[T any](values []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range values {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// partitionRun is the work on one partition.
type partitionRun struct {
	o         *Options
	ctx       context.Context
	partition *logdir.Partition
	logStart  int64

	out    string // where indexes are written, resolved; "" where nowhere
	guard  *guard
	unlock func()
	beside sanity.Beside
	live   bool // a dry run beside a broker: files may grow, be cut and go

	// The producers behind the last segment, where that is known.
	before *recovery.Before
	// damagedFrom is the base offset of a damaged segment: behind it, no
	// replay tells the truth; −1 none.
	damagedFrom int64
}

func (run *partitionRun) close() {
	if run.unlock != nil {
		run.unlock()
	}
	if run.guard != nil {
		run.guard.release()
	}
}

// prepare makes sure that writing is allowed, before anything is read.
func (run *partitionRun) prepare() (err error) {
	path := run.partition.Path
	switch {
	case run.o.InPlace:
		if run.guard, err = newGuard(path); err != nil {
			return err
		}
		if run.out, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	case run.o.OutDir != "":
		if run.out, err = run.outDir(); err != nil {
			return err
		}
	default:
		run.live = logdir.HeldAround(path)
		return nil
	}
	if run.unlock, err = lockDir(run.out); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return run.removeLeftovers()
}

// outDir makes the directory below OutDir that stands for the partition.
func (run *partitionRun) outDir() (string, error) {
	out := run.o.OutDir
	if run.partition.HasName {
		absolute, err := filepath.Abs(run.partition.Path)
		if err != nil {
			return "", err
		}
		out = filepath.Join(out, filepath.Base(absolute))
	}
	if err := place.Outside(out); err != nil {
		return "", err
	}
	if err := run.o.FS.MkdirAll(out); err != nil {
		return "", err
	}
	a, err := os.Stat(out)
	if err != nil {
		return "", err
	}
	if b, err := os.Stat(run.partition.Path); err != nil || os.SameFile(a, b) {
		return "", errors.Join(err, fmt.Errorf("%s: the output directory is the partition itself: --in-place does that, and keeps the old files", out))
	}
	there, err := logdir.OpenPartition(out)
	if err != nil {
		return "", err
	}
	for _, segment := range there.Segments {
		if segment.Log != nil {
			return "", fmt.Errorf("%s: %w: it holds a log, and indexes of another one don't belong beside it", out, place.ErrRefused)
		}
	}
	return filepath.EvalSymlinks(out)
}

// removeLeftovers removes what a killed run left: files that no Kafka and
// nobody else names like that. The lock of the directory says that no such run
// is at work.
func (run *partitionRun) removeLeftovers() error {
	names, err := run.o.FS.Names(run.out)
	if err != nil {
		return err
	}
	removed := false
	for _, name := range names {
		parsed := logdir.ParseName(name)
		if parsed.Suffix != logdir.Rebuilding || !parsed.Kind.IsIndex() || !strings.HasSuffix(name, "."+string(logdir.Rebuilding)) {
			continue
		}
		path := inDir(run.out, name)
		if info, err := run.o.FS.Lstat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := run.o.FS.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove what an interrupted run left: %w", err)
		}
		removed = true
	}
	if removed {
		return run.o.FS.SyncDir(run.out)
	}
	return nil
}
