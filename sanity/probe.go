package sanity

import (
	"errors"
	"fmt"

	"github.com/kafsck/kafsck/internal/message"
	"github.com/kafsck/kafsck/recordbatch"
)

// probe is what a look inside one batch tells; workers make them.
type probe struct {
	records       int64 // decoded, or counted by the header where the depth is less
	first         int64 // offset of the first record, −1 unknown
	last          int64 // offset of the last record, −1 unknown
	marker        recordbatch.ControlType
	hasMarker     bool // the batch holds an end-of-transaction marker
	kraft         bool // ... a control record of the kinds that came with kraft.version 1
	coordinator   int32
	faults        []Finding // nil for a healthy batch
	undecodable   bool      // the records were not all read
	lastDisproved bool      // the header's last offset is smaller than a record's
}

// prober looks inside batches. Each worker has one.
type prober struct {
	file    string
	depth   Depth
	decoder recordbatch.Decoder
}

// look judges a batch by itself: its attributes, its counts, its records.
func (p *prober) look(b *recordbatch.Batch, out *probe) {
	*out = probe{first: -1, last: -1, records: 1}
	if b.Magic == 2 {
		out.records = max(0, int64(b.Count))
		p.header(b, out)
	}
	if b.Codec() > recordbatch.CodecZstd {
		out.fault(p, b, BatchBadCodec, "codec %d; 4 is the largest", uint8(b.Codec()))
		out.undecodable, out.records = true, 0
		return
	}
	if p.depth != Records && !b.IsControl() {
		return
	}
	p.decode(b, out)
}

// header judges the header of a v2 batch alone.
func (p *prober) header(b *recordbatch.Batch, out *probe) {
	if unknown := b.Attributes.Unknown(); unknown != 0 {
		out.fault(p, b, BatchUnknownAttributes, "attributes %#04x: no Kafka version gives %#04x a meaning", uint16(b.Attributes), uint16(unknown))
	}
	if b.LastOffsetDelta < 0 {
		out.fault(p, b, BatchLastOffsetMismatch, "last offset delta %d is negative", b.LastOffsetDelta)
		out.lastDisproved = true
	} else if p.depth != Records && int64(b.Count) > int64(b.LastOffsetDelta)+1 {
		out.fault(p, b, BatchCountMismatch, "the header counts %d records in %d offsets", b.Count, int64(b.LastOffsetDelta)+1)
	}
}

// decode reads all records.
func (p *prober) decode(b *recordbatch.Batch, out *probe) {
	d := &p.decoder
	d.Reset(b)
	before, newest := int64(-1<<63), int64(-1<<63)
	checkTime := b.Magic >= 1
	out.records = 0
	for d.Next() {
		r := d.Record()
		if out.records == 0 {
			out.first = r.Offset
		}
		if r.Offset <= before {
			out.fault(p, b, RecordOffsetNotIncreasing, "record %d has offset %d behind offset %d", out.records, r.Offset, before)
		} else if r.Offset < b.Offset && b.Magic == 2 {
			out.fault(p, b, RecordOffsetNotIncreasing, "record %d has offset %d, below the base offset %d", out.records, r.Offset, b.Offset)
		}
		before = r.Offset
		newest = max(newest, r.Timestamp)
		out.records++
		if r.Legacy {
			checkTime = checkTime && r.Magic == 1
			if !r.Valid() && b.Codec() != recordbatch.CodecNone {
				f := out.fault(p, b, BatchCRCMismatch, "message %d inside the wrapper: stored %d, computed %d", out.records-1, r.CRC, r.ComputedCRC)
				f.Offset, f.LastOffset = r.Offset, r.Offset
			}
		}
		if b.IsControl() {
			p.control(b, r, out)
		}
	}
	if out.records > 0 {
		out.last = before
	}
	if p.broken(b, d.Err(), out) {
		return
	}
	if b.Magic == 2 && out.records > 0 && out.last > b.LastOffset() && !out.lastDisproved {
		out.fault(p, b, BatchLastOffsetMismatch, "the header's last offset is %d, the last record has %d", b.LastOffset(), out.last)
		out.lastDisproved = true
	}
	if checkTime && out.records > 0 && newest != b.MaxTimestamp {
		out.fault(p, b, BatchMaxTimestampMismatch, "the header's largest timestamp is %d, that of the records %d", b.MaxTimestamp, newest)
	}
}

// broken notes what ended the records early, if anything did.
func (p *prober) broken(b *recordbatch.Batch, err error, out *probe) bool {
	if err == nil {
		return false
	}
	out.undecodable = true
	var corrupt *recordbatch.CorruptError
	if !errors.As(err, &corrupt) {
		out.fault(p, b, RecordMalformed, "%v", err)
		return true
	}
	f := FromCorrupt(corrupt)
	f.File, f.Broker = p.file, batchConsequence[f.Code]
	out.faults = append(out.faults, f)
	return true
}

// control judges one control record.
func (p *prober) control(b *recordbatch.Batch, r *recordbatch.Record, out *probe) {
	c, err := recordbatch.ParseControl(r)
	if err == nil && c.Type >= recordbatch.ControlLeaderChange && c.Type <= recordbatch.ControlKRaftVoters {
		_, err = message.ReadControl(int16(c.Type), r.Value)
		// A version that is not known may well be right.
		var unknown *message.UnknownVersionError
		if errors.As(err, &unknown) {
			err = nil
		}
	}
	if err != nil {
		f := out.fault(p, b, ControlMalformed, "control record %d: %v", out.records-1, err)
		f.Offset, f.LastOffset = r.Offset, r.Offset
		return
	}
	out.kraft = out.kraft || c.Type == recordbatch.ControlKRaftVersion || c.Type == recordbatch.ControlKRaftVoters
	if c.IsEndTransaction {
		out.hasMarker, out.marker, out.coordinator = true, c.Type, c.CoordinatorEpoch
	}
}

// fault notes a fault of the batch as a whole.
func (o *probe) fault(p *prober, b *recordbatch.Batch, code Code, format string, args ...any) *Finding {
	f := At(code, p.file)
	f.Position, f.EndPosition = b.Position, b.EndPosition()
	f.Offset, f.LastOffset = b.Offset, max(b.Offset, b.LastOffset())
	f.Message = fmt.Sprintf(format, args...)
	f.Broker = batchConsequence[code]
	for i := range o.faults {
		if o.faults[i].Code == code {
			o.faults[i].extend(&f)
			return &o.faults[i]
		}
	}
	o.faults = append(o.faults, f)
	return &o.faults[len(o.faults)-1]
}
