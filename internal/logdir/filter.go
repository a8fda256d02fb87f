package logdir

import (
	"fmt"
	"path"
	"slices"
	"time"
)

// Filter chooses partitions of a log directory, and segments of a partition.
// The zero value chooses everything.
type Filter struct {
	// Topic is a pattern as of path.Match: *, ?, [a-z].
	Topic string
	// Partitions are the numbers chosen; none means all.
	Partitions []int32
	// Newest is how many of the newest segments of each partition; 0 all.
	Newest int
	// ModifiedSince chooses segments of which the log or an index was
	// written at that time or later.
	ModifiedSince time.Time
}

// Validate finds what is wrong with the filter.
func (f *Filter) Validate() error {
	if _, err := path.Match(f.Topic, ""); err != nil {
		return fmt.Errorf("topic pattern %q: %w", f.Topic, err)
	}
	if f.Newest < 0 {
		return fmt.Errorf("number of newest segments is negative: %d", f.Newest)
	}
	if i := slices.IndexFunc(f.Partitions, func(p int32) bool { return p < 0 }); i >= 0 {
		return fmt.Errorf("partition number is negative: %d", f.Partitions[i])
	}
	return nil
}

// ChoosesPartitions says whether the filter leaves partitions out at all.
func (f *Filter) ChoosesPartitions() bool { return f.Topic != "" || len(f.Partitions) > 0 }

// Match says whether a partition directory is chosen. The pattern is compared
// with the topic as it stands in the name, which may have been cut.
func (f *Filter) Match(dir PartitionDir) bool {
	if len(f.Partitions) > 0 && !slices.Contains(f.Partitions, dir.Partition) {
		return false
	}
	if f.Topic == "" {
		return true
	}
	ok, err := path.Match(f.Topic, dir.Topic)
	return ok && err == nil
}

// Select returns the chosen ones of refs.
func (f *Filter) Select(refs []PartitionRef) []PartitionRef {
	var chosen []PartitionRef
	for _, r := range refs {
		if f.Match(r.Dir) {
			chosen = append(chosen, r)
		}
	}
	return chosen
}

// Segments returns the chosen ones of a partition's segments: of the newest
// ones with a log those that were modified late enough. Indexes without a log
// are chosen with the segments around them.
func (f *Filter) Segments(segments []Segment) []Segment {
	if f.Newest > 0 {
		logs := 0
		for i := len(segments) - 1; i >= 0; i-- {
			if segments[i].Log == nil {
				continue
			}
			if logs++; logs == f.Newest {
				segments = segments[i:]
				break
			}
		}
	}
	if f.ModifiedSince.IsZero() {
		return segments
	}
	var chosen []Segment
	for i := range segments {
		if !segments[i].ModTime().Before(f.ModifiedSince) {
			chosen = append(chosen, segments[i])
		}
	}
	return chosen
}

// Chosen returns a function that says which files of a partition are chosen:
// those of segments that are, and all that belong to no segment.
func (f *Filter) Chosen(p *Partition) func(Entry) bool {
	if f.Newest <= 0 && f.ModifiedSince.IsZero() {
		return func(Entry) bool { return true }
	}
	bases := map[int64]bool{}
	for _, s := range f.Segments(p.Segments) {
		bases[s.BaseOffset] = true
	}
	return func(e Entry) bool {
		return !e.File.Kind.IsSegment() || e.File.Suffix != NoSuffix || !e.File.HasOffset || bases[e.File.BaseOffset]
	}
}
