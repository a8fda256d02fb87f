package cmd

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/ratelimit"
)

// selection are the flags that say what of a log dir is read, and how fast:
// the same for every command that takes log dirs.
type selection struct {
	topic         string
	partitions    []int32
	newest        int
	modifiedSince string
	rateLimit     string
}

func (s *selection) addFlags(f *pflag.FlagSet) {
	s.addPartitionFlags(f)
	f.IntVar(&s.newest, "newest", 0, "only the newest `N` segments of each partition")
	f.StringVar(&s.modifiedSince, "modified-since", "", "only segments written since `TIME`: epoch milliseconds or RFC 3339")
	s.addRateFlag(f)
}

// addPartitionFlags adds the flags that choose partitions, for a command that
// needs all segments of each.
func (s *selection) addPartitionFlags(f *pflag.FlagSet) {
	f.StringVar(&s.topic, "topic", "", "of a log dir: only topics that match `GLOB`")
	f.Int32SliceVar(&s.partitions, "partition", nil, "of a log dir: only partitions `N,...`")
	f.Lookup("partition").DefValue = ""
}

func (s *selection) addRateFlag(f *pflag.FlagSet) {
	f.StringVar(&s.rateLimit, "rate-limit", "", "read no faster than `RATE`, as in 100MB/s")
}

// filter checks the flags and says what they choose of the paths.
func (s *selection) filter(paths []string) (logdir.Filter, error) {
	filter := logdir.Filter{Topic: s.topic, Partitions: s.partitions, Newest: s.newest}
	if s.modifiedSince != "" {
		ms, err := parseTimeFlag("modified-since", s.modifiedSince, 0)
		if err != nil {
			return filter, err
		}
		filter.ModifiedSince = time.UnixMilli(ms)
	}
	if err := filter.Validate(); err != nil {
		return filter, usageErrorf("%v", err)
	}
	return filter, choosesSomething(&filter, paths)
}

// choosesSomething is an error where --topic and --partition leave nothing of
// any log dir: a slip in a name must not look like sound partitions.
func choosesSomething(filter *logdir.Filter, paths []string) error {
	if !filter.ChoosesPartitions() {
		return nil
	}
	for _, path := range paths {
		target, err := logdir.Open(path)
		if err != nil || target.Dir == nil || len(filter.Select(target.Dir.Partitions)) > 0 {
			return nil // what is wrong with a path is said where it is read
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return fmt.Errorf("%s: no partition in it is what --topic and --partition choose", strings.Join(paths, ", "))
}

// noteEmpty says of which paths nothing is going to be read: silence, or a
// verdict on no file at all, must not look like an answer.
func (g *globalOptions) noteEmpty(paths []string, filter *logdir.Filter) {
	if g.quiet {
		return
	}
	for _, path := range paths {
		target, err := logdir.Open(path)
		if err != nil || target.Partition == nil {
			continue // what is wrong with a path is said where it is read
		}
		p := target.Partition
		switch {
		case p.Unread() != nil: // said where it is read
		case len(p.Files()) == 0 && len(p.Issues) > 0:
			complain(g.streams.Err, fmt.Errorf("note: %s: no file is in it: there is nothing to look at", path))
		case len(p.Files()) == 0:
			complain(g.streams.Err, fmt.Errorf("note: %s: an empty directory: there is nothing to look at", path))
		case len(p.Segments) > 0 && len(filter.Segments(p.Segments)) == 0:
			complain(g.streams.Err, fmt.Errorf("note: %s: no segment in it was written since then", path))
		}
	}
}

// rate is the limit in bytes a second; 0 is none.
func (s *selection) rate() (int64, error) {
	if s.rateLimit == "" {
		return 0, nil
	}
	n, err := ratelimit.Parse(s.rateLimit)
	if err != nil {
		return 0, usageErrorf("--rate-limit: %v", err)
	}
	return n, nil
}

// reading returns what a command puts between itself and the files that it
// reads: the limit of the rate, the count for the progress bar, and the end of
// ctx.
func (s *selection) reading(ctx context.Context, p *progress) (func(io.ReaderAt) io.ReaderAt, error) {
	rate, err := s.rate()
	if err != nil {
		return nil, err
	}
	limiter := ratelimit.New(rate)
	return func(r io.ReaderAt) io.ReaderAt { return limiter.ReaderAt(ctx, p.reader(r)) }, nil
}

// totalBytes is how much there is to read below the paths, as far as names and
// sizes tell; it is for a progress bar, so what cannot be listed is passed
// over here and reported where it is read.
func totalBytes(paths []string, filter logdir.Filter) int64 {
	var total int64
	partition := func(p *logdir.Partition) {
		chosen := filter.Chosen(p)
		for _, e := range p.Files() {
			if chosen(e) {
				total += e.Size
			}
		}
	}
	for _, path := range paths {
		target, err := logdir.Open(path)
		if err != nil {
			continue
		}
		switch {
		case target.File != nil:
			total += target.File.Size
		case target.Partition != nil:
			partition(target.Partition)
		case target.Dir != nil:
			for _, e := range target.Dir.Files() {
				total += e.Size
			}
			for _, ref := range filter.Select(target.Dir.Partitions) {
				if p, err := ref.Open(); err == nil {
					partition(p)
				}
			}
		}
	}
	return total
}
