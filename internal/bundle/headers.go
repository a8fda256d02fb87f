package bundle

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/kafsck/kafsck/internal/dump"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// headersEnd is the last object of a dump of headers: what of the log it shows.
type headersEnd struct {
	Type    string `json:"type"`
	File    string `json:"file"`
	Bytes   int64  `json:"bytes"`
	Batches int64  `json:"batches"`
	Shown   int64  `json:"shown"`
	Damaged int64  `json:"damaged"` // batches, and stretches that are none
}

// headerDump dumps the headers of one log.
type headerDump struct {
	b       *builder
	out     io.Writer // keeps its first error
	path    string
	file    string // as shown
	decoder recordbatch.Decoder
	line    []byte
	end     headersEnd
	extra   int64 // damaged ones that are shown beyond the limit
}

// headers adds the headers of a log, and all that is known of its records where
// that is wanted.
func (b *builder) headers(ctx context.Context, it *item) error {
	f, size, err := logdir.OpenFile(it.entry.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	what := "the batch headers of " + it.shown
	if b.options.Records {
		what += ", and lengths and SHA-256 of what is in its records"
	}
	w := b.spool.begin("headers/"+it.shown+".ndjson", what)
	d := headerDump{b: b, out: w, path: it.entry.Path, file: it.shown, end: headersEnd{Type: "headers-end", File: it.shown, Bytes: size}}
	base := int64(0)
	if it.entry.File.Kind == logdir.KindLog && it.entry.File.HasOffset {
		base = max(it.entry.File.BaseOffset, 0)
	}
	scanner := recordbatch.NewScanner(b.reading(f), size, recordbatch.Options{File: it.shown, Base: base})
	var failed error
	for batch, err := range scanner.Batches() {
		var corrupt *recordbatch.CorruptError
		if err != nil && !errors.As(err, &corrupt) {
			failed = err
			break
		}
		d.step(batch, corrupt)
		d.flush()
		if err := errors.Join(ctx.Err(), b.spool.err); err != nil {
			return err
		}
	}
	last, err := json.Marshal(d.end)
	if err != nil {
		return err
	}
	_, _ = w.Write(append(last, '\n')) // its end tells
	if d.end.Shown < d.end.Batches {
		w.member.Note = fmt.Sprintf("%d of %d batches, by --max-batches %d: the first ones, and damaged ones behind them", d.end.Shown, d.end.Batches, b.options.MaxBatches)
	}
	if failed != nil {
		w.member.Note = "up to a failure of reading: " + b.names.text(failed.Error())
	}
	return errors.Join(w.end(), failed)
}

func (d *headerDump) flush() {
	_, _ = d.out.Write(d.line)
	d.line = d.line[:0]
}

// step renders a batch and the damage met with it into d.line.
func (d *headerDump) step(batch *recordbatch.Batch, damage *recordbatch.CorruptError) {
	limit := d.b.options.MaxBatches
	within := limit <= 0 || d.end.Shown < limit
	if damage != nil {
		d.end.Damaged++
		if !within && d.extra < limit {
			d.extra++
			within = true
		}
	}
	if batch != nil {
		d.end.Batches++
	}
	if !within {
		return
	}
	if batch != nil {
		d.end.Shown++
		in := recordbatch.Inspection{FirstOffset: batch.BaseOffset(), Count: int(batch.Count), Valid: batch.Valid()}
		if batch.IsLegacy() {
			in, _ = d.decoder.Inspect(batch)
		}
		if strange(batch) {
			d.line = fmt.Appendf(d.line, `{"type":"strange-batch","position":%d,"size":%d,"magic":%d,"crc":%d,"computedCrc":%d,"valid":%v}`+"\n",
				batch.Position, batch.Size, batch.Magic, batch.CRC, batch.ComputedCRC, in.Valid)
		} else {
			d.line = dump.AppendBatch(d.line, d.file, batch, in)
		}
	}
	if damage != nil {
		found := sanity.FromCorrupt(damage)
		found.File = d.path
		d.b.beside.Judge(&found)
		found.File = d.file
		d.line = append(d.b.names.finding(&found).AppendJSON(d.line), '\n')
	}
	// What a wrong checksum covers may be anything, also the bytes of a length.
	if d.b.options.Records && batch != nil && batch.Valid() && !strange(batch) && batch.Data != nil {
		for record, err := range d.decoder.Records(batch) {
			if err != nil {
				break // told by the findings
			}
			d.record(batch, record)
			if len(d.line) > 64<<10 {
				d.flush()
			}
		}
	}
}

// strange says whether fields of the header may be something else's bytes. The
// base offset and the leader epoch are not under the checksum.
func strange(b *recordbatch.Batch) bool {
	if !plain(b.Offset) || !plain32(b.PartitionLeaderEpoch) {
		return true
	}
	return !b.Valid() && (!plain(b.BaseTimestamp) || !plain(b.MaxTimestamp) || !plain(b.ProducerID) ||
		!plain32(b.LastOffsetDelta) || !plain32(b.Count) || !plain32(b.BaseSequence))
}

// record appends a record with lengths and checksums for its content.
func (d *headerDump) record(batch *recordbatch.Batch, r *recordbatch.Record) {
	field := func(name string, n int64) {
		d.line = append(append(append(d.line, `,"`...), name...), `":`...)
		d.line = strconv.AppendInt(d.line, n, 10)
	}
	digest := func(name string, content []byte, there bool) {
		d.line = append(append(append(d.line, `"`...), name...), `Size":`...)
		if !there {
			d.line = append(append(append(d.line, `-1,"`...), name...), `Sha256":null`...)
			return
		}
		d.line = strconv.AppendInt(d.line, int64(len(content)), 10)
		d.line = append(append(append(d.line, `,"`...), name...), `Sha256":"`...)
		sum := sha256.Sum256(content)
		d.line = append(hex.AppendEncode(d.line, sum[:]), '"')
	}
	name := "record"
	if batch.IsControl() {
		name = "control"
	}
	d.line = append(append(append(d.line, `{"type":"`...), name...), '"')
	field("batchPosition", batch.Position)
	field("offset", r.Offset)
	field("timestamp", r.Timestamp)
	field("sequence", int64(r.Sequence))
	if batch.IsControl() {
		if c, err := recordbatch.ParseControl(r); err == nil {
			field("controlTypeId", int64(c.Type))
		}
		d.line = append(d.line, "}\n"...)
		return
	}
	d.line = append(d.line, ',')
	digest("key", r.Key, r.HasKey)
	d.line = append(d.line, ',')
	digest("value", r.Value, r.HasValue)
	d.line = append(d.line, `,"headers":[`...)
	comma := ""
	for h := range r.Headers() {
		d.line = append(append(d.line, comma...), '{')
		comma = ","
		digest("key", h.Key, true)
		d.line = append(d.line, ',')
		digest("value", h.Value, h.HasValue)
		d.line = append(d.line, '}')
	}
	d.line = append(d.line, "]}\n"...)
}
