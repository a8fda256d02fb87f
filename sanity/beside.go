package sanity

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch"
)

// What a running broker makes of damage.
const (
	midWrite     = "a broker holds the log directory: the end may be in mid-write, or preallocated"
	changedSince = "a broker holds the log directory, and was writing here, or has cut or removed the log since: it is sound now"
)

// framing are the codes of bytes that are no sound batch. A log that is written
// or cut while it is read may look like that.
var framing = []Code{LogTornTail, LogZeroTail, LogZeroHole, LogGarbage, BatchBadSize, BatchBadMagic, BatchCRCMismatch}

// Beside lowers findings to info that a running broker explains. Check does so
// by itself; this is for those who read single logs. The zero value is ready; it
// is for one goroutine.
type Beside struct {
	free   string // a partition directory around which no broker was found
	looked string // the log that was looked at last
	spent  time.Duration
	open   func(path string) (opened, int64, error) // nil: from the disk
}

// Judge lowers a finding where a broker holds the log directory around the log
// that it is about, and where it is a torn end, or zeros up to the end, of the
// newest segment; or where the log is looked at again, and no damage is there
// any more. Real damage costs a second of looking in all.
func (b *Beside) Judge(f *Finding) {
	if f.Severity == Info || f.Detail != nil || !slices.Contains(framing, f.Code) {
		return
	}
	dir, name := filepath.Dir(f.File), logdir.ParseName(filepath.Base(f.File))
	if name.Kind != logdir.KindLog || name.Suffix != logdir.NoSuffix || !name.HasOffset || dir == b.free && !isTail(f.Code) {
		return
	}
	switch {
	case !logdir.HeldAround(dir):
		b.free = dir
	case isTail(f.Code) && isNewest(f.File):
		f.Severity, f.Broker = Info, midWrite
	case b.passed(f):
		f.Severity, f.Broker = Info, changedSince
	}
}

func isTail(c Code) bool { return c == LogTornTail || c == LogZeroTail }

// isNewest says whether a log is that of the newest segment of its directory.
func isNewest(log string) bool {
	next, err := nextSegment(filepath.Dir(log), logdir.ParseName(filepath.Base(log)).BaseOffset)
	return err == nil && next < 0
}

// passed says whether the damage was that of a moment. A log is looked at once
// at the least.
func (b *Beside) passed(f *Finding) bool {
	if b.looked == f.File && b.spent >= livePatience {
		return false
	}
	b.looked = f.File
	begin := time.Now()
	defer func() { b.spent += time.Since(begin) }()
	for !b.isSound(f) {
		if b.spent+time.Since(begin) >= livePatience {
			return false
		}
		time.Sleep(livePause)
	}
	return true
}

// isSound reads again what was damaged.
func (b *Beside) isSound(f *Finding) bool {
	r, size, err := b.source(f.File)
	if errors.Is(err, fs.ErrNotExist) {
		// What has been deleted stays for a while under another name.
		r, size, err = b.source(f.File + "." + string(logdir.Deleted))
	}
	if err != nil {
		// Of a log that is gone for good nobody knows; but its end was cut when
		// the next segment came, before it could be deleted.
		return errors.Is(err, fs.ErrNotExist) && isTail(f.Code)
	}
	defer func() { _ = r.Close() }()
	if size <= f.Position {
		return true // cut off
	}
	if isSoundBetween(r, size, f.Position, f) {
		return true
	}
	// Of a log that was cut and written on, batches may begin elsewhere.
	for h, err := range recordbatch.Headers(r, size, 0) {
		if err != nil {
			return false
		}
		if h.EndPosition() > f.Position {
			return h.Position < f.Position && isSoundBetween(r, size, h.Position, f)
		}
	}
	return false
}

func (b *Beside) source(path string) (opened, int64, error) {
	if b.open != nil {
		return b.open(path)
	}
	f, size, err := logdir.OpenFile(path)
	if err != nil {
		return nil, 0, err
	}
	return f, size, nil
}

// isSoundBetween says whether sound batches stand from a position up to the end
// of the damage, or up to where the broker is writing now.
func isSoundBetween(r opened, size, from int64, f *Finding) bool {
	for batch, err := range recordbatch.NewScanner(r, size, recordbatch.Options{File: f.File, From: from}).Batches() {
		if damage := corruptOf(err); damage != nil {
			found := FromCorrupt(damage)
			return isTail(found.Code) && found.Position > f.Position && isNewest(f.File)
		}
		if err != nil {
			return false
		}
		if batch.EndPosition() >= f.EndPosition {
			break
		}
	}
	return true
}
