package salvage

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/kafsck/kafsck/internal/leaderepoch"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/sanity"
)

// carry writes the small files of the partition: the leader epochs of what was
// kept, and the topic id.
func (r *run) carry() error {
	batches := r.batches.History()
	known := r.bestHistory()
	if len(batches) > 0 || len(known) > 0 {
		entries := checkpointFor(known, batches, max(r.writer.start, 0), r.writer.end)
		if err := r.writer.file(logdir.KindLeaderEpochCheckpoint.String(), statefile.AppendLeaderEpochs(nil, entries)); err != nil {
			return err
		}
	}
	metadata := func(p *logdir.Partition) *logdir.Entry { return p.Metadata }
	for m := range stateFiles(r, metadata, statefile.ReadPartitionMetadata) {
		return r.writer.file(logdir.KindPartitionMetadata.String(), statefile.AppendPartitionMetadata(nil, m))
	}
	return nil
}

// stateFiles yields what the replicas' files of one kind hold, in the order of
// the replicas. A file that is of no use is told of.
func stateFiles[T any](r *run, file func(*logdir.Partition) *logdir.Entry, read func(io.ReaderAt, int64) (T, error)) iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range r.job.Replicas {
			p := r.job.Replicas[i].partition
			if p == nil || file(p) == nil {
				continue
			}
			value, err := statefile.ReadFile(file(p).Path, read)
			switch {
			case err == nil:
				if !yield(value) {
					return
				}
			case statefile.Damage(err) != nil:
				r.passOver(i, file(p), Malformed, err.Error())
			default:
				r.merger.streams[i].fail(err)
				r.passOver(i, file(p), Unreadable, err.Error())
			}
		}
	}
}

// bestHistory is the history of the replica that counts, or of the first that
// has a sound checkpoint.
func (r *run) bestHistory() leaderepoch.History {
	if r.merger.authority != nil {
		return r.merger.history
	}
	checkpoint := func(p *logdir.Partition) *logdir.Entry { return p.LeaderEpochs }
	for epochs := range stateFiles(r, checkpoint, statefile.ReadLeaderEpochs) {
		if leaderepoch.Sound(epochs.Entries) {
			return epochs.Entries
		}
	}
	return nil
}

// carryController copies what a controller has besides the log: without the
// checkpoints its log can't be loaded. They are copied as they are, but for those
// with which a controller doesn't start.
func (r *run) carryController(ctx context.Context) error {
	p := r.job.Replicas[0].partition
	if p == nil {
		return nil
	}
	files := p.Checkpoints
	if p.QuorumState != nil {
		files = append(slices.Clone(files), *p.QuorumState)
	}
	for i := range files {
		e := &files[i]
		fault, err := firstFault(ctx, e)
		switch {
		case err != nil:
			return err
		case fault == nil:
			if err := r.copyFile(e); err != nil {
				return err
			}
			r.passOver(0, e, Rebuilt, "copied as it is")
		case fault.Code.Unchecked():
			r.merger.streams[0].fail(fmt.Errorf("%s: %s", e.Path, fault.Message))
			r.passOver(0, e, Unreadable, fault.Message)
		default:
			r.passOver(0, e, Malformed, fault.Message)
		}
	}
	return nil
}

// firstFault is the first error that sanity-check finds in a file, or nil.
func firstFault(ctx context.Context, e *logdir.Entry) (first *sanity.Finding, err error) {
	_, err = sanity.CheckFile(ctx, *e, sanity.Options{Workers: 1}, func(f *sanity.Finding) error {
		if first == nil && f.Severity == sanity.Error {
			first = f
		}
		return nil
	})
	return first, err
}

func (r *run) copyFile(e *logdir.Entry) error {
	source, size, err := r.job.Replicas[0].picture.Open(e.Path)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := r.set.Create(e.Name)
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(tee{target, sum}, io.NewSectionReader(source, 0, size)); err != nil {
		return errors.Join(err, target.Discard())
	}
	if err := target.Commit(); err != nil {
		return err
	}
	r.report.wrote(r.set.Path(e.Name), size, sum.Sum(nil))
	return nil
}

// otherFiles lists the files that were not looked into.
func (r *run) otherFiles() {
	for i := range r.job.Replicas {
		p := r.job.Replicas[i].partition
		if p == nil {
			continue
		}
		for _, e := range p.Files() {
			switch {
			case r.reads(e.Path):
				// What became of its batches is told.
			case e.File.Suffix != logdir.NoSuffix:
				message := "a broker doesn't count it as part of the log"
				if e.File.Kind == logdir.KindLog {
					message += "; to have its batches too, name it with --from"
				}
				r.passOver(i, &e, NotInUse, message)
			case e.File.Kind == logdir.KindLeaderEpochCheckpoint || e.File.Kind == logdir.KindPartitionMetadata:
				if !r.passed[e.Path] {
					r.passOver(i, &e, Rebuilt, "carried over, as far as it is about what is kept")
				}
			case e.File.Kind.IsIndex() || e.File.Kind == logdir.KindProducerSnapshot:
				r.passOver(i, &e, Rebuilt, "made anew from the batches that are kept")
			case e.File.Kind == logdir.KindLog:
				r.passOver(i, &e, NotInUse, "a broker doesn't read it under this name")
			case (e.File.Kind == logdir.KindKRaftCheckpoint || e.File.Kind == logdir.KindQuorumState) && i > 0:
				r.passOver(i, &e, NotInUse, "a controller's file is taken from the first replica only")
			case e.File.Kind == logdir.KindUnknown:
				r.passOver(i, &e, Unknown, "no file that a broker writes")
			}
		}
		for _, issue := range p.UnreadIssues() {
			r.merger.streams[i].fail(issue)
			r.report.left(i, &Left{File: issue.Path, FirstOffset: -1, LastOffset: -1, Reason: Unreadable, Message: fmt.Sprint(issue.Err)})
		}
	}
}

// reads says whether a file is one of those whose batches are read.
func (r *run) reads(path string) bool {
	return slices.ContainsFunc(r.merger.streams, func(s *stream) bool {
		return slices.ContainsFunc(s.logs, func(log *logFile) bool { return log.path == path })
	})
}

func (r *run) passOver(replica int, e *logdir.Entry, reason, message string) {
	if r.passed == nil {
		r.passed = make(map[string]bool)
	}
	r.passed[e.Path] = true
	r.report.left(replica, &Left{File: e.Path, EndPosition: e.Size, FirstOffset: -1, LastOffset: -1, Reason: reason, Message: message})
}
