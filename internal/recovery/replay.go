package recovery

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/producerstate"
	"github.com/kafsck/kafsck/internal/statefile"
)

// replay applies the batches of a log to the state of its producers, from the
// batch that holds the offset from on: how a broker gets from a snapshot to a
// later offset (LogLoader.rebuildProducerState). Only headers and markers are
// read; no checksum is looked at, by Kafka neither. The walk ends silently
// where the last batch is incomplete. thrown is what keeps a broker from
// loading the log; err is about reading.
func replay(r io.ReaderAt, size int64, file string, from int64, version kafkaversion.Version, state *producerstate.State) (thrown *indexfile.KafkaError, err error) {
	w := walker{r: r, end: size, file: file, version: version}
	for {
		ok, thrown, err := w.header()
		if !ok || err != nil {
			return thrown, err
		}
		b := &w.batch
		if !b.IsLegacy() && b.LastOffset() >= from {
			if b.ProducerID >= 0 && b.IsControl() {
				if b.Size > maxWindow {
					return nil, w.needData()
				}
				if b.Data, err = w.bytes(b.Size); err != nil {
					return nil, err
				}
			}
			var kafka *indexfile.KafkaError
			if _, err := state.Append(b); errors.As(err, &kafka) {
				return kafka, nil
			} else if err != nil {
				return nil, err
			}
		}
		w.next()
	}
}

// Before tells what the producers of a partition were up to when a segment
// began, and how that is known.
type Before struct {
	State *producerstate.State
	// Snapshot is the producer snapshot that the state began with; nil if
	// there was none in range that could be read.
	Snapshot *logdir.Entry
	// Replayed are the segments that were read behind it.
	Replayed []logdir.Segment
	// Skipped are snapshots in range that a broker deletes because they are
	// corrupt, with the reason.
	Skipped []error
	// Start is the offset from which on the state is known. Without a
	// snapshot that is the first segment's base offset; above 0, transactions
	// that began before are not known, to a broker neither.
	Start int64
	// Thrown is what keeps a broker from replaying so far; State is then as
	// far as it came.
	Thrown *indexfile.KafkaError
}

// StateBefore gets the state of the producers before the segment with the
// given base offset as a broker does that recovers it
// (LogLoader.recoverSegment): from the newest readable snapshot above the log
// start offset and not above the base offset, and from the segments between.
// Nobody expires: expiry never touches a producer in a transaction.
func StateBefore(p *logdir.Partition, base, logStart int64, version kafkaversion.Version) (*Before, error) {
	before := &Before{State: producerstate.New(version, logStart), Start: logStart}
	before.State.Partition = p.Dir.String()
	if first, ok := firstBase(p); ok && first > logStart {
		before.Start = first
	}
	before.State.SetEndOffset(before.Start)
	for i := len(p.Snapshots) - 1; i >= 0 && before.Snapshot == nil; i-- {
		entry := &p.Snapshots[i]
		if n := entry.File.BaseOffset; n <= logStart || n > base {
			continue
		}
		snapshot, err := statefile.ReadFile(entry.Path, statefile.ReadProducerSnapshot)
		switch {
		case statefile.Damage(err) != nil:
			before.Skipped = append(before.Skipped, err)
			continue
		case errors.Is(err, fs.ErrNotExist):
			continue // a broker has deleted it since it was listed
		case err != nil:
			return before, err
		}
		before.State.Load(snapshot.Entries, entry.File.BaseOffset)
		before.Snapshot, before.Start = entry, entry.File.BaseOffset
	}
	from := before.State.EndOffset()
	for i, segment := range p.Segments {
		if segment.Log == nil || segment.BaseOffset >= base || i+1 < len(p.Segments) && p.Segments[i+1].BaseOffset <= from {
			continue
		}
		before.Replayed = append(before.Replayed, segment)
		var err error
		if before.Thrown, err = replayFile(segment.Log.Path, max(from, logStart), version, before.State); err != nil || before.Thrown != nil {
			return before, err
		}
	}
	return before, nil
}

func firstBase(p *logdir.Partition) (int64, bool) {
	for _, segment := range p.Segments {
		if segment.Log != nil {
			return segment.BaseOffset, true
		}
	}
	return 0, false
}

func replayFile(path string, from int64, version kafkaversion.Version, state *producerstate.State) (*indexfile.KafkaError, error) {
	f, size, err := logdir.OpenFile(path)
	if err != nil {
		return nil, fmt.Errorf("producer state: %w", err)
	}
	defer f.Close()
	return replay(f, size, path, from, version, state)
}
