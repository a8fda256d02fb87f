package rebuild

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/recovery"
)

// Options say what is rebuilt and where it goes. Without InPlace and OutDir
// nothing is written.
type Options struct {
	Version kafkaversion.Version
	Rule    recovery.Rule
	// Interval is index.interval.bytes, MaxIndexSize segment.index.bytes.
	Interval     int64
	MaxIndexSize int
	// Kinds are the indexes to rebuild; none means all.
	Kinds []indexfile.Kind
	// Prefix indexes, of a damaged log, the part before the damage.
	Prefix bool

	// InPlace replaces the indexes beside the log; OutDir writes into
	// OutDir/<partition>/ instead.
	InPlace bool
	OutDir  string
	// Verify looks every offset up through what was written.
	Verify bool

	// Workers is how many segments are read at a time; 0 is 1.
	Workers int
	// Reading, where not nil, is put between the rebuilder and each log that it
	// reads, to count or to slow down. Several goroutines use what it returns.
	Reading func(io.ReaderAt) io.ReaderAt

	// FS and Now are for tests.
	FS  FS
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	if o.FS == nil {
		o.FS = OS
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func (o *Options) writes() bool { return o.InPlace || o.OutDir != "" }

// wants says whether an index of a kind is rebuilt: chosen, and known to the
// release.
func (o *Options) wants(kind indexfile.Kind) bool {
	switch {
	case kind == indexfile.Time && o.Version.Before(0, 10, 1), kind == indexfile.Txn && o.Version.Before(0, 11):
		return false
	}
	return len(o.Kinds) == 0 || slices.Contains(o.Kinds, kind)
}

// Why nothing was written.
var (
	// ErrLocked: a broker holds the lock of the log directory.
	ErrLocked = errors.New("a broker holds the .lock of the log directory")
	// ErrDamaged: the log is damaged, and nobody asked for the part before.
	ErrDamaged = errors.New("the log is damaged")
	// ErrFull: the entries don't fit into an index of the given size.
	ErrFull = errors.New("the index would be full")
	// ErrChanged: the log or an old index changed meanwhile.
	ErrChanged = errors.New("changed while it was read")
	// ErrExists: there is a file of that name in the output directory.
	ErrExists = errors.New("exists already")
	// ErrLink: a symbolic link leads out of the directory.
	ErrLink = errors.New("a symbolic link leads out of the directory")
	// ErrUnknownTransactions: what the transaction index holds can't be known.
	ErrUnknownTransactions = errors.New("the transactions before the segment are not known")

	errBusy = errors.New("another kafsck is rebuilding indexes there")
)
