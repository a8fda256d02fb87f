package loader

import (
	"cmp"
	"math"
	"strings"
)

// removeTemporary deletes what an interrupted deletion, cleaning or split left
// behind, and returns the .swap files that count
// (LogLoader.removeTempFilesAndCollectSwapFiles).
func (l *load) removeTemporary() (swaps []string, err error) {
	smallest := int64(math.MaxInt64)
	var cleaned []string
	for _, name := range l.dir.names() {
		switch {
		case strings.HasSuffix(name, sufDeleted) && !strings.HasSuffix(name, checkpointDeleted):
			l.removeFile(name, reasonLeftover)
		case strings.HasSuffix(name, sufCleaned):
			if !l.options.Version.Before(2) {
				offset, thrown := offsetOf(name)
				if thrown != nil {
					return nil, thrown
				}
				smallest = min(smallest, offset)
			}
			cleaned = append(cleaned, name)
		case strings.HasSuffix(name, sufSwap) && (!l.options.Version.Before(3) || hasSuffix(strings.TrimSuffix(name, sufSwap), l.exts())):
			swaps = append(swaps, name)
		}
	}
	valid := swaps[:0]
	for _, name := range swaps {
		offset, thrown := offsetOf(name)
		switch {
		case thrown != nil:
			return nil, thrown
		case offset >= smallest && !l.options.Version.Before(2):
			l.removeFile(name, "swap-incomplete")
			if l.options.Version.Before(3) { // deletes the indexes before it knows that
				for _, ext := range l.indexExts() {
					l.removeFile(fileName(offset, ext), reasonReplaced)
				}
			}
		default:
			valid = append(valid, name)
		}
	}
	for _, name := range cleaned {
		l.removeFile(name, reasonLeftover)
	}
	return valid, nil
}

// completeSwaps deletes the segments that the .swap files replace and renames
// these.
func (l *load) completeSwaps(swaps []string) error {
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	by := ""
	for _, name := range swaps {
		if !strings.HasSuffix(strings.TrimSuffix(name, sufSwap), extLog) {
			continue
		}
		base, thrown := offsetOf(name)
		if thrown != nil {
			return thrown
		}
		s, err := l.openSegment(base, sufSwap)
		if err != nil {
			return err
		}
		next, err := s.nextOffset()
		if err != nil {
			return err
		}
		low, high = min(low, base), max(high, next)
		by = cmp.Or(by, name)
	}
	for _, name := range l.dir.names() {
		offset, thrown := offsetOf(name)
		if thrown == nil && !strings.HasSuffix(name, sufSwap) && offset >= low && offset < high {
			l.replaced(name, by, high)
		}
	}
	for _, name := range l.dir.names() {
		if strings.HasSuffix(name, sufSwap) {
			if err := l.renameFile(name, strings.TrimSuffix(name, sufSwap), reasonSwap); err != nil {
				return err
			}
		}
	}
	return nil
}
