package dump

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/sanity"
)

// indexDump writes an index file.
type indexDump struct {
	*Options
	sink     *Sink
	file     string
	fileJSON []byte
	base     int64
}

// indexKind is what differs between the three kinds of index.
type indexKind[E comparable] struct {
	reader  *indexfile.Reader[E]
	size    sanity.Code // of a file that isn't a whole number of entries
	padding E           // a zero slot, as it is read; never skipped where it is a real entry
	check   func(used int64) error
	text    func(dst []byte, e E) []byte
	json    func(dst []byte, e E) []byte
}

func (d *indexDump) offsets(r io.ReaderAt, size int64) error {
	return dumpIndex(d, indexKind[indexfile.OffsetEntry]{
		reader:  &indexfile.NewOffsetReader(r, size, d.base).Reader,
		size:    sanity.IndexSize,
		padding: indexfile.OffsetEntry{Offset: d.base},
		check: func(used int64) error {
			return indexfile.NewOffsetReader(r, used, d.base).KafkaSanity(d.file)
		},
		text: func(dst []byte, e indexfile.OffsetEntry) []byte {
			dst = appendInt(dst, "offset: ", e.Offset)
			return appendInt(dst, " position: ", int64(e.Position))
		},
		json: func(dst []byte, e indexfile.OffsetEntry) []byte {
			dst = appendField(dst, `,"relativeOffset":`, int64(e.RelativeOffset))
			dst = appendField(dst, `,"offset":`, e.Offset)
			return appendField(dst, `,"position":`, int64(e.Position))
		},
	})
}

func (d *indexDump) times(r io.ReaderAt, size int64) error {
	return dumpIndex(d, indexKind[indexfile.TimeEntry]{
		reader:  &indexfile.NewTimeReader(r, size, d.base).Reader,
		size:    sanity.TimeIndexSize,
		padding: indexfile.TimeEntry{Offset: d.base},
		check: func(used int64) error {
			return indexfile.NewTimeReader(r, used, d.base).KafkaSanity(d.file)
		},
		text: func(dst []byte, e indexfile.TimeEntry) []byte {
			dst = appendInt(dst, "timestamp: ", e.Timestamp)
			return appendInt(dst, " offset: ", e.Offset)
		},
		json: func(dst []byte, e indexfile.TimeEntry) []byte {
			dst = appendField(dst, `,"timestamp":`, e.Timestamp)
			dst = appendField(dst, `,"relativeOffset":`, int64(e.RelativeOffset))
			return appendField(dst, `,"offset":`, e.Offset)
		},
	})
}

func (d *indexDump) transactions(r io.ReaderAt, size int64) error {
	return dumpIndex(d, indexKind[indexfile.TxnEntry]{
		reader: &indexfile.NewTxnReader(r, size, d.base).Reader,
		size:   sanity.TxnIndexSize,
		check: func(used int64) error {
			return indexfile.NewTxnReader(r, used, d.base).KafkaSanity(d.file)
		},
		text: func(dst []byte, e indexfile.TxnEntry) []byte {
			dst = appendInt(dst, "version: ", int64(e.Version))
			dst = appendInt(dst, " producerId: ", e.ProducerID)
			dst = appendInt(dst, " firstOffset: ", e.FirstOffset)
			dst = appendInt(dst, " lastOffset: ", e.LastOffset)
			return appendInt(dst, " lastStableOffset: ", e.LastStableOffset)
		},
		json: func(dst []byte, e indexfile.TxnEntry) []byte {
			dst = appendField(dst, `,"version":`, int64(e.Version))
			dst = appendField(dst, `,"producerId":`, e.ProducerID)
			dst = appendField(dst, `,"firstOffset":`, e.FirstOffset)
			dst = appendField(dst, `,"lastOffset":`, e.LastOffset)
			return appendField(dst, `,"lastStableOffset":`, e.LastStableOffset)
		},
	})
}

// objectTypes are the types of the entries in JSON.
var objectTypes = map[indexfile.Kind]string{
	indexfile.Offset: "offset-entry",
	indexfile.Time:   "time-entry",
	indexfile.Txn:    "txn-entry",
}

func dumpIndex[E comparable](d *indexDump, kind indexKind[E]) error {
	kind.reader.File = d.file
	layout, err := kind.reader.Layout()
	if err != nil {
		return err
	}
	// Kafka's tool says so of an offset index alone, whatever the flags.
	if layout.Kind == indexfile.Offset && layout.Slots == 0 && d.Format == Text {
		return d.sink.printf("%s is empty.\n", d.sink.path(d.file))
	}
	if d.IndexSanityCheck && layout.Kind != indexfile.Txn {
		return d.sanity(kind.check(layout.UsedBytes()), &layout, kind.size)
	}
	// The zero tail of a preallocated file holds no entries. Kafka's tool
	// takes a later entry at the base offset for it and stops; of a file of
	// zeros alone it prints the first slot.
	last := layout.Entries
	if last == 0 && layout.Slots > 0 && d.Format == Text {
		last = 1
	}
	slot := 0
	var line []byte
	for e, err := range kind.reader.EntriesBetween(0, last) {
		if err != nil {
			return err
		}
		hole := slot > 0 && e == kind.padding && layout.Kind != indexfile.Txn
		line = line[:0]
		switch {
		case d.VerifyIndexOnly && layout.Kind != indexfile.Txn: // Kafka's tool does so too
		case d.Format == JSON:
			line = append(append(line, `{"type":"`...), objectTypes[layout.Kind]...)
			line = append(append(line, `","file":`...), d.fileJSON...)
			line = appendField(line, `,"slot":`, int64(slot))
			line = append(kind.json(line, e), "}\n"...)
		case d.Format == Text && !hole:
			line = append(kind.text(line, e), '\n')
		}
		if err := d.sink.write(line); err != nil {
			return err
		}
		slot++
	}
	return nil
}

// judge says what is wrong with the index, alone and against the log beside
// it. That there is no log is no fault of what is dumped.
func (d *indexDump) judge(ctx context.Context, e logdir.Entry) error {
	options := sanity.Options{Depth: sanity.Checksums, Workers: d.Workers}
	_, err := sanity.CheckFile(ctx, e, options, func(f *sanity.Finding) error {
		if f.Severity == sanity.Info || f.Code == sanity.FileOrphan {
			return nil
		}
		return d.sink.finding(f)
	})
	return err
}

// shape reports a size that isn't a whole number of entries.
func (d *indexDump) shape(layout *indexfile.Layout, code sanity.Code) error {
	if layout.Remainder == 0 {
		return nil
	}
	f := sanity.At(code, d.file)
	f.Position, f.EndPosition = layout.FileBytes-int64(layout.Remainder), layout.FileBytes
	f.Message = fmt.Sprintf("%d bytes are no whole number of entries of %d bytes", layout.FileBytes, layout.Kind.EntrySize())
	return d.sink.finding(&f)
}

// sanity tells the outcome of Kafka's own check, made on the used entries: the
// zero tail of a preallocated file is no fault. JSON has findings alone.
func (d *indexDump) sanity(err error, layout *indexfile.Layout, code sanity.Code) error {
	switch {
	case err == nil && layout.Remainder > 0:
		return d.shape(layout, code)
	case err == nil && d.Format == Text:
		return d.sink.printf("%s passed sanity check.\n", d.sink.path(d.file))
	case err == nil:
		return nil
	case errors.As(err, new(*indexfile.ReadError)):
		return err // nothing is known of the index
	}
	f := sanity.At(code, d.file)
	f.Message = err.Error()
	return d.sink.finding(&f)
}
