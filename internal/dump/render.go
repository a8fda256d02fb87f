package dump

import (
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// renderer is the state of one worker.
type renderer struct {
	decoder recordbatch.Decoder
}

// render makes text or JSON of a chunk.
func (w *renderer) render(d *logDump, in work) *rendered {
	out := renderedPool.Get().(*rendered)
	out.first, out.last = -1, -1
	for i := range in.chunk.Items {
		item := &in.chunk.Items[i]
		var damage []sanity.Finding
		if item.Err != nil {
			damage = append(damage, sanity.FromCorrupt(item.Err))
		}
		if f, bad := in.order[i]; bad {
			damage = append(damage, f)
		}
		if item.IsBatch() {
			w.batch(d, out, &item.Batch, damage)
		} else {
			out.place(damage)
		}
		if d.Limit >= 0 && d.left <= 0 {
			break
		}
	}
	return out
}

func (r *rendered) place(findings []sanity.Finding) {
	for _, f := range findings {
		r.findings = append(r.findings, placedFinding{at: len(r.text), finding: f})
	}
}

// batch renders one batch, and its records where they are asked for.
func (w *renderer) batch(d *logDump, out *rendered, b *recordbatch.Batch, damage []sanity.Finding) {
	if out.first < 0 {
		out.first = b.BaseOffset()
	}
	out.last = b.LastOffset()
	out.batches++
	out.records += int64(max(b.Count, 0))
	if !d.wants(b) || (d.OnlyDamaged && len(damage) == 0 && !d.deep()) {
		out.place(damage)
		return
	}
	start := len(out.text)
	in := recordbatch.Inspection{FirstOffset: b.BaseOffset(), Count: int(b.Count), Valid: b.Valid()}
	if b.IsLegacy() && d.Format == JSON {
		in, _ = w.decoder.Inspect(b)
	}
	switch d.Format {
	case Text:
		out.text = appendBatchText(out.text, b)
	case JSON:
		out.text = appendBatchJSON(out.text, d.fileJSON, b, in)
	case Hex:
		out.text = appendHex(out.text, b)
	}
	out.place(damage)
	found := len(damage)
	shown := int64(0)
	if d.deep() && b.Data != nil {
		shown, found = w.records(d, out, b, found)
	}
	// A batch none of whose records is wanted isn't shown either.
	if (d.Key != nil && shown == 0) || (d.OnlyDamaged && found == 0) {
		out.text = out.text[:start]
		for i := range out.findings {
			out.findings[i].at = min(out.findings[i].at, start)
		}
		return
	}
	if d.Limit >= 0 {
		if !d.deep() {
			shown = 1
		}
		d.left -= shown
	}
}

// records renders the records of b and reports the damage met on the way.
func (w *renderer) records(d *logDump, out *rendered, b *recordbatch.Batch, found int) (shown int64, damage int) {
	broken := !b.Valid()
	w.decoder.Reset(b)
	for w.decoder.Next() {
		r := w.decoder.Record()
		if r.Legacy && !r.Valid() && b.Codec() != recordbatch.CodecNone {
			f := sanity.At(sanity.BatchCRCMismatch, d.file)
			f.Position, f.EndPosition = b.Position, b.EndPosition()
			f.Offset, f.LastOffset = r.Offset, r.Offset
			f.Message = "checksum mismatch of a message inside a wrapper"
			out.place([]sanity.Finding{f})
			found++
		}
		if !d.wantsRecord(r) {
			continue
		}
		if d.Limit >= 0 && shown >= d.left {
			return shown, found
		}
		shown++
		decoded := d.decode(b, r)
		switch d.Format {
		case Text:
			out.text = d.appendRecordText(out.text, b, r, decoded)
		case JSON:
			out.text = d.appendRecordJSON(out.text, b, r, decoded)
		}
		if decoded != nil && d.ownTopic && decoded.Damaged() {
			out.place([]sanity.Finding{decoded.Finding(d.file, b)})
			found++
		}
		if b.IsControl() {
			if _, err := recordbatch.ParseControl(r); err != nil {
				out.place([]sanity.Finding{sanity.FromRecords(d.file, b, err)})
				found++
			}
		}
	}
	// What a wrong checksum or magic explains isn't reported again.
	if err := w.decoder.Err(); err != nil && !broken {
		out.place([]sanity.Finding{sanity.FromRecords(d.file, b, err)})
		found++
	}
	return shown, found
}

// wants says whether the options ask for b.
func (o *Options) wants(b *recordbatch.Batch) bool {
	if b.LastOffset() < o.FromOffset || (!b.IsLegacy() && b.BaseOffset() > o.ToOffset) {
		return false
	}
	if b.MaxTimestamp < o.FromTime {
		return false
	}
	if !b.IsLegacy() && !b.Attributes.HasDeleteHorizon() && b.BaseTimestamp > o.ToTime && o.timesRise(b) {
		return false
	}
	return !o.HasProducerID || b.ProducerID == o.ProducerID
}

// timesRise says whether no record of b can be older than its base timestamp.
// Deltas may be negative, so only a batch of one record is sure.
func (o *Options) timesRise(b *recordbatch.Batch) bool { return b.Count == 1 || !o.deep() }

func (o *Options) wantsRecord(r *recordbatch.Record) bool {
	return r.Offset >= o.FromOffset && r.Offset <= o.ToOffset &&
		r.Timestamp >= o.FromTime && r.Timestamp <= o.ToTime &&
		(o.Key == nil || (r.HasKey && o.Key.Match(r.Key)))
}
