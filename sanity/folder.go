package sanity

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// MostOfCode is how many findings of one code a file may have; what comes after is
// counted in the last of them. It bounds memory whatever a file holds.
const MostOfCode = 64

// report gathers the findings of one unit of work.
type report struct {
	findings []*Finding
	summary  Summary
}

func (r *report) add(f Finding) *Finding {
	p := &f
	r.findings = append(r.findings, p)
	return p
}

// drop takes findings out again.
func (r *report) drop(gone func(*Finding) bool) {
	r.findings = slices.DeleteFunc(r.findings, gone)
}

// unreadable reports that a file or a part of it could not be checked.
func (r *report) unreadable(file string, position int64, err error) {
	if errors.Is(err, errStopped) {
		return // nothing is wrong with the file: the run is over
	}
	f := At(IOError, file)
	f.Position = position
	var p *fs.PathError
	if errors.As(err, &p) {
		err = fmt.Errorf("%s: %w", p.Op, p.Err)
	}
	f.Message = err.Error()
	f.Broker = "not checked; a broker that can't read this file either takes the log directory offline"
	r.add(f)
}

// alarms says whether anything above info was found.
func (r *report) alarms() bool {
	return slices.ContainsFunc(r.findings, func(f *Finding) bool { return f.Severity > Info })
}

// sorted ends the gathering: by file, position, slot and code.
func (r *report) sorted() []*Finding {
	slices.SortStableFunc(r.findings, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Position, b.Position),
			cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Code, b.Code))
	})
	for _, f := range r.findings {
		if n := f.count(); n > 1 {
			f.set("count", n)
		}
		if f.Slot >= 0 && f.last() > f.Slot {
			f.set("lastSlot", f.last())
		}
		if n := f.count(); n > 1 {
			f.Message = fmt.Sprintf("%s; the first of %d", f.Message, n)
		}
		r.summary.Count(f)
	}
	return r.findings
}

// count is how many faults are folded into the finding.
func (f *Finding) count() int64 {
	return max(1, f.folded)
}

// last is the last slot that the finding is about.
func (f *Finding) last() int64 { return max(f.Slot, f.lastSlot) }

// set puts a value into the detail.
func (f *Finding) set(key string, value any) {
	if f.Detail == nil {
		f.Detail = map[string]any{}
	}
	f.Detail[key] = value
}

// folder makes one finding of consecutive faults of one code in one file.
type folder struct {
	report *report
	open   map[Code]*Finding // runs that the next fault of the code continues
	counts map[Code]int
	last   map[Code]*Finding
}

func newFolder(r *report) *folder {
	return &folder{report: r, open: map[Code]*Finding{}, counts: map[Code]int{}, last: map[Code]*Finding{}}
}

// add reports a fault, or folds it into the run that it continues.
func (d *folder) add(f Finding) *Finding {
	if run := d.run(f.Code); run != nil {
		run.extend(&f)
		d.open[f.Code] = run
		return run
	}
	p := d.report.add(f)
	d.open[f.Code], d.last[f.Code] = p, p
	d.counts[f.Code]++
	return p
}

// run is the run that the next fault of the code continues, or nil.
func (d *folder) run(code Code) *Finding {
	if run := d.open[code]; run != nil {
		return run
	}
	if d.counts[code] >= MostOfCode {
		return d.last[code]
	}
	return nil
}

// once folds all faults of a code of the file into one finding.
func (d *folder) once(f Finding) *Finding {
	if run := d.last[f.Code]; run != nil {
		run.extend(&f)
		return run
	}
	return d.add(f)
}

// sound ends all runs: something right stands between.
func (d *folder) sound() {
	if len(d.open) > 0 {
		clear(d.open)
	}
}

// extend takes a later fault of the same code into the finding.
func (f *Finding) extend(o *Finding) {
	f.folded = f.count() + o.count()
	f.EndPosition = max(f.EndPosition, o.EndPosition)
	f.LastOffset = max(f.LastOffset, o.LastOffset)
	f.Severity = max(f.Severity, o.Severity)
	f.lastSlot = max(f.last(), o.last())
}
