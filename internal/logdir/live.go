package logdir

import (
	"errors"
	"io/fs"
	"time"

	"github.com/kafsck/kafsck/internal/brokerlock"
)

const (
	// MostTries is how often something is tried whose files a broker exchanges
	// meanwhile.
	MostTries = 10
	listPause = 20 * time.Millisecond
)

// HeldAround says whether a process holds the .lock of the log directory in
// which a partition directory lies. Where that can't be found out, nothing is
// excused by a running broker.
func HeldAround(partition string) bool { return held(Parent(partition)) }

// HeldNear is HeldAround for whatever path: a log directory, a partition
// directory, a file of one, or a file beside them.
func HeldNear(path string) bool {
	dir := Parent(path)
	return held(path) || held(dir) || held(Parent(dir))
}

// held asks for the lock of a log directory. Tests have their own answer.
var held = func(dir string) bool {
	h, err := brokerlock.Of(dir)
	return err == nil && h.Held
}

// GoneError is about a file or a partition directory that was in a listing and
// that the running broker has taken away since: retention, a cleaner, or the
// deletion of a topic. That is no failure of whoever listed it.
type GoneError struct {
	Path string
	Err  error // for which errors.Is(Err, fs.ErrNotExist) holds
}

// Error names the path.
func (e *GoneError) Error() string {
	return e.Path + ": the broker that is running has removed or renamed it since it was listed"
}

// Unwrap gives access to the cause.
func (e *GoneError) Unwrap() error { return e.Err }

// Listed is the error of opening what a listing has at path: a GoneError where
// it isn't there any more and a broker holds the log directory, and else the
// error as it is. Of what somebody named and that isn't there it would be wrong.
func Listed(path string, err error) error {
	var gone *GoneError
	if errors.Is(err, fs.ErrNotExist) && !errors.As(err, &gone) && HeldNear(path) {
		return &GoneError{path, err}
	}
	return err
}

// Named is an error about what somebody named, which has to be there: of a
// GoneError, what it wraps.
func Named(err error) error {
	if gone, ok := errors.AsType[*GoneError](err); ok {
		return gone.Err
	}
	return err
}

// Again lists a partition once more, after a moment in which a running broker
// finishes what it is about. The error is a GoneError where it has taken the
// partition away.
func (p *Partition) Again() (*Partition, error) {
	time.Sleep(listPause)
	return p.relist()
}

func (p *Partition) relist() (*Partition, error) {
	now, err := OpenPartition(p.Path)
	now.Link = p.Link
	return now, Listed(p.Path, err)
}
