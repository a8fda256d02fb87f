package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/rebuild"
)

// rebuildRun is one run of rebuild-index: it gathers the partitions, renders
// what became of each, and counts.
type rebuildRun struct {
	*emitter
	options   rebuild.Options
	filter    logdir.Filter
	selection *selection
	all       bool

	rows                                           [][]string
	segments, indexes, identical, written, refused int64
}

func (r *rebuildRun) paths(ctx context.Context, args []string) error {
	var targets []*logdir.Target
	for _, path := range args {
		target, err := logdir.Open(path)
		if err != nil {
			r.failed(err)
			continue
		}
		if target.Dir != nil && !r.all && r.filter.Topic == "" && !r.filter.ChoosesPartitions() {
			return usageErrorf("%s is a log dir: --all rebuilds all of it", path)
		}
		targets = append(targets, target)
		if !r.options.InPlace && r.options.OutDir == "" && logdir.HeldNear(path) {
			r.note("%s: a broker holds the .lock of the log directory and goes on with it: --in-place refuses while it does", path)
		}
	}
	r.global.noteEmpty(args, &r.filter)
	jobs, failures := r.jobs(targets)
	for _, err := range failures {
		r.failed(err)
	}
	bar, err := r.global.startProgress(func() int64 { return jobBytes(jobs) })
	if err != nil {
		return err
	}
	defer bar.finish()
	r.flush()
	r.out.Reset(r.global.streams.Out)
	if r.options.Reading, err = r.selection.reading(ctx, bar); err != nil {
		return err
	}
	rebuilder := rebuild.New(r.options)
	if err := r.run(ctx, rebuilder, jobs); err != nil {
		return err
	}
	bar.finish()
	return r.summary()
}

// jobs lists what there is to do.
func (r *rebuildRun) jobs(targets []*logdir.Target) (jobs []*rebuild.Job, failures []error) {
	for _, target := range targets {
		for job, err := range rebuild.Jobs(target, &r.filter) {
			if err != nil {
				failures = append(failures, err)
			}
			if job != nil {
				jobs = append(jobs, job)
			}
		}
	}
	return jobs, failures
}

func jobBytes(jobs []*rebuild.Job) (n int64) {
	for _, job := range jobs {
		n += job.Bytes()
	}
	return n
}

// run rebuilds one partition segment by segment, or several side by side.
func (r *rebuildRun) run(ctx context.Context, rebuilder *rebuild.Rebuilder, jobs []*rebuild.Job) error {
	if len(jobs) == 1 {
		job := jobs[0]
		for plan, err := range rebuilder.Partition(ctx, job.Partition, job.Segments, job.LogStart) {
			if err != nil {
				return r.refuse(ctx, err)
			}
			r.plan(plan)
		}
		return ctx.Err()
	}
	for done, err := range rebuilder.All(ctx, jobs) {
		if err != nil {
			return err
		}
		for _, plan := range done.Plans {
			r.plan(plan)
		}
		if done.Err != nil {
			if err := r.refuse(ctx, done.Err); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// refuse says why a partition was not touched.
func (r *rebuildRun) refuse(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.refused++
	r.failed(err)
	return nil
}

// plan renders what became of one segment.
func (r *rebuildRun) plan(plan *rebuild.Plan) {
	r.segments++
	for i := range plan.Files {
		x := &plan.Files[i]
		r.indexes++
		if x.Identical {
			r.identical++
		}
		if x.Written != "" {
			r.written++
		}
		switch r.format {
		case formatJSON:
			r.object(r.rebuiltObject(plan, x))
		case formatTable:
			r.rows = append(r.rows, rebuiltRow(x))
		default:
			r.line("%s", indexText(x, &r.options))
		}
	}
	for _, note := range plan.Notes {
		r.note("%s: %s", plan.Log, note)
	}
	_, gone := errors.AsType[*logdir.GoneError](plan.Err)
	switch {
	case gone:
		r.failed(plan.Err)
	case plan.Err != nil:
		r.refused++
		if r.format == formatJSON {
			r.object(refusedObject(plan))
		}
		r.failed(plan.Err)
		if errors.Is(plan.Err, rebuild.ErrDamaged) {
			r.note("%s: --damaged prefix indexes the part before the damage; sanity-check says what is behind it", plan.Log)
		}
	case plan.Damage != nil && plan.Damage.InUse:
		r.note("%s: position %d: a broker is writing there, or has allocated it: %s behind are not indexed", plan.Log, plan.Damage.Position, counted(plan.Damage.Left, "byte"))
	case plan.Damage != nil:
		r.code = worseExit(r.code, exitDamage)
		r.note("%s: damaged: %v; %s behind are not indexed", plan.Log, plan.Damage, counted(plan.Damage.Left, "byte"))
	}
}

// note writes a line for people that is neither data nor an error.
func (r *rebuildRun) note(format string, args ...any) {
	if r.global.quiet {
		return
	}
	r.flush()
	_, err := fmt.Fprintf(r.global.streams.Err, "kafsck: note: %s\n", quoted(fmt.Sprintf(format, args...)))
	r.keep(err)
}

func (r *rebuildRun) summary() error {
	if r.format == formatTable {
		r.table([]string{"file", "kind", "entries", "bytes", "before", "identical", "written"}, r.rows)
	}
	if r.format != formatJSON && (r.segments > 0 || r.code == exitOK) {
		r.line("%s, %s: %d identical, %d written, %d refused", counted(r.segments, "segment"), counted(r.indexes, "index file"), r.identical, r.written, r.refused)
	}
	if !r.options.InPlace && r.options.OutDir == "" && r.indexes > r.identical {
		r.note("this was a dry run: --in-place replaces the files, --out-dir DIR writes them elsewhere")
	}
	return r.end()
}

func rebuiltRow(x *rebuild.Index) []string {
	before := "-"
	if x.Before != nil {
		before = strconv.Itoa(x.Before.Entries)
	}
	written := "-"
	if x.Written != "" {
		written = x.Written
	}
	return []string{x.File, x.Kind.String(), strconv.Itoa(x.Entries), strconv.FormatInt(x.Bytes, 10), before, strconv.FormatBool(x.Identical), written}
}

// ruleName is the value of --rule.
func ruleName(rule recovery.Rule) string {
	if rule == recovery.Append {
		return "append"
	}
	return "recover"
}
