package loader

import (
	"slices"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/internal/statefile"
)

// readEpochs reads leader-epoch-checkpoint, which a broker makes if it is
// missing (LeaderEpochFileCache).
func (l *load) readEpochs() error {
	if l.options.Version.Before(0, 11) {
		l.epochs = nil
		return nil
	}
	l.epochs = new(recovery.Epochs)
	f := l.dir.files[epochsName]
	if f == nil {
		l.dir.create(epochsName, 0)
		return nil
	}
	read, err := statefile.ReadFile(f.source, statefile.ReadLeaderEpochs)
	if err := thrownBy(err, l.dir.abs(f.name)); err != nil {
		return err
	}
	l.epochs = recovery.NewEpochs(read.Entries)
	l.plan.EpochsBefore = len(read.Entries)
	return nil
}

// truncateEpochs drops what lies outside of the log
// (LeaderEpochFileCache.truncateFromEnd, truncateFromStart).
func (l *load) truncateEpochs(end, start int64) {
	if l.epochs == nil {
		return
	}
	entries := l.epochs.Entries
	if n := len(entries); n > 0 && entries[n-1].StartOffset >= end {
		entries = slices.DeleteFunc(entries, func(e statefile.EpochEntry) bool { return e.StartOffset >= end })
	}
	covering := -1
	for i, e := range entries {
		if e.StartOffset <= start {
			covering = i
		}
	}
	if covering >= 0 {
		last := entries[covering]
		last.StartOffset = start
		entries = slices.DeleteFunc(entries, func(e statefile.EpochEntry) bool { return e.StartOffset <= start && e.Epoch != last.Epoch })
		for i := range entries {
			if entries[i].Epoch == last.Epoch {
				entries[i] = last
			}
		}
	}
	l.epochs.Entries = entries
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
