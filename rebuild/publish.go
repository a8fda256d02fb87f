package rebuild

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"syscall"
	"time"

	"github.com/kafsck/kafsck/internal/logdir"
)

// replacement is a file about to be put in place.
type replacement struct {
	dir, name string
	content   []byte
	old       fs.FileInfo // nil where there was none
	like      fs.FileInfo // whose mode and owner the file gets
	// check looks at the written file before it is published.
	check func(f File, size int64) error

	temp      string // name of the temporary file, once it is there
	backup    string // name of the backup, once it is there
	published bool
}

func (r *replacement) path() string { return inDir(r.dir, r.name) }

// publisher puts files in place.
type publisher struct {
	fs  FS
	now func() time.Time
}

// publish writes the files, which lie in one directory, and puts them in
// place. unchanged is asked after everything is written and before anything is
// touched. After an error the replacements say which were published; whatever
// else was made is gone again.
func (p *publisher) publish(files []*replacement, unchanged func() error) (err error) {
	if len(files) == 0 {
		return nil
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.undo(files))
		}
	}()
	for _, r := range files {
		if err := p.write(r); err != nil {
			return fmt.Errorf("%s: %w", r.path(), err)
		}
	}
	if err := unchanged(); err != nil {
		return err
	}
	dir, backups := files[0].dir, false
	for _, r := range files {
		if err := p.keepOld(r); err != nil {
			return fmt.Errorf("%s: %w", r.path(), err)
		}
		backups = backups || r.backup != ""
	}
	if backups {
		if err := p.fs.SyncDir(dir); err != nil {
			return fmt.Errorf("%s: sync the directory: %w", dir, err)
		}
	}
	for _, r := range files {
		if err := p.place(r); err != nil {
			return fmt.Errorf("%s: %w", r.path(), err)
		}
		r.published, r.temp = true, ""
	}
	if err := p.fs.SyncDir(dir); err != nil {
		return fmt.Errorf("%s: the new indexes are in place, but a crash could bring the old ones back: sync the directory: %w", dir, err)
	}
	return nil
}

// write makes the temporary file, durable and checked.
func (p *publisher) write(r *replacement) (err error) {
	f, err := p.fs.CreateTemp(r.dir, logdir.TempPattern(r.name))
	if err != nil {
		return err
	}
	r.temp = f.Name()
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	if err := f.SetLike(r.like); err != nil {
		return fmt.Errorf("keep mode and owner: %w", err)
	}
	if _, err := f.Write(r.content); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return p.readBack(r)
}

// readBack opens the written file anew and compares it with what it should be.
func (p *publisher) readBack(r *replacement) error {
	f, err := p.fs.Open(r.temp)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() != int64(len(r.content)) {
		return fmt.Errorf("wrote %d bytes, the file has %d", len(r.content), info.Size())
	}
	buffer := make([]byte, 256<<10)
	for at := 0; at < len(r.content); {
		part := buffer[:min(len(buffer), len(r.content)-at)]
		if n, err := f.ReadAt(part, int64(at)); n < len(part) {
			return fmt.Errorf("read back: %w", err)
		}
		if !bytes.Equal(part, r.content[at:at+len(part)]) {
			return fmt.Errorf("read back other bytes than written behind position %d", at)
		}
		at += len(part)
	}
	if r.check == nil {
		return nil
	}
	return r.check(f, info.Size())
}

// keepOld gives the old file its backup name, and makes sure that it is still
// the one that the plan was made of.
func (p *publisher) keepOld(r *replacement) error {
	info, err := p.fs.Lstat(r.path())
	switch {
	case errors.Is(err, fs.ErrNotExist) && r.old == nil:
		return nil
	case err != nil:
		return err
	case r.old == nil:
		return errors.New("appeared meanwhile")
	case !p.unchanged(info, r.old):
		return errors.New("changed meanwhile")
	}
	// Two backups of one second get different names.
	at := p.now()
	for range 60 {
		backup := inDir(r.dir, logdir.BackupName(r.name, at))
		err := p.fs.Link(r.path(), backup)
		if err == nil {
			r.backup = backup
			return nil
		}
		if errors.Is(err, fs.ErrExist) {
			at = at.Add(time.Second)
			continue
		}
		if noLinks(err) {
			return p.copyOld(r, backup)
		}
		return fmt.Errorf("keep the old file: %w", err)
	}
	return errors.New("keep the old file: too many backups of this minute")
}

// noLinks says whether the file system has no second names for a file.
func noLinks(err error) bool {
	return errors.Is(err, syscall.EPERM) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EMLINK)
}

// maxCopied is the largest old index that is copied: no broker maps a larger
// one.
const maxCopied = math.MaxInt32

// copyOld is keepOld for file systems without links.
func (p *publisher) copyOld(r *replacement, backup string) error {
	if err := p.absent(backup); err != nil {
		return fmt.Errorf("keep the old file: %w", err)
	}
	content, err := p.readAll(r.path())
	if err != nil {
		return fmt.Errorf("keep the old file: %w", err)
	}
	kept := &replacement{dir: r.dir, name: r.name, content: content, like: r.old}
	err = p.write(kept)
	if err == nil {
		err = p.fs.Rename(kept.temp, backup)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("keep the old file: %w", err), p.remove(kept.temp))
	}
	r.backup = backup
	return nil
}

func (p *publisher) readAll(path string) ([]byte, error) {
	f, err := p.fs.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxCopied {
		return nil, fmt.Errorf("it has %d bytes, at most %d are copied", info.Size(), maxCopied)
	}
	content := make([]byte, info.Size())
	if n, err := f.ReadAt(content, 0); n < len(content) {
		return nil, err
	}
	return content, nil
}

// place gives the new file its name. Where there was none, it must not
// overwrite one that came meanwhile.
func (p *publisher) place(r *replacement) error {
	if r.old != nil {
		return p.fs.Rename(r.temp, r.path())
	}
	err := p.fs.Link(r.temp, r.path())
	if err != nil && !noLinks(err) {
		return err
	}
	if err == nil {
		r.published = true
		return p.fs.Remove(r.temp)
	}
	if err := p.absent(r.path()); err != nil {
		return err
	}
	return p.fs.Rename(r.temp, r.path())
}

// absent gives an error where there is a file of that name.
func (p *publisher) absent(path string) error {
	_, err := p.fs.Lstat(path)
	if err == nil {
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// undo removes what a failed run made: temporary files, and backups of files
// that were not replaced.
func (p *publisher) undo(files []*replacement) error {
	var left []error
	for _, r := range files {
		left = append(left, p.remove(r.temp))
		if r.backup != "" && !r.published {
			left = append(left, p.remove(r.backup))
			r.backup = ""
		}
	}
	return errors.Join(left...)
}

func (p *publisher) remove(path string) error {
	if path == "" {
		return nil
	}
	if err := p.fs.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("left behind: %w", err)
	}
	return nil
}

// unchanged says whether a file is still the one it was.
func (p *publisher) unchanged(a, b fs.FileInfo) bool {
	return p.fs.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
