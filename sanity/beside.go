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
	dir := filepath.Dir(f.File)
	held, err := brokerlock.Of(logdir.Parent(dir))
	if err != nil || !held.Held {
		return
	}
	name := logdir.ParseName(filepath.Base(f.File))
	partition, err := logdir.OpenPartition(dir)
	if err != nil || name.Kind != logdir.KindLog || name.Suffix != logdir.NoSuffix || !name.HasOffset {
		return
	}
	for i := range partition.Segments {
		if s := &partition.Segments[i]; s.Log != nil && s.BaseOffset > name.BaseOffset {
			return
		}
	}
	f.Severity, f.Broker = Info, midWrite
}
