package salvage

import (
	"cmp"
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

// Plan finds out which partitions there are and where their replicas lie.
func Plan(r *Request) ([]Job, error) {
	var jobs []Job
	for _, path := range r.Paths {
		target, err := logdir.Open(path)
		if err != nil {
			return nil, err
		}
		if e := target.File; e != nil && e.File.Kind != logdir.KindLog {
			return nil, fmt.Errorf("%s: is no .log; --carve looks for batches in any file", path)
		}
		if jobs, err = addTarget(jobs, target, &r.Filter); err != nil {
			return nil, err
		}
	}
	for _, path := range r.Carve {
		target, err := logdir.Open(path)
		if err != nil {
			return nil, err
		}
		if target.File == nil {
			return nil, fmt.Errorf("%s: --carve takes a file", path)
		}
		if jobs, err = addTarget(jobs, target, &r.Filter); err != nil {
			return nil, err
		}
	}
	if r.As != "" {
		if len(jobs) != 1 {
			return nil, fmt.Errorf("--as %s names one partition, but there are %d", r.As, len(jobs))
		}
		if err := r.Validate(); err != nil {
			return nil, err
		}
		jobs[0].Name = r.As
	}
	return jobs, addReplicas(jobs, r.From)
}

func addTarget(jobs []Job, target *logdir.Target, filter *logdir.Filter) ([]Job, error) {
	switch {
	case target.File != nil:
		name := partitionOf(target.Path)
		// Several segments of one directory are one replica.
		for i := range jobs {
			if r := &jobs[i].Replicas[0]; jobs[i].Name == name && r.files != nil && filepath.Dir(r.files[0].Path) == filepath.Dir(target.Path) {
				r.files = append(r.files, *target.File)
				return jobs, nil
			}
		}
		return addJob(jobs, Job{Name: name, LogStart: -1, Replicas: []Replica{{Path: target.Path, files: []logdir.Entry{*target.File}}}})
	case target.Partition != nil:
		return addPartition(jobs, target.Partition, filter)
	}
	for _, ref := range filter.Select(target.Dir.Partitions) {
		p, err := ref.Open()
		if err != nil {
			return nil, err
		}
		if jobs, err = addPartition(jobs, p, filter); err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

func addPartition(jobs []Job, p *logdir.Partition, filter *logdir.Filter) ([]Job, error) {
	p.Segments = filter.Segments(p.Segments)
	job := Job{Name: defaultName, LogStart: -1, Replicas: []Replica{{Path: p.Path, partition: p}}}
	if p.HasName {
		job.Name = baseName(p.Path)
	}
	// A checkpoint that can't be read hides nothing: a broker takes 0 then.
	if offset, _, ok, err := statefile.LogStart(p.Path); ok && err == nil {
		job.LogStart = offset
	}
	return addJob(jobs, job)
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
			r, ok, err := replicaIn(target, jobs[i].Name, len(jobs) == 1)
			if err != nil {
				return err
			}
			if ok {
				found = true
				jobs[i].Replicas = append(jobs[i].Replicas, r)
			}
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

// replicaIn finds the replica of a partition. only says that there is no other
// partition: then a directory or a file may have any name.
func replicaIn(target *logdir.Target, name string, only bool) (Replica, bool, error) {
	switch {
	case target.File != nil:
		return Replica{Path: target.Path, files: []logdir.Entry{*target.File}}, only || partitionOf(target.Path) == name, nil
	case target.Partition != nil:
		p := target.Partition
		return Replica{Path: p.Path, partition: p}, only || baseName(p.Path) == name, nil
	}
	for _, ref := range target.Dir.Partitions {
		if baseName(ref.Path) == name {
			p, err := ref.Open()
			return Replica{Path: ref.Path, partition: p}, err == nil, err
		}
	}
	return Replica{}, false, nil
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
