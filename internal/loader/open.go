package loader

import (
	"errors"
	"strings"

	"github.com/kafsck/kafsck/indexfile"
)

// loadSegments opens all segments (LogLoader.loadSegmentFiles).
func (l *load) loadSegments() error {
	l.segments = nil
	for _, name := range l.dir.names() {
		switch {
		case l.isIndexName(name):
			base, thrown := offsetOf(name)
			if thrown != nil {
				return thrown
			}
			if !l.dir.has(fileName(base, extLog)) {
				l.removeFile(name, reasonOrphan)
			}
		case strings.HasSuffix(name, extLog):
			base, thrown := offsetOf(name)
			if thrown != nil {
				return thrown
			}
			if err := l.loadSegment(base); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadSegment opens a segment and checks it (LogSegment.sanityCheck): the
// offset index has to be there, and the transaction index sound.
func (l *load) loadSegment(base int64) error {
	hadIndex, hadTimes := l.dir.has(fileName(base, extIndex)), l.dir.has(fileName(base, extTime))
	s, err := l.openSegment(base, "")
	if err != nil {
		return err
	}
	if f := l.dir.files[fileName(base, extIndex)]; f != nil && l.options.Version.Before(0, 8, 1) && f.size%indexfile.OffsetEntrySize != 0 {
		return throw(classIllegalState, "Index file %s is corrupt, found %d bytes which is not positive or not a multiple of 8.", f.name, f.size)
	}
	if l.options.Version.Before(2, 3) {
		if err := s.makeIndexes(); err != nil {
			return err
		}
	}
	reason, err := l.checkIndexes(s, hadIndex, hadTimes)
	if err != nil {
		return err
	}
	if reason != "" {
		if v := l.options.Version; reason != "index-missing" && !v.Before(0, 9) && v.Before(1, 1) {
			for _, ext := range l.indexExts() {
				l.dir.remove(s.name(ext)) // made anew by the recovery, if it comes so far
			}
		}
		if _, err := l.recoverSegment(s, reason); err != nil {
			return err
		}
	}
	l.add(s)
	return nil
}

// checkIndexes says why a segment has to be recovered at once; "" it hasn't.
func (l *load) checkIndexes(s *segment, hadIndex, hadTimes bool) (reason string, err error) {
	if l.options.Version.Before(2, 3) {
		return l.checkIndexesOld(s, hadIndex, hadTimes)
	}
	if !hadIndex {
		return "index-missing", nil
	}
	if !hadTimes {
		if f, err := s.index(indexfile.Time); err != nil {
			return "", err
		} else {
			f.size = 0
		}
	}
	return l.checkTxn(s)
}

func (l *load) checkTxn(s *segment) (reason string, err error) {
	f := l.dir.files[s.name(extTxn)]
	if f == nil || f.source == "" {
		return "", nil
	}
	r, closeFile, err := l.open(f)
	if err != nil {
		return "", err
	}
	defer closeFile()
	reader := indexfile.NewTxnReader(r, f.size, s.base)
	reader.File = f.source
	err = reader.KafkaSanity(l.dir.abs(f.name))
	var thrown *indexfile.KafkaError
	if errors.As(err, &thrown) && thrown.Class == classCorruptIndex {
		return "txnindex-mismatch", nil
	}
	if errors.As(err, &thrown) && l.options.Version.Before(4, 4) {
		return "", l.versionBefore44(reader, err)
	}
	return "", err
}

// versionBefore44: up to 4.3 only the first byte of a version is looked at.
func (l *load) versionBefore44(reader *indexfile.TxnReader, thrown error) error {
	for e, err := range reader.Entries() {
		if err != nil {
			return err
		}
		if e.Version>>8 > 0 {
			return thrown
		}
	}
	return nil
}

// growIndexes gives the indexes of the active segment their full size, with
// room for more entries (LogSegment.resizeIndexes).
func (l *load) growIndexes(s *segment) error {
	for _, kind := range l.sizedIndexes() {
		full, err := l.indexSize(kind)
		if err != nil {
			return err
		}
		f, err := s.index(kind)
		if err != nil {
			return err
		}
		entry := int64(kind.EntrySize())
		if used := f.size - f.size%entry; used > full {
			return throw(classIllegalArg, "newPosition > limit: (%d > %d)", used, full)
		}
	}
	return nil
}
