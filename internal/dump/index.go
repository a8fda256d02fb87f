package dump

import (
	"fmt"
	"io"

	"github.com/kafsck/kafsck/indexfile"
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

// stops says whether Kafka's tool stops before a slot: it takes any later
// entry at the base offset for the padding of a preallocated file. Only at the
// zero tail it is right; kafsck skips zero holes and goes on.
func stops(slot int, layout *indexfile.Layout) bool { return slot > 0 && slot >= layout.Entries }

func (d *indexDump) offsets(r io.ReaderAt, size int64) error {
	index := indexfile.NewOffsetReader(r, size, d.base)
	index.File = d.file
	layout, err := index.Layout()
	if err != nil {
		return err
	}
	if layout.Slots == 0 && d.Format == Text {
		if err := d.sink.printf("%s is empty.\n", d.file); err != nil {
			return err
		}
		return d.shape(&layout, sanity.IndexSize)
	}
	if d.IndexSanityCheck {
		return d.sanity(indexfile.NewOffsetReader(r, layout.UsedBytes(), d.base).KafkaSanity(d.file), &layout, sanity.IndexSize)
	}
	slot := 0
	var line []byte
	for e, err := range index.Entries() {
		if err != nil {
			return err
		}
		if stops(slot, &layout) || (d.Format == JSON && slot >= layout.Entries) {
			break
		}
		line = line[:0]
		switch {
		case e == (indexfile.OffsetEntry{Offset: d.base}) && slot > 0, d.VerifyIndexOnly:
		case d.Format == JSON:
			line = append(append(line, `{"type":"offset-entry","file":`...), d.fileJSON...)
			line = appendField(line, `,"slot":`, int64(slot))
			line = appendField(line, `,"relativeOffset":`, int64(e.RelativeOffset))
			line = appendField(line, `,"offset":`, e.Offset)
			line = appendField(line, `,"position":`, int64(e.Position))
			line = append(line, "}\n"...)
		case d.Format == Text:
			line = appendInt(line, "offset: ", e.Offset)
			line = appendInt(line, " position: ", int64(e.Position))
			line = append(line, '\n')
		}
		if err := d.sink.write(line); err != nil {
			return err
		}
		slot++
	}
	return d.shape(&layout, sanity.IndexSize)
}

func (d *indexDump) times(r io.ReaderAt, size int64) error {
	index := indexfile.NewTimeReader(r, size, d.base)
	index.File = d.file
	layout, err := index.Layout()
	if err != nil {
		return err
	}
	if d.IndexSanityCheck {
		return d.sanity(indexfile.NewTimeReader(r, layout.UsedBytes(), d.base).KafkaSanity(d.file), &layout, sanity.TimeIndexSize)
	}
	slot := 0
	var line []byte
	for e, err := range index.Entries() {
		if err != nil {
			return err
		}
		if stops(slot, &layout) || (d.Format == JSON && slot >= layout.Entries) {
			break
		}
		line = line[:0]
		switch {
		case e == (indexfile.TimeEntry{Offset: d.base}) && slot > 0, d.VerifyIndexOnly:
		case d.Format == JSON:
			line = append(append(line, `{"type":"time-entry","file":`...), d.fileJSON...)
			line = appendField(line, `,"slot":`, int64(slot))
			line = appendField(line, `,"timestamp":`, e.Timestamp)
			line = appendField(line, `,"relativeOffset":`, int64(e.RelativeOffset))
			line = appendField(line, `,"offset":`, e.Offset)
			line = append(line, "}\n"...)
		case d.Format == Text:
			line = appendInt(line, "timestamp: ", e.Timestamp)
			line = appendInt(line, " offset: ", e.Offset)
			line = append(line, '\n')
		}
		if err := d.sink.write(line); err != nil {
			return err
		}
		slot++
	}
	return d.shape(&layout, sanity.TimeIndexSize)
}

func (d *indexDump) transactions(r io.ReaderAt, size int64) error {
	index := indexfile.NewTxnReader(r, size, d.base)
	index.File = d.file
	layout, err := index.Layout()
	if err != nil {
		return err
	}
	slot := 0
	var line []byte
	for e, err := range index.Entries() {
		if err != nil {
			return err
		}
		line = line[:0]
		if d.Format == JSON {
			line = append(append(line, `{"type":"txn-entry","file":`...), d.fileJSON...)
			line = appendField(line, `,"slot":`, int64(slot))
			line = appendField(line, `,"version":`, int64(e.Version))
			line = appendField(line, `,"producerId":`, e.ProducerID)
			line = appendField(line, `,"firstOffset":`, e.FirstOffset)
			line = appendField(line, `,"lastOffset":`, e.LastOffset)
			line = appendField(line, `,"lastStableOffset":`, e.LastStableOffset)
			line = append(line, "}\n"...)
		} else if d.Format == Text {
			line = appendInt(line, "version: ", int64(e.Version))
			line = appendInt(line, " producerId: ", e.ProducerID)
			line = appendInt(line, " firstOffset: ", e.FirstOffset)
			line = appendInt(line, " lastOffset: ", e.LastOffset)
			line = appendInt(line, " lastStableOffset: ", e.LastStableOffset)
			line = append(line, '\n')
		}
		if err := d.sink.write(line); err != nil {
			return err
		}
		if e.Version != 0 {
			f := sanity.At(sanity.TxnIndexVersion, d.file)
			f.Position, f.Slot = index.Position(slot), int64(slot)
			f.EndPosition = index.Position(slot + 1)
			f.Message = fmt.Sprintf("version %d, where 0 is the only one", e.Version)
			if err := d.sink.finding(&f); err != nil {
				return err
			}
		}
		slot++
	}
	return d.shape(&layout, sanity.TxnIndexSize)
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
// zero tail of a preallocated file is no fault.
func (d *indexDump) sanity(err error, layout *indexfile.Layout, code sanity.Code) error {
	if err == nil && layout.Remainder == 0 {
		return d.sink.printf("%s passed sanity check.\n", d.file)
	}
	if err == nil {
		return d.shape(layout, code)
	}
	f := sanity.At(code, d.file)
	f.Message = err.Error()
	return d.sink.finding(&f)
}
