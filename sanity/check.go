package sanity

import (
	"context"
	"iter"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/ordered"
	"github.com/kafsck/kafsck/internal/ratelimit"
)

// checker is one run.
type checker struct {
	options  Options
	throttle *ratelimit.Limiter
	done     <-chan struct{}
	left     atomic.Int64
	// parallelFrom is the size of a log that is worth several workers.
	parallelFrom int64
	reads        *release // nil where no reader is named
	probers      sync.Pool
	source       func(path string) (opened, int64, error) // opens files; tests have their own
}

func newChecker(ctx context.Context, o Options) *checker {
	if o.Workers < 1 {
		o.Workers = 1
	}
	return &checker{options: o, parallelFrom: 4 << 20, reads: newRelease(o.KafkaVersion), throttle: ratelimit.New(o.ReadRate), done: ctx.Done(), source: func(path string) (opened, int64, error) {
		f, size, err := logdir.OpenFile(path)
		if err != nil {
			return nil, 0, err
		}
		return f, size, nil
	}}
}

// open opens a file for checking.
func (c *checker) open(path string) (*file, int64, error) {
	f, size, err := c.source(path)
	if err != nil {
		return nil, 0, err
	}
	return &file{f: f, size: size, c: c}, size, nil
}

func (c *checker) takeProber(file string) *prober {
	p, ok := c.probers.Get().(*prober)
	if !ok {
		p = new(prober)
	}
	p.file, p.depth = file, c.options.Depth
	p.decoder.DecompressLimit = c.options.DecompressLimit
	return p
}

func (c *checker) giveProber(p *prober) { c.probers.Put(p) }

// unit is a piece of work whose findings come together: a file, a partition,
// or what lies in a log directory beside its partitions.
type unit struct {
	path string
	run  func() *unitResult
}

type unitResult struct {
	path      string
	report    *report
	partition *partitionCheck // nil where the unit is none
	dir       *dirState       // of the partition, or of the unit itself
	env       environment
	stopped   bool // the run ended before the unit did
}

// Check checks the targets and emits what it finds: by target, within one by
// path, within a file by position; the same for the same files, whatever the
// number of workers is. Findings are handed over; an error of emit ends the
// run. Where ctx ends, the summary and the findings tell what was checked until
// then, of the units under way too, and the error is that of ctx.
func Check(ctx context.Context, targets []*logdir.Target, o Options, emit func(*Finding) error) (Summary, error) {
	c := newChecker(ctx, o)
	var total Summary
	units := c.plan(ctx, targets)
	total.Paths = int64(len(targets))
	c.left.Store(int64(len(units)))
	source := iter.Seq2[unit, error](func(yield func(unit, error) bool) {
		for _, u := range units {
			if ctx.Err() != nil || !yield(u, nil) {
				return
			}
		}
	})
	across := newAcross()
	work := func(_ int, u unit) *unitResult {
		defer c.left.Add(-1)
		if ctx.Err() != nil {
			return nil
		}
		r := u.run()
		r.path, r.stopped = u.path, ctx.Err() != nil
		return r
	}
	// Where ctx ends, the units under way end by themselves, with what was
	// checked of them; that is worth telling too.
	for r, err := range ordered.Map(context.WithoutCancel(ctx), c.options.Workers, source, work, nil) {
		if err != nil {
			return total, err
		}
		if r == nil {
			continue
		}
		across.see(r)
		c.reads.judge(r)
		findings := r.report.sorted()
		total.Add(r.report.summary)
		for _, f := range findings {
			if err := emit(f); err != nil {
				return total, err
			}
		}
		if o.Done != nil && !r.stopped {
			if err := o.Done(r.unit()); err != nil {
				return total, err
			}
		}
	}
	return total, ctx.Err()
}

// unit is what Options.Done is told.
func (r *unitResult) unit() Unit {
	u := Unit{Path: r.path, FirstOffset: -1, LastOffset: -1, Summary: r.report.summary}
	p := r.partition
	if p == nil || p.single {
		return u
	}
	u.IsPartition, u.Segments = true, len(p.p.Segments)
	if p.endOffset > 0 {
		u.FirstOffset, u.LastOffset = p.firstOffset, p.endOffset-1
	}
	return u
}

// inner is how many cores one log may use now.
func (c *checker) inner() int {
	return max(1, c.options.Workers/max(1, min(c.options.Workers, int(c.left.Load()))))
}

// plan lists the work in order.
func (c *checker) plan(ctx context.Context, targets []*logdir.Target) []unit {
	var units []unit
	for _, t := range targets {
		switch {
		case t.File != nil:
			units = append(units, unit{t.Path, func() *unitResult { return c.file(ctx, t.File) }})
		case t.Partition != nil:
			units = append(units, unit{t.Path, func() *unitResult {
				return c.partition(ctx, t.Partition, environmentBeside(t.Partition), nil)
			}})
		case t.Dir != nil:
			d := &dirState{dir: t.Dir}
			units = append(units, unit{t.Path, func() *unitResult { return c.directory(ctx, d) }})
			for _, ref := range c.options.Filter.Select(t.Dir.Partitions) {
				units = append(units, unit{ref.Path, func() *unitResult { return c.member(ctx, d, ref) }})
			}
		}
	}
	return units
}

// partition checks a partition directory.
func (c *checker) partition(ctx context.Context, p *logdir.Partition, env environment, dir *dirState) *unitResult {
	if p.HasName {
		env.marker = p.Dir.Marker
	}
	var check *partitionCheck
	for try := 1; ; try++ {
		check = newPartitionCheck(ctx, c, p, env)
		check.inner = c.inner()
		if ctx.Err() == nil {
			check.all()
		}
		if !env.live || !check.report.alarms() || try == logdir.MostTries || ctx.Err() != nil {
			break
		}
		now := check.listingNow()
		if now == nil {
			break
		}
		p = now
	}
	return &unitResult{report: check.report, partition: check, dir: dir, env: env}
}

// environmentBeside is what the log directory of a partition that was given
// alone says about it. Nothing is reported of that directory.
func environmentBeside(p *logdir.Partition) environment {
	env := environment{live: logdir.HeldAround(p.Path)}
	if f, _, err := logdir.OpenFile(filepath.Join(logdir.Parent(p.Path), logdir.KindCleanShutdown.String())); err == nil {
		env.closedCleanly = true
		_ = f.Close()
	}
	return env
}
