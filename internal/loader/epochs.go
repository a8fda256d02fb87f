package loader

import (
	"errors"
	"fmt"
	"strings"

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
	if err := l.asStorage(l.numbers(thrownBy(err, l.dir.abs(f.name)), f.name), l.dir.abs(f.name)); err != nil {
		return err
	}
	l.epochs = leaderepoch.NewCache(read.Entries)
	l.plan.EpochsBefore = len(read.Entries)
	return nil
}

// numbers: up to 3.0 a number of a checkpoint that is none, or a negative count,
// is an IOException too (CheckpointFile.read).
func (l *load) numbers(err error, name string) error {
	var thrown *indexfile.KafkaError
	if !errors.As(err, &thrown) || !l.options.Version.Before(3, 1) || isIO(thrown) && !l.options.Version.Before(1) {
		return err
	}
	return &indexfile.KafkaError{Class: classIO, Message: fmt.Sprintf("Malformed line in checkpoint file (%s)", l.dir.abs(name))}
}

// asStorage is the exception for a fault of a file of the partition. An
// IOException is always the cause of a KafkaStorageException since 1.0, which
// the broker takes for a failure of the log directory since 3.2; before, it died
// of it. Others, and nil, stay as they are.
func (l *load) asStorage(err error, path string) error {
	var thrown *indexfile.KafkaError
	if v := l.options.Version; errors.As(err, &thrown) && isIO(thrown) && v.Before(3, 2) && !v.Before(1) {
		return &indexfile.KafkaError{Class: classStorage, Message: "Error while reading checkpoint file " + path}
	}
	return err
}

// isIO says whether an exception is an IOException.
func isIO(thrown *indexfile.KafkaError) bool {
	return strings.HasPrefix(thrown.Class, "java.io.") || strings.HasPrefix(thrown.Class, "java.nio.file.") || strings.HasPrefix(thrown.Class, "java.nio.charset.")
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
