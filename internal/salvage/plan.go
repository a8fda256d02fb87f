package salvage

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
)

// Replica is one copy of a partition.
type Replica struct {
	Path string
	// partition is its directory's listing; nil for single files.
	partition *logdir.Partition
	files     []logdir.Entry // single files
	// swapped says that these files are of the replica before, in whose
	// directory a broker is going to put them in place.
	swapped bool

	filter  *logdir.Filter  // of the segments; nil chooses all, and what is swapped
	picture *logdir.Picture // opens the files; nil: from the disk
}

// Job is a partition to salvage.
type Job struct {
	Name     string // of the directory that is made
	Replicas []Replica
	// LogStart is that of the log directory's checkpoint; −1 where it has none.
	LogStart int64
}

// Request is what the user asks for.
type Request struct {
	Paths []string // files, partition directories, log directories
	From  []string // further replicas of the same partitions
	Carve []string // files of any name to look for batches in
	As    string   // name of the result, where there is one
	// Filter chooses partitions of log directories, and segments.
	Filter logdir.Filter
}

// Sources are all paths that are read.
func (r *Request) Sources() []string { return slices.Concat(r.Paths, r.From, r.Carve) }

// Validate finds what is wrong with the name of the result.
func (r *Request) Validate() error {
	if _, ok := logdir.ParsePartitionDir(r.As); r.As != "" && (!ok || filepath.Base(r.As) != r.As) {
		return fmt.Errorf("--as %q is no name of a partition, such as orders-0", r.As)
	}
	return nil
}

// defaultName is the result's name where no path says one.
const defaultName = "salvaged-0"

// Plan finds out which partitions there are and where their replicas lie. unread
// joins the partitions of log directories that could not be read: they don't keep
// the others from being salvaged.
func Plan(r *Request) (jobs []Job, unread, err error) {
	add := func(path string, check func(*logdir.Target) error) error {
		target, err := logdir.Open(path)
		if err == nil {
			err = check(target)
		}
		if err != nil {
			return err
		}
		var failed error
		jobs, failed, err = addTarget(jobs, target, &r.Filter)
		unread = errors.Join(unread, failed)
		return err
	}
	for _, path := range r.Paths {
		err := add(path, func(target *logdir.Target) error {
			if e := target.File; e != nil && e.File.Kind != logdir.KindLog {
				return fmt.Errorf("%s: is no .log; --carve looks for batches in any file", path)
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	for _, path := range r.Carve {
		err := add(path, func(target *logdir.Target) error {
			if target.File == nil {
				return fmt.Errorf("%s: --carve takes a file", path)
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	if r.As != "" {
		if len(jobs) != 1 {
			return nil, nil, fmt.Errorf("--as %s names one partition, but there are %d", r.As, len(jobs))
		}
		if err := r.Validate(); err != nil {
			return nil, nil, err
		}
		jobs[0].Name = r.As
	}
	return jobs, unread, addReplicas(jobs, r.From)
}

func addTarget(jobs []Job, target *logdir.Target, filter *logdir.Filter) (all []Job, unread, err error) {
	switch {
	case target.File != nil:
		name := partitionOf(target.Path)
		// Several segments of one directory are one replica.
		for i := range jobs {
			if r := &jobs[i].Replicas[0]; jobs[i].Name == name && r.files != nil && filepath.Dir(r.files[0].Path) == filepath.Dir(target.Path) {
				r.files = append(r.files, *target.File)
				return jobs, nil, nil
			}
		}
		jobs, err = addJob(jobs, Job{Name: name, LogStart: -1, Replicas: []Replica{{Path: target.Path, files: []logdir.Entry{*target.File}}}})
		return jobs, nil, err
	case target.Partition != nil:
		jobs, err = addPartition(jobs, target.Partition, filter)
		return jobs, nil, err
	}
	for _, ref := range filter.Select(target.Dir.Partitions) {
		p, failed := ref.Open()
		if failed != nil {
			unread = errors.Join(unread, failed)
			continue
		}
		if jobs, err = addPartition(jobs, p, filter); err != nil {
			return nil, nil, err
		}
	}
	return jobs, unread, nil
}

func addPartition(jobs []Job, p *logdir.Partition, filter *logdir.Filter) ([]Job, error) {
	job := Job{Name: defaultName, LogStart: -1, Replicas: replicasOf(p)}
	if filter.Newest > 0 || !filter.ModifiedSince.IsZero() {
		p.Segments = filter.Segments(p.Segments)
		job.Replicas = job.Replicas[:1]
		job.Replicas[0].filter = filter
	}
	if p.HasName {
		job.Name = baseName(p.Path)
	}
	// A checkpoint that can't be read hides nothing: a broker takes 0 then.
	if offset, _, ok, err := statefile.LogStart(p.Path); ok && err == nil {
		job.LogStart = offset
	}
	return addJob(jobs, job)
}

// replicasOf are the segments of a partition directory, and behind them the logs
// that a cleaning or a split has left as .log.swap while those that they replace
// are gone already: nothing else holds their records, and a broker's next start
// makes segments of them. Where the segment of that base is still there, it has
// all that the .swap file has.
func replicasOf(p *logdir.Partition) []Replica {
	inUse := make(map[int64]bool)
	for i := range p.Segments {
		inUse[p.Segments[i].BaseOffset] = p.Segments[i].Log != nil
	}
	swapped := Replica{swapped: true}
	for _, e := range p.Swapped() {
		if !inUse[e.File.BaseOffset] {
			swapped.Path, swapped.files = e.Path, append(swapped.files, e)
		}
	}
	replicas := []Replica{{Path: p.Path, partition: p}}
	if swapped.files != nil {
		replicas = append(replicas, swapped)
	}
	return replicas
}

func addJob(jobs []Job, job Job) ([]Job, error) {
	for i := range jobs {
		if jobs[i].Name == job.Name {
			return nil, fmt.Errorf("%s and %s are both %s: give one of them with --from to merge them", jobs[i].Replicas[0].Path, job.Replicas[0].Path, job.Name)
		}
	}
	return append(jobs, job), nil
}

// addReplicas gives each partition the further replicas of --from.
func addReplicas(jobs []Job, from []string) error {
	for _, path := range from {
		target, err := logdir.Open(path)
		if err != nil {
			return err
		}
		found := false
		for i := range jobs {
			replicas, err := replicasIn(target, jobs[i].Name, len(jobs) == 1)
			if err != nil {
				return err
			}
			found = found || len(replicas) > 0
			jobs[i].Replicas = append(jobs[i].Replicas, replicas...)
		}
		if !found {
			return fmt.Errorf("%s: has no replica of the partitions to salvage", path)
		}
	}
	for i := range jobs {
		if err := sameTopic(&jobs[i]); err != nil {
			return err
		}
	}
	return nil
}

// replicasIn finds the replica of a partition. only says that there is no other
// partition: then a directory or a file may have any name.
func replicasIn(target *logdir.Target, name string, only bool) ([]Replica, error) {
	switch {
	case target.File != nil:
		if only || partitionOf(target.Path) == name {
			return []Replica{{Path: target.Path, files: []logdir.Entry{*target.File}}}, nil
		}
	case target.Partition != nil:
		if p := target.Partition; only || baseName(p.Path) == name {
			return replicasOf(p), nil
		}
	default:
		for _, ref := range target.Dir.Partitions {
			if baseName(ref.Path) == name {
				p, err := ref.Open()
				return replicasOf(p), err
			}
		}
	}
	return nil, nil
}

// sameTopic refuses replicas of topics that only have the name in common.
func sameTopic(job *Job) error {
	var known statefile.UUID
	var from string
	for i := range job.Replicas {
		p := job.Replicas[i].partition
		if p == nil || p.Metadata == nil {
			continue
		}
		m, err := statefile.ReadFile(p.Metadata.Path, statefile.ReadPartitionMetadata)
		if err != nil {
			continue
		}
		if from != "" && m.TopicID != known {
			return fmt.Errorf("%s and %s: the topic ids %s and %s differ: these are no replicas of one partition", from, p.Metadata.Path, known, m.TopicID)
		}
		known, from = m.TopicID, p.Metadata.Path
	}
	return nil
}

// logs are the files of a replica that hold batches, by offset.
func (r *Replica) logs() []*logFile {
	var logs []*logFile
	add := func(e *logdir.Entry) {
		// No segment begins below 0, though a broker parses such a name.
		named := e.File.Kind == logdir.KindLog && e.File.HasOffset && e.File.BaseOffset >= 0 && e.File.RemoteID == ""
		l := &logFile{path: e.Path, number: len(logs), named: named}
		if named {
			l.base = e.File.BaseOffset
		}
		logs = append(logs, l)
	}
	if r.partition != nil {
		for i := range r.partition.Segments {
			if e := r.partition.Segments[i].Log; e != nil {
				add(e)
			}
		}
		return logs
	}
	files := slices.Clone(r.files)
	slices.SortStableFunc(files, func(a, b logdir.Entry) int { return cmp.Compare(a.File.BaseOffset, b.File.BaseOffset) })
	for i := range files {
		add(&files[i])
	}
	return logs
}

// bases are the base offsets of a replica's segments, also of those of which
// only an index is left, rising.
func (r *Replica) bases() []int64 {
	var bases []int64
	if r.partition != nil {
		for i := range r.partition.Segments {
			if base := r.partition.Segments[i].BaseOffset; base >= 0 {
				bases = append(bases, base)
			}
		}
		return bases
	}
	for _, log := range r.logs() {
		if log.named {
			bases = append(bases, log.base)
		}
	}
	return bases
}

// partitionOf is the name of the partition in whose directory a file lies.
func partitionOf(path string) string {
	name := baseName(filepath.Dir(path))
	if _, ok := logdir.ParsePartitionDir(name); ok {
		return name
	}
	return defaultName
}

func baseName(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return filepath.Base(path)
}
