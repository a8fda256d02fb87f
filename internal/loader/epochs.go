package loader

import (
	"errors"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/leaderepoch"
	"github.com/kafsck/kafsck/internal/statefile"
)

// readEpochs reads leader-epoch-checkpoint, which a broker makes if it is
// missing (LeaderEpochFileCache).
func (l *load) readEpochs() error {
	if l.options.Version.Before(0, 11) {
		l.epochs = nil
		return nil
	}
	l.epochs = new(leaderepoch.Cache)
	f := l.dir.files[epochsName]
	if f == nil {
		l.dir.create(epochsName, 0)
		return nil
	}
	read, err := statefile.ReadFile(f.source, statefile.ReadLeaderEpochs)
	if errors.Is(err, statefile.ErrNegativeEpoch) && l.options.Version.Before(2, 7) {
		err = nil
	}
	if err := thrownBy(err, l.dir.abs(f.name)); err != nil {
		return err
	}
	l.epochs = leaderepoch.NewCache(read.Entries)
	l.plan.EpochsBefore = len(read.Entries)
	return nil
}

// thrownBy is the broker's exception for a fault of a state file. nil is nil,
// and other errors stay as they are.
func thrownBy(err error, path string) error {
	fault := statefile.Damage(err)
	if fault == nil {
		return err
	}
	failure, fails := fault.Broker(path)
	if !fails {
		return nil
	}
	return &indexfile.KafkaError{Class: qualified(failure.Class), Message: failure.Message}
}

// qualified puts the package before the simple name of a class of Java.
func qualified(class string) string {
	switch class {
	case "IOException", "EOFException":
		return "java.io." + class
	case "MalformedInputException":
		return "java.nio.charset." + class
	}
	return "java.lang." + class
}
