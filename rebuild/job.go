package rebuild

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/ordered"
	"github.com/kafsck/kafsck/internal/statefile"
)

// Job is a partition of which segments are to be rebuilt.
type Job struct {
	Partition *logdir.Partition
	Segments  []logdir.Segment
	LogStart  int64 // from log-start-offset-checkpoint, 0 where it says nothing
}

// Bytes is how much there is to read, at least.
func (j *Job) Bytes() (n int64) {
	for _, segment := range j.Segments {
		if segment.Log != nil {
			n += segment.Log.Size
		}
	}
	return n
}

// Jobs says what there is to do for a path: one job for a .log or a partition
// directory, for a log directory one for each partition that the filter
// chooses. Partitions being deleted are left out: a broker removes them. An
// error in the sequence is about one partition and doesn't end it.
func Jobs(target *logdir.Target, filter *logdir.Filter) iter.Seq2[*Job, error] {
	return func(yield func(*Job, error) bool) {
		switch {
		case target.File != nil:
			yield(fileJob(target.File))
		case target.Partition != nil:
			yield(partitionJob(target.Partition, filter))
		default:
			for _, ref := range filter.Select(target.Dir.Partitions) {
				if ref.Dir.Marker == logdir.Delete {
					continue
				}
				if !yield(refJob(target.Dir, ref, filter)) {
					return
				}
			}
		}
	}
}

func fileJob(file *logdir.Entry) (*Job, error) {
	if file.File.Kind != logdir.KindLog || file.File.Suffix != logdir.NoSuffix || !file.File.HasOffset {
		return nil, fmt.Errorf("%s: no .log, partition directory or log directory", file.Path)
	}
	p, err := logdir.OpenPartition(filepath.Dir(file.Path))
	if err != nil {
		return nil, err
	}
	for _, segment := range p.Segments {
		if segment.Log != nil && segment.Log.Name == file.Name {
			return &Job{Partition: p, Segments: []logdir.Segment{segment}, LogStart: logStart(p)}, nil
		}
	}
	return nil, fmt.Errorf("%s: another file of that base offset is the one in use", file.Path)
}

func partitionJob(p *logdir.Partition, filter *logdir.Filter) (*Job, error) {
	job := &Job{Partition: p, Segments: filter.Segments(p.Segments), LogStart: logStart(p)}
	return job, p.Unread()
}

// refJob opens a partition of a log directory. One that is a link out of it
// lies in no log directory whose lock could be asked for.
func refJob(dir *logdir.Dir, ref logdir.PartitionRef, filter *logdir.Filter) (*Job, error) {
	if ref.Link != "" {
		real, err := filepath.EvalSymlinks(ref.Path)
		if err != nil {
			return nil, err
		}
		root, err := filepath.EvalSymlinks(dir.Path)
		if err != nil {
			return nil, err
		}
		if filepath.Dir(real) != root {
			return nil, fmt.Errorf("%s: %w: to %s", ref.Path, ErrLink, real)
		}
	}
	p, err := ref.Open()
	if err != nil {
		return nil, err
	}
	return partitionJob(p, filter)
}

// logStart is the log start offset that a broker takes for the partition: 0
// where the checkpoint says nothing or can't be read.
func logStart(p *logdir.Partition) int64 {
	offset, _, _, _ := statefile.LogStart(p.Path)
	return max(offset, 0)
}

// Done is what became of a job: plans as far as they came, and why no further.
type Done struct {
	Plans []*Plan
	Err   error
}

// All runs many jobs, several at a time, and yields what became of them in
// their order.
func (r *Rebuilder) All(ctx context.Context, jobs []*Job) iter.Seq2[Done, error] {
	inner := &Rebuilder{r.o}
	inner.o.Workers = 1
	work := func(_ int, job *Job) (done Done) {
		for plan, err := range inner.Partition(ctx, job.Partition, job.Segments, job.LogStart) {
			if err != nil {
				done.Err = err
				break
			}
			done.Plans = append(done.Plans, plan)
		}
		return done
	}
	return ordered.Map(ctx, max(1, r.o.Workers), each(jobs), work, nil)
}
