package rebuild

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
)

// add puts an index into the plan.
func (plan *Plan) add(p *logdir.Partition, segment logdir.Segment, kind indexfile.Kind, content []byte) {
	sum := sha256.Sum256(content)
	name := strings.TrimSuffix(segment.Log.Name, ".log") + kind.Suffix()
	plan.Files = append(plan.Files, Index{
		File: filepath.Join(filepath.Dir(segment.Log.Path), name), Kind: kind,
		Entries: len(content) / kind.EntrySize(), Bytes: int64(len(content)),
		SHA256: hex.EncodeToString(sum[:]), content: content,
	})
}

// write puts the indexes of a plan where the options say.
func (run *partitionRun) write(plan *Plan, source *source) error {
	if !run.o.writes() {
		return run.goesOn(plan, source.unchanged())
	}
	var files []*replacement
	var planned []*Index
	for i := range plan.Files {
		x := &plan.Files[i]
		if run.o.InPlace && x.Identical {
			continue
		}
		r, err := run.replacement(plan, x, source)
		if err != nil {
			return err
		}
		files, planned = append(files, r), append(planned, x)
	}
	p := &publisher{fs: run.o.FS, now: run.o.Now}
	err := p.publish(files, func() error {
		if run.guard != nil {
			if err := run.guard.still(); err != nil {
				return err
			}
		}
		return source.unchanged()
	})
	for i, r := range files {
		if !r.published {
			continue
		}
		// Named as the argument reaches it.
		planned[i].Written = planned[i].File
		if !run.o.InPlace {
			planned[i].Written = filepath.Join(run.shownOut(), r.name)
		}
		if r.backup != "" {
			planned[i].Backup = filepath.Join(filepath.Dir(planned[i].File), filepath.Base(r.backup))
		}
	}
	return err
}

// shownOut is the output directory as the user named it.
func (run *partitionRun) shownOut() string {
	if !run.partition.HasName {
		return run.o.OutDir
	}
	return filepath.Join(run.o.OutDir, filepath.Base(run.out))
}

func (run *partitionRun) replacement(plan *Plan, x *Index, source *source) (*replacement, error) {
	r := &replacement{dir: run.out, name: filepath.Base(x.File), content: x.content, like: source.info}
	if run.o.InPlace {
		var err error
		if r.dir, r.name, r.old, err = target(run.o.FS, x.File); err != nil {
			return nil, fmt.Errorf("%s: %w", x.File, err)
		}
	} else if _, err := run.o.FS.Lstat(r.path()); err == nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(run.shownOut(), r.name), ErrExists)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if r.old != nil {
		r.like = r.old
	}
	r.check = func(f File, size int64) error {
		if err := sound(x.Kind, f, size, plan.BaseOffset, source); err != nil {
			return err
		}
		if !run.o.Verify {
			return nil
		}
		if err := run.verify(x.Kind, f, size, plan.BaseOffset, source); err != nil {
			return err
		}
		// The check needs the log beside the index, and looks behind damage.
		if !run.o.InPlace || plan.Damage != nil {
			return nil
		}
		return run.passesCheck(r, size)
	}
	return r, nil
}
