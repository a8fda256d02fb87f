package loader

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/ordered"
	"github.com/kafsck/kafsck/internal/statefile"
)

// DirOptions say how a log directory is loaded.
type DirOptions struct {
	// Options hold for every partition; what the log directory says of a stop
	// and of offsets is put into them.
	Options
	Unclean         bool // in spite of a clean-shutdown marker
	NoRecoveryPoint bool // in spite of a checkpoint
	Filter          logdir.Filter
	Workers         int
}

// Start is the start of a broker on a log directory, before the partitions
// (LogManager.loadLogs).
type Start struct {
	Path string
	// Marker says that the clean-shutdown marker is there; Clean that it
	// counts.
	Marker, Clean bool
	// Failure keeps the broker from loading any partition; FailurePath is what
	// it is about.
	Failure     *indexfile.KafkaError
	FailurePath string
	// RecoveryPointsFault and LogStartsFault say why a checkpoint does not
	// count: a broker then takes 0 for all partitions.
	RecoveryPointsFault, LogStartsFault error
	// Partitions is how many are loaded.
	Partitions int

	options DirOptions
	refs    []logdir.PartitionRef
	points  statefile.PartitionOffsets
	starts  statefile.PartitionOffsets
	seen    map[string]string
}

// Dir reads what a log directory says of all its partitions.
func Dir(d *logdir.Dir, o DirOptions) (*Start, error) {
	if err := d.Unread(); err != nil {
		return nil, err
	}
	s := &Start{Path: d.Path, Marker: d.CleanShutdown != nil, options: o, seen: make(map[string]string)}
	s.Clean = s.Marker && !o.Unclean
	s.refs = o.Filter.Select(d.Partitions)
	s.Partitions = len(s.refs)
	var err error
	if !o.Version.Before(0, 8, 1) && !o.NoRecoveryPoint {
		if s.points, s.RecoveryPointsFault, err = readCheckpoint(d.RecoveryPoints); err != nil {
			return nil, err
		}
	}
	if !o.Version.Before(0, 11) {
		if s.starts, s.LogStartsFault, err = readCheckpoint(d.LogStarts); err != nil {
			return nil, err
		}
	}
	return s, s.fatal(d)
}

// readCheckpoint reads an offset checkpoint. One with a fault counts as empty.
func readCheckpoint(e *logdir.Entry) (offsets statefile.PartitionOffsets, fault, err error) {
	if e == nil {
		return nil, nil, nil
	}
	c, err := statefile.ReadFile(e.Path, statefile.ReadOffsetCheckpoint)
	if statefile.Damage(err) != nil {
		return nil, err, nil
	}
	return c.ByPartition(), nil, err
}

// fatal finds what keeps the broker from loading anything.
func (s *Start) fatal(d *logdir.Dir) error {
	if m := d.MetaProperties; m != nil {
		_, err := statefile.ReadFile(m.Path, statefile.ReadMetaProperties)
		err = thrownBy(err, m.Path)
		if err != nil && !errors.As(err, &s.Failure) {
			return err
		}
		if s.Failure != nil {
			s.FailurePath = m.Path
			return nil
		}
	}
	if len(d.UnknownDirs) > 0 {
		e := d.UnknownDirs[0]
		s.FailurePath = e.Path
		s.Failure = &indexfile.KafkaError{Class: classKafka, Message: fmt.Sprintf(
			"Found directory %s, '%s' is not in the form of topic-partition or topic-partition.uniqueId-delete (if marked for deletion).\n"+
				"Kafka's log directories (and children) should only contain Kafka topic data.", e.Path, e.Name)}
	}
	return nil
}

// optionsOf are those of one partition of the directory.
func (s *Start) optionsOf(ref logdir.PartitionRef) Options {
	o := s.options.Options
	if ref.Dir.Topic == logdir.MetadataTopic && ref.Dir.Marker == logdir.NoMarker {
		// The controller opens its log as after an unclean stop, always.
		o.Clean, o.RecoveryPoint, o.LogStart = false, 0, 0
		return o
	}
	o.Clean = s.Clean
	o.RecoveryPoint, _ = s.points.Lookup(ref.Dir.Topic, ref.Dir.Partition)
	o.LogStart, _ = s.starts.Lookup(ref.Dir.Topic, ref.Dir.Partition)
	return o
}

// Loaded is the plan for one partition directory, or why there is none.
type Loaded struct {
	Path string
	Plan *Plan
	Err  error
}

// Plans yields the plans of the partitions in path order. It can be ranged over
// once.
func (s *Start) Plans(ctx context.Context) iter.Seq[Loaded] {
	refs := func(yield func(logdir.PartitionRef, error) bool) {
		for _, ref := range s.refs {
			if !yield(ref, nil) {
				return
			}
		}
	}
	return func(yield func(Loaded) bool) {
		work := func(_ int, ref logdir.PartitionRef) Loaded { return s.load(ctx, ref) }
		for loaded, err := range ordered.Map(ctx, max(1, s.options.Workers), refs, work, nil) {
			if err != nil {
				loaded = Loaded{Path: s.Path, Err: err}
			}
			if loaded.Plan != nil {
				s.duplicate(loaded.Plan)
			}
			if !yield(loaded) {
				return
			}
		}
	}
}

func (s *Start) load(ctx context.Context, ref logdir.PartitionRef) Loaded {
	p, err := ref.Open()
	if err != nil {
		return Loaded{Path: ref.Path, Err: err}
	}
	if s.Failure != nil {
		return Loaded{Path: ref.Path, Plan: untouched(p, s.optionsOf(ref), s.Failure)}
	}
	plan, err := Partition(ctx, p, s.optionsOf(ref))
	return Loaded{Path: ref.Path, Plan: plan, Err: err}
}

// duplicate finds a second directory of one partition, which stops the broker
// when both are loaded.
func (s *Start) duplicate(p *Plan) {
	if p.Marker == logdir.Delete || p.Marker == logdir.Stray || p.Metadata || !p.Loads {
		return
	}
	key := p.Partition + " " + string(p.Marker)
	other, twice := s.seen[key]
	s.seen[key] = p.Path
	if !twice {
		return
	}
	p.Loads = false
	p.Failure = &indexfile.KafkaError{Class: classIllegalState, Message: fmt.Sprintf(
		"Duplicate log directories for %s are found in both %s and %s.", p.Partition, p.Path, other)}
}

// untouched is the plan where the broker stops before it comes to a partition.
func untouched(p *logdir.Partition, o Options, failure *indexfile.KafkaError) *Plan {
	plan := &Plan{Path: p.Path, Partition: partitionOf(p), Options: o, Failure: failure, Lost: noLoss(), Behind: noLoss(), Marker: p.Dir.Marker,
		Metadata: p.HasName && p.Dir.Topic == logdir.MetadataTopic}
	for _, s := range p.Segments {
		if s.Log == nil {
			continue
		}
		plan.Segments = append(plan.Segments, Segment{s.BaseOffset, s.Log.Size})
		plan.Decisions = append(plan.Decisions, Decision{File: filepath.Clean(s.Log.Path), BaseOffset: s.BaseOffset, Action: Keep,
			SizeBefore: s.Log.Size, SizeAfter: s.Log.Size, Position: -1, Reason: reasonFails, Lost: noLoss()})
	}
	return plan
}
