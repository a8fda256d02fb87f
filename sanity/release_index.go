package sanity

import (
	"errors"
	"slices"
	"strings"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
)

// Up to 2.2 a broker checks the indexes of every segment when it loads them: by
// their length and their last slot (OffsetIndex.sanityCheck,
// TimeIndex.sanityCheck, called by Log.loadSegments and
// LogSegment.sanityCheck). What fails is rebuilt by a recovery of the segment,
// all of its indexes with it; up to 0.8.2 the broker does not start. Since 2.3
// indexes are trusted (KAFKA-7283).

// loadsIndexes says whether the reader checks indexes when it loads them.
func (r *release) loadsIndexes() bool { return r.before(2, 3) }

// loadOffsets makes the check of an .index.
func (r *release) loadOffsets(s *segmentCheck, x *indexfile.OffsetReader) {
	if !r.loadsIndexes() {
		return
	}
	failed := failsLoad(x.KafkaSanity(x.File))
	if n := x.Slots(); n > 0 && r.before(2) {
		// "No larger than the base offset": a zero slot at the end is enough.
		last, err := x.Entry(n - 1)
		failed = failed || err == nil && last.Offset <= s.base
	}
	if failed {
		s.failing = append(s.failing, x.File)
	}
}

// loadTimes makes the check of a .timeindex.
func (r *release) loadTimes(s *segmentCheck, x *indexfile.TimeReader) {
	if r.loadsIndexes() && !r.before(0, 10, 1) && failsLoad(x.KafkaSanity(x.File)) {
		s.failing = append(s.failing, x.File)
	}
}

func failsLoad(err error) bool {
	var thrown *indexfile.KafkaError
	return errors.As(err, &thrown) && strings.HasSuffix(thrown.Class, ".CorruptIndexException")
}

// reload says of the faults of a segment's indexes that the load mends them, or
// that it ends there.
func (r *release) reload(s *segmentCheck, segment *logdir.Segment) {
	if len(s.failing) == 0 {
		return
	}
	var files []string
	for _, e := range []*logdir.Entry{segment.Index, segment.TimeIndex, segment.TxnIndex} {
		if e != nil {
			files = append(files, e.Path)
		}
	}
	env := s.partition.env
	// After an unclean stop the newest segment is recovered in any case, and
	// what is being deleted does not matter.
	recovered := env.live || s.next < 0 && !env.closedCleanly || env.marker == logdir.Delete || env.marker == logdir.Stray
	for _, f := range s.partition.report.findings {
		fails := slices.Contains(s.failing, f.File)
		padding := f.Code == IndexPreallocated || f.Code == TimeIndexPreallocated
		switch {
		case !slices.Contains(files, f.File), padding && (recovered || !fails), !padding && f.Severity < Error:
		case r.before(0, 9) && (!recovered || f.Code == IndexSize && r.before(0, 8, 1)):
			f.Severity = Error
			f.Broker = "the broker does not start: the index fails the check that " + r.name() + " makes of it at the load"
		case fails:
			f.Severity = Warning
			f.Broker = "the index fails the check that " + r.name() + " makes of it at the load: the segment is recovered, and its indexes are rebuilt"
		default:
			f.Severity = Warning
			f.Broker = "rebuilt at the load: " + baseName(s.failing[0]) + " fails the check that " + r.name() + " makes of it, and the segment is recovered"
		}
	}
}

// takesTxnVersion says whether the reader takes an entry of another version
// than 0 for one of version 0: up to 4.3 it looks at the first byte of the two
// alone, and only at whether it is larger (AbortedTxn.version).
func (r *release) takesTxnVersion(version int16) bool { return r.before(4, 4) && version>>8 <= 0 }
