package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/internal/topiclog"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/sanity"
)

// Result is what Load found.
type Result struct {
	*Image
	Path       string // of the partition directory, or of the file given
	ClusterID  *string
	NodeID     *int32
	Checkpoint *Checkpoint // that the image begins with; nil if it is an empty one
	// LastOffset is that of the last record read, −1 for none, with its epoch
	// and timestamp. Whether a quorum had committed it is not in the files.
	LastOffset    int64
	LastEpoch     int32
	LastTimestamp int64
	Records       int64 // applied, also those of the checkpoint
	Skipped       int64 // could not be decoded, or are of a newer type
	// OpenTransaction is the name of a metadata transaction without end, whose
	// records, Pending of them, are not applied.
	OpenTransaction *string
	Pending         int
	QuorumState     *statefile.QuorumState // nil where there is none
}

// Checkpoint is a KRaft checkpoint.
type Checkpoint struct {
	File      string `json:"file"`
	EndOffset int64  `json:"endOffset"` // exclusive
	Epoch     int32  `json:"epoch"`     // −1 for bootstrap.checkpoint
	// Timestamp is that of the last record in the log which it contains.
	Timestamp int64 `json:"timestamp"`
}

// Load reads the metadata log at a path: a log directory, the directory of
// __cluster_metadata, or one of its logs or checkpoints; up to the offset last,
// itself included, or topiclog.All. What is damaged goes to finding. What can't
// be read is told by the error, beside a result of the rest.
func Load(ctx context.Context, path string, last int64, finding func(sanity.Finding)) (*Result, error) {
	sources, dir, err := topiclog.Find(path, topics.ClusterMetadata)
	if len(sources) == 0 {
		return nil, err
	}
	source := sources[0]
	held := source.Hold()
	defer source.Close()
	l := loader{last: last, finding: finding, result: &Result{Image: newImage(), Path: source.Path, LastOffset: -1, LastEpoch: -1, LastTimestamp: -1}}
	errs := []error{err, held, l.load(ctx, &source)}
	if dir != nil && dir.MetaProperties != nil {
		errs = append(errs, l.properties(dir.MetaProperties.Path))
	}
	if source.QuorumState != nil {
		errs = append(errs, l.quorumState(source.QuorumState.Path))
	}
	return l.result, errors.Join(errs...)
}

func (l *loader) properties(path string) error {
	m, err := statefile.ReadFile(path, statefile.ReadMetaProperties)
	if err != nil {
		return l.stateFile(sanity.MetaPropertiesMalformed, path, err)
	}
	id := m.ID()
	l.result.NodeID, l.result.ClusterID = &id, m.ClusterID
	return nil
}

func (l *loader) quorumState(path string) error {
	q, err := statefile.ReadFile(path, statefile.ReadQuorumState)
	if err != nil {
		return l.stateFile(sanity.QuorumStateMalformed, path, err)
	}
	l.result.QuorumState = &q
	return nil
}

// stateFile makes a finding of a malformed file and leaves other errors alone.
func (l *loader) stateFile(code sanity.Code, path string, err error) error {
	if statefile.Damage(err) == nil {
		return err
	}
	f := sanity.At(code, path)
	f.Message = err.Error()
	l.finding(f)
	return nil
}

// loader reads a metadata log.
type loader struct {
	last    int64
	finding func(sanity.Finding)
	result  *Result
}

func (l *loader) load(ctx context.Context, source *topiclog.Source) error {
	var errs []error
	var sound []Checkpoint
	var newest *checkpoint // of the sound ones: the image of no other is needed
	for _, entry := range source.Checkpoints {
		c, err := l.checkpoint(ctx, source, entry)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", entry.Path, err))
		} else if c.sound && c.EndOffset-1 <= l.last {
			sound, newest = append(sound, c.Checkpoint), &c
		}
	}
	log := logReplay{loader: l, source: source, state: replay{image: l.result.Image}}
	if begin := newest; begin != nil {
		l.result.Checkpoint, l.result.Image = &begin.Checkpoint, begin.state.image
		l.result.Records, l.result.Skipped = begin.state.records, begin.state.skipped
		l.result.LastOffset, l.result.LastEpoch, l.result.LastTimestamp = begin.EndOffset-1, begin.Epoch, begin.Timestamp
		log.state.image, log.from = begin.state.image, begin.EndOffset
	}
	if len(source.Logs) > 0 {
		errs = append(errs, log.run(ctx, source.Logs))
		log.compare(sound)
	}
	return errors.Join(errs...)
}
