package dump

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/sanity"
)

// state dumps one of the small files that hold no batches and are no index.
// Kafka's tool reads only the .snapshot of them.
func state(sink *Sink, e logdir.Entry, o *Options, r io.ReaderAt, size int64) error {
	w := stateWriter{sink: sink, file: e.Path, json: o.Format == JSON, quiet: o.Format == Quiet}
	switch kind := e.File.Kind; {
	case kind == logdir.KindProducerSnapshot:
		r, size = settled(e.Path, r, size)
		_, err := statefile.ScanProducerSnapshot(r, size, func(p statefile.ProducerEntry) error {
			return w.producer(&p)
		})
		return w.end(err, snapshotCode(err))
	case kind == logdir.KindLeaderEpochCheckpoint:
		epochs, err := statefile.ReadLeaderEpochs(r, size)
		for i := range epochs.Entries {
			w.entry("epoch-entry", epochs.Entries[i], "epoch: %d startOffset: %d\n", epochs.Entries[i].Epoch, epochs.Entries[i].StartOffset)
		}
		return w.end(err, sanity.CheckpointMalformed)
	case kind.IsOffsetCheckpoint():
		checkpoint, err := statefile.ReadOffsetCheckpoint(r, size)
		for i := range checkpoint.Entries {
			c := &checkpoint.Entries[i]
			w.entry("checkpoint-entry", c, "topic: %s partition: %d offset: %d\n", w.quote(c.Topic), c.Partition, c.Offset)
		}
		return w.end(err, sanity.CheckpointMalformed)
	case kind == logdir.KindPartitionMetadata:
		metadata, err := statefile.ReadPartitionMetadata(r, size)
		if err == nil {
			w.entry("partition-metadata", metadata, "version: %d topicId: %s\n", metadata.Version, metadata.TopicID)
		}
		return w.end(err, sanity.PartitionMetadataMalformed)
	case kind == logdir.KindMetaProperties:
		meta, err := statefile.ReadMetaProperties(r, size)
		w.value("meta-properties", meta)
		return w.end(err, sanity.MetaPropertiesMalformed)
	case kind == logdir.KindCleanShutdown:
		marker, err := statefile.ReadCleanShutdown(r, size)
		w.value("clean-shutdown", marker)
		return w.end(err, sanity.CheckpointMalformed)
	case kind == logdir.KindQuorumState:
		quorum, err := statefile.ReadQuorumState(r, size)
		w.value("quorum-state", quorum)
		return w.end(err, sanity.QuorumStateMalformed)
	}
	return fmt.Errorf("%s: %w", e.Path, errUnknownKind)
}

// A broker writes a producer snapshot in place. It gets so long to finish.
const (
	snapshotPatience = time.Second
	snapshotPause    = 10 * time.Millisecond
)

// settled is the producer snapshot that r reads, or where a broker is running a
// picture of it, taken when nothing was wrong with it, if that comes about.
func settled(path string, r io.ReaderAt, size int64) (io.ReaderAt, int64) {
	if size > statefile.MostPictured || !logdir.HeldNear(path) {
		return r, size
	}
	picture, n, whole, err := statefile.PictureSnapshot(r, size)
	for end := time.Now().Add(snapshotPatience); err == nil && !whole && time.Now().Before(end); {
		time.Sleep(snapshotPause)
		f, size, gone := logdir.OpenFile(path)
		if gone != nil {
			break
		}
		picture, n, whole, err = statefile.PictureSnapshot(f, size)
		_ = f.Close()
	}
	if err != nil {
		return r, size
	}
	return picture, n
}

// stateWriter writes the entries of a small file.
type stateWriter struct {
	sink        *Sink
	file        string
	json, quiet bool
	err         error
}

// producer writes an entry of a producer snapshot, in text as Kafka's tool
// does: the last batch only where there is one.
func (w *stateWriter) producer(p *statefile.ProducerEntry) error {
	if w.json || w.quiet {
		w.entry("producer-entry", p, "")
		return w.err
	}
	line := appendInt(nil, "producerId: ", p.ProducerID)
	line = appendInt(line, " producerEpoch: ", int64(p.ProducerEpoch))
	line = appendInt(line, " coordinatorEpoch: ", int64(p.CoordinatorEpoch))
	if p.InTransaction() {
		line = appendInt(line, " currentTxnFirstOffset: OptionalLong[", p.CurrentTxnFirstOffset)
		line = append(line, ']')
	} else {
		line = append(line, " currentTxnFirstOffset: OptionalLong.empty"...)
	}
	line = appendInt(line, " lastTimestamp: ", p.LastTimestamp)
	if p.HasBatch() {
		line = appendInt(line, " firstSequence: ", int64(p.FirstSequence))
		line = appendInt(line, " lastSequence: ", int64(p.LastSequence))
		line = appendInt(line, " lastOffset: ", p.LastOffset)
		line = appendInt(line, " offsetDelta: ", int64(p.OffsetDelta))
		line = appendInt(line, " timestamp: ", p.LastTimestamp)
	}
	return w.sink.write(append(line, '\n'))
}

// entry writes one value as a line of text or as an object.
func (w *stateWriter) entry(kind string, value any, format string, args ...any) {
	if w.err != nil || w.quiet {
		return
	}
	if w.json {
		w.err = w.sink.write(appendObject(nil, kind, w.file, value))
		return
	}
	w.err = w.sink.printf(format, args...)
}

// value writes a whole file's value; text shows its fields as JSON names them.
func (w *stateWriter) value(kind string, value any) {
	if w.err != nil || w.quiet {
		return
	}
	if w.json {
		w.err = w.sink.write(appendObject(nil, kind, w.file, value))
		return
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		w.err = err
		return
	}
	w.err = w.sink.write(append(AppendQuoted(nil, string(encoded)), '\n'))
}

func (w *stateWriter) quote(s string) string { return string(AppendQuoted(nil, s)) }

// end reports what the reader of the file said.
func (w *stateWriter) end(err error, code sanity.Code) error {
	if w.err != nil {
		return w.err
	}
	if err == nil {
		return nil
	}
	var fault *statefile.Error
	if !errors.As(err, &fault) || errors.Is(err, statefile.ErrRead) {
		return fmt.Errorf("%s: %w", w.file, err)
	}
	if errors.Is(err, statefile.ErrTooLarge) {
		code = sanity.Unsupported
	}
	return malformed(w.sink, code, w.file, fault.Position, err)
}

func snapshotCode(err error) sanity.Code {
	switch {
	case errors.Is(err, statefile.ErrSnapshotVersion):
		return sanity.SnapshotVersion
	case errors.Is(err, statefile.ErrSnapshotSize):
		return sanity.SnapshotSize
	}
	return sanity.SnapshotCRCMismatch
}

// appendObject appends value as an object with type and file in front.
func appendObject(dst []byte, kind, file string, value any) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, kind...)
	dst = append(dst, `","file":`...)
	dst = appendText(dst, file)
	encoded, err := json.Marshal(value)
	if err == nil && len(encoded) > 2 {
		dst = append(dst, ',')
		dst = append(dst, encoded[1:len(encoded)-1]...)
	}
	return append(dst, "}\n"...)
}
