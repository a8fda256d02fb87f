package salvage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/kafsck/kafsck/internal/leaderepoch"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/place"
)

// Options say how segments are written.
type Options struct {
	// SegmentBytes is segment.bytes: the size at which a segment is rolled.
	SegmentBytes int64
	// Interval is index.interval.bytes, MaxIndexSize segment.index.bytes.
	Interval     int64
	MaxIndexSize int
	// Reading, where not nil, is put between a salvage and each log that it
	// reads.
	Reading func(io.ReaderAt) io.ReaderAt
	// Tell is given each object of the report: *Salvaged, *Left, *Decision,
	// *Gap, *Written, *Summary.
	Tell func(object any) error
}

// DefaultOptions are the broker's own defaults.
func DefaultOptions() Options {
	return Options{SegmentBytes: 1 << 30, Interval: 4096, MaxIndexSize: 10 << 20}
}

// manifestSuffix ends the name of a partition's manifest.
const manifestSuffix = ".manifest.ndjson"

// Owns says whether a name in the output directory is one that a salvage of
// these partitions gives.
func Owns(jobs []Job) func(name string) bool {
	return func(name string) bool {
		for i := range jobs {
			if name == jobs[i].Name || name == jobs[i].Name+manifestSuffix {
				return true
			}
		}
		return false
	}
}

// ErrDone says that an earlier run has completed the partition.
var ErrDone = errors.New("done by an earlier run")

// Run salvages one partition into out. Where it fails or is interrupted,
// nothing of the partition stays. The summary is told last.
func Run(ctx context.Context, job *Job, out *place.Dir, o Options) (*Summary, error) {
	if done, err := out.Has(job.Name); err != nil || done {
		if done {
			err = ErrDone
		}
		return nil, err
	}
	if there, err := out.Has(job.Name + manifestSuffix); err != nil {
		return nil, err
	} else if there {
		if err := out.Drop(job.Name + manifestSuffix); err != nil {
			return nil, err
		}
	}
	set, err := out.Begin(job.Name)
	if err != nil {
		return nil, err
	}
	manifest, err := out.Create(job.Name + manifestSuffix)
	if err != nil {
		return nil, errors.Join(err, set.Discard())
	}
	r := newRun(job, set, o)
	r.report.tell = func(object any) error {
		line, err := json.Marshal(object)
		if err != nil {
			return err
		}
		if _, err := manifest.Write(append(line, '\n')); err != nil {
			return err
		}
		if o.Tell != nil {
			return o.Tell(object)
		}
		return nil
	}
	if err = r.run(ctx); err == nil {
		err = manifest.Commit()
	}
	if err == nil {
		err = set.Commit()
	}
	if err != nil {
		return nil, errors.Join(err, r.writer.abort(), manifest.Discard(), set.Discard())
	}
	return &r.report.summary, nil
}

// run is one partition under way.
type run struct {
	job     *Job
	set     *place.Set
	report  *reporter
	writer  *writer
	merger  *merger
	batches leaderepoch.Builder
	passed  map[string]bool // files of which it was told that they were left
}

// replicas is how many copies of the partition there are.
func (j *Job) replicas() int {
	n := 0
	for i := range j.Replicas {
		if !j.Replicas[i].swapped {
			n++
		}
	}
	return n
}

func newRun(job *Job, set *place.Set, o Options) *run {
	r := &run{job: job, set: set, report: &reporter{name: job.Name}}
	directory := ""
	if set != nil {
		directory = set.Path("")
	}
	r.report.summary = Summary{
		Type: "salvage-summary", Partition: job.Name, Directory: directory,
		Replicas: job.replicas(), FirstOffset: -1, LogEndOffset: -1, LogStartOffset: Offset(job.LogStart),
	}
	r.writer = newWriter(set, job.Name, o, r.report)
	return r
}

func (r *run) run(ctx context.Context) error {
	defer r.close()
	if err := r.openStreams(ctx); err != nil {
		return err
	}
	r.writer.bases = r.job.Replicas[0].bases()
	if logs := r.merger.streams[0].logs; len(logs) > 0 && logs[len(logs)-1].named {
		r.writer.newest = logs[len(logs)-1].base
	}
	if err := r.copyBatches(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := r.writer.finish(); err != nil {
		return err
	}
	if err := errors.Join(r.carry(), r.carryController(ctx)); err != nil {
		return err
	}
	r.otherFiles()
	r.report.flush()
	r.summarize()
	return r.report.err
}

// close ends what openStreams began, however far it came.
func (r *run) close() {
	r.merger.finish()
	closeAll(r.job.Replicas)
}

func (r *run) openStreams(ctx context.Context) error {
	r.merger = &merger{
		left:    func(s *stream, l *Left) { r.report.left(s.number, l) },
		decided: r.report.decided,
	}
	if err := r.job.hold(); err != nil {
		return err
	}
	logs := 0
	for i := range r.job.Replicas {
		replica := &r.job.Replicas[i]
		s := &stream{name: replica.Path, number: i, logs: replica.logs(), picture: replica.picture, left: r.merger.left, reading: r.writer.options.Reading}
		logs += len(s.logs)
		if len(r.job.Replicas) > 1 {
			var checkpoint *logdir.Entry
			if replica.partition != nil {
				checkpoint = replica.partition.LeaderEpochs
			}
			var err error
			if s.history, err = readHistory(ctx, checkpoint, s); err != nil {
				return err
			}
		}
		r.merger.streams = append(r.merger.streams, s)
	}
	if logs == 0 {
		return noSegments(&r.job.Replicas[0])
	}
	r.merger.chooseAuthority()
	for _, s := range r.merger.streams {
		s.start(ctx)
	}
	return nil
}

// copyBatches is the loop over all batches that are kept.
func (r *run) copyBatches() error {
	for {
		c, err := r.merger.next()
		if c == nil || err != nil {
			return err
		}
		if refusal := r.writer.refuses(c); refusal != nil {
			c.stream.leave(c, Refused, refusal.Error())
			continue
		}
		if r.writer.start >= 0 && c.first > r.writer.end && c.afterLoss {
			r.report.gap(r.writer.end, c.first-1)
		}
		r.batches.Add(&c.batch)
		err = r.writer.add(c)
		c.release()
		if err == nil {
			err = r.report.err
		}
		if err != nil {
			return err
		}
	}
}

// noSegments says that a replica has nothing to read, and what to read instead.
func noSegments(r *Replica) error {
	waiting := func(e logdir.Entry) bool { return e.File.Kind == logdir.KindLog && e.File.Suffix == logdir.Deleted }
	if r.partition != nil && slices.ContainsFunc(r.partition.Leftovers, waiting) {
		return fmt.Errorf("%s: has no segments in use; to salvage those that wait for their deletion, name the files: *.log.deleted", r.Path)
	}
	return fmt.Errorf("%s: has no segments", r.Path)
}

func (r *run) summarize() {
	s := &r.report.summary
	s.Segments = r.writer.segments
	if r.writer.start >= 0 {
		s.LogEndOffset = Offset(r.writer.end)
	}
	s.TailDamaged = true
	for i, stream := range r.merger.streams {
		s.TailDamaged = s.TailDamaged && (stream.lost || r.job.Replicas[i].swapped)
		s.Unreadable += stream.ioErrors
		if stream.failure != nil {
			s.Exit = 1
		}
	}
	if s.Exit == 0 && (s.Left.Ranges > 0 || s.Conflicts > 0) {
		s.Exit = 3
	}
	r.report.say(s)
}
