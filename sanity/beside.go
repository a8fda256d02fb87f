package sanity

import (
	"path/filepath"

	"github.com/kafsck/kafsck/internal/brokerlock"
	"github.com/kafsck/kafsck/internal/logdir"
)

// midWrite is what a running broker makes of an unfinished end.
const midWrite = "a broker holds the log directory: the end may be in mid-write, or preallocated"

// BesideBroker lowers a finding to info where a running broker explains it: a
// torn end, or zeros up to the end, of the newest segment of a partition whose
// log directory's .lock is held. Check does so by itself; this is for commands
// that look at single logs.
func BesideBroker(f *Finding) {
	if f.Code != LogTornTail && f.Code != LogZeroTail || f.Severity == Info {
		return
	}
	dir, name := filepath.Dir(f.File), logdir.ParseName(filepath.Base(f.File))
	if name.Kind != logdir.KindLog || name.Suffix != logdir.NoSuffix || !name.HasOffset || !heldAround(dir) {
		return
	}
	if next, err := nextSegment(dir, name.BaseOffset); err == nil && next < 0 {
		f.Severity, f.Broker = Info, midWrite
	}
}

// heldAround says whether a process holds the .lock of the log directory in
// which a partition directory lies.
func heldAround(partition string) bool {
	h, err := brokerlock.Of(logdir.Parent(partition))
	return err == nil && h.Held
}
