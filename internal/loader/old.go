package loader

import (
	"errors"
	"slices"
	"strings"

	"github.com/kafsck/kafsck/indexfile"
)

// beginOld is what releases before 3.0 do with left-over files and with
// segments before the recovery (Log.loadSegments).
func (l *load) beginOld() error {
	if l.options.Version.Before(0, 8, 1) {
		return l.loadSegments() // knows no suffixes
	}
	swaps, err := l.removeTemporary()
	if err != nil {
		return err
	}
	logs, err := l.takeSwapsOld(swaps)
	if err != nil {
		return err
	}
	if err := l.retry(l.loadSegments); err != nil {
		return err
	}
	for _, name := range logs {
		if err := l.completeSwapOld(name); err != nil {
			return err
		}
	}
	return nil
}

// takeSwapsOld deletes the indexes that .swap files are going to replace, which
// are rebuilt, and returns the logs. Up to 0.8.2 these are renamed at once, and
// up to 1.0 indexes called .swap are deleted.
func (l *load) takeSwapsOld(swaps []string) (logs []string, err error) {
	v := l.options.Version
	replaced := l.indexExts()
	if v.Before(0, 11) {
		replaced = []string{extIndex} // even where there are time indexes
	}
	for _, name := range swaps {
		plain := strings.TrimSuffix(name, sufSwap)
		isLog := strings.HasSuffix(plain, extLog)
		if !isLog && !hasSuffix(plain, replaced) {
			continue
		}
		base, thrown := offsetOf(name)
		if thrown != nil {
			return nil, thrown
		}
		if !isLog && v.Before(1, 1) {
			l.removeFile(name, reasonLeftover)
			continue
		}
		for _, ext := range replaced {
			l.removeFile(fileName(base, ext), reasonReplaced)
		}
		switch {
		case isLog && v.Before(0, 9):
			if err := l.renameFile(name, plain, reasonSwap); err != nil {
				return nil, err
			}
		case isLog:
			logs = append(logs, name)
		}
	}
	return logs, nil
}

// completeSwapOld recovers a .log.swap and puts it in the place of the segments
// that it covers (Log.completeSwapOperations).
func (l *load) completeSwapOld(name string) error {
	base, thrown := offsetOf(name)
	if thrown != nil {
		return thrown
	}
	s, err := l.openSegment(base, sufSwap)
	if err != nil {
		return err
	}
	if l.options.Version.Before(2, 3) { // indexes are made with the segment
		if err := s.makeIndexes(); err != nil {
			return err
		}
	}
	if _, err := l.recoverSegment(s, reasonSwap); err != nil {
		return err
	}
	next, err := s.nextOffset()
	if err != nil {
		return err
	}
	if s := floor(l.segments, base); s != nil && s.base > next && l.options.Version.Before(2) {
		return throw(classIllegalArg, "inconsistent range")
	}
	var old []*segment
	if next > base || l.options.Version.Before(2) { // else the range is empty
		for _, o := range between(l.segments, base, next) {
			if !l.options.Version.Before(2) {
				if end, err := o.nextOffset(); err != nil {
					return err
				} else if end <= base {
					continue
				}
			}
			old = append(old, o)
		}
	}
	for _, o := range slices.Clone(old) {
		if o.base != base {
			l.drop(o.base)
		}
		l.replacedLog(o, name, next)
		for _, ext := range l.exts() {
			l.dir.rename(o.name(ext), o.name(ext)+sufDeleted)
		}
	}
	for _, ext := range l.exts() {
		if from := s.name(ext); l.dir.has(from) {
			if err := l.renameFile(from, fileName(base, ext), reasonSwap); err != nil {
				return err
			}
		}
	}
	s.suffix = ""
	l.add(s)
	return nil
}

// checkIndexesOld is the check of the indexes of releases up to 2.2. Some of
// them make a missing index before they look for it, and so never miss it: 0.9
// to 0.10.0, and 1.1 to 2.2.
func (l *load) checkIndexesOld(s *segment, hadIndex, hadTimes bool) (reason string, err error) {
	v := l.options.Version
	switch {
	case !hadIndex && v.Before(0, 8, 1):
		return "", throw(classIllegalState, "Found log file with no corresponding index file.")
	case !hadIndex && (v.Before(0, 9) || !v.Before(0, 10, 1) && v.Before(1, 1)):
		return "index-missing", nil
	}
	if v.Before(0, 9) {
		return "", nil // checkIndexes08
	}
	reason, err = l.checkOffsetsOld(s)
	if err != nil || reason != "" || v.Before(0, 10, 1) {
		return reason, err
	}
	if !hadTimes {
		f, err := s.index(indexfile.Time)
		if err != nil {
			return "", err
		}
		f.size = 0
	} else if reason, err := l.checkTimesOld(s); err != nil || reason != "" {
		return reason, err
	}
	if v.Before(0, 11) {
		return "", nil
	}
	return l.checkTxn(s)
}

// checkIndexes08 is the check of all indexes that ends a load in releases before
// 0.9. That of the active segment has been resized then.
func (l *load) checkIndexes08() error {
	for _, s := range l.segments {
		f := l.dir.files[s.name(extIndex)]
		if f == nil {
			continue
		}
		if s == l.last() && !l.options.Version.Before(0, 8, 1) {
			f.size -= f.size % indexfile.OffsetEntrySize
		}
		reason, err := l.checkOffsetsOld(s)
		if err == nil && reason != "" {
			err = throw(classIllegalArg, "requirement failed: Corrupt index found, index file (%s)", l.dir.abs(f.name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *load) checkOffsetsOld(s *segment) (reason string, err error) {
	f := l.dir.files[s.name(extIndex)]
	if f.source == "" { // made just now, of a recovery or without entries
		if f.index != nil && f.index.entries > 0 && f.index.last.Offset <= s.base {
			reason = "index-not-increasing"
		}
		return reason, nil
	}
	err = s.read(f, func(r *indexfile.OffsetReader, entries int) error {
		if err := r.KafkaSanity(l.dir.abs(f.name)); err != nil || entries == 0 || !l.options.Version.Before(2) {
			return err
		}
		last, err := r.Entry(entries - 1)
		if err == nil && last.Offset <= s.base {
			reason = "index-not-increasing"
		}
		return err
	})
	return corruptIndex(err, reason, "index-size")
}

func (l *load) checkTimesOld(s *segment) (reason string, err error) {
	f := l.dir.files[s.name(extTime)]
	if f.source == "" {
		return "", nil
	}
	r, closeFile, err := l.open(f)
	if err != nil {
		return "", err
	}
	defer closeFile()
	reader := indexfile.NewTimeReader(r, f.size, s.base)
	reader.File = f.source
	return corruptIndex(reader.KafkaSanity(l.dir.abs(f.name)), "", "timeindex-not-increasing")
}

// corruptIndex turns CorruptIndexException into a reason to recover.
func corruptIndex(err error, reason, corrupt string) (string, error) {
	var thrown *indexfile.KafkaError
	if errors.As(err, &thrown) && thrown.Class == classCorruptIndex {
		return corrupt, nil
	}
	return reason, err
}
