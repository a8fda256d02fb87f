package rebuild

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// isInUse says whether the log of a dry run ends at a position where the running
// broker is writing, or has bytes in advance.
func (run *partitionRun) isInUse(s *scan, position int64) bool {
	if !run.live {
		return false
	}
	o := recordbatch.Options{File: s.segment.Log.Path, From: position, Base: s.segment.BaseOffset}
	for _, err := range recordbatch.NewScanner(s.source, s.source.size, o).Batches() {
		if err == nil {
			return true // written since
		}
		damage, ok := errors.AsType[*recordbatch.CorruptError](err)
		if !ok {
			return false
		}
		found := sanity.FromCorrupt(damage)
		run.beside.Judge(&found)
		return found.Severity == sanity.Info
	}
	return false
}

// goesOn makes a note of a log that changed while a dry run read it beside a
// broker. Any other change is an error.
func (run *partitionRun) goesOn(plan *Plan, changed error) error {
	if changed == nil || !run.live {
		return changed
	}
	indexed := plan.LogBytes
	if plan.Damage != nil {
		indexed = plan.Damage.Position
	}
	plan.Notes = append(plan.Notes, fmt.Sprintf("a broker has gone on with it meanwhile: these are the indexes of its first %d bytes", indexed))
	return nil
}

// gone tells a file that the broker has taken away from one that is missing.
func (run *partitionRun) gone(err error) error {
	missing, ok := errors.AsType[*fs.PathError](err)
	if !ok || !run.live || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return logdir.Listed(missing.Path, err)
}
