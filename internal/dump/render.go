package dump

import (
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// renderer is the state of one worker.
type renderer struct {
	decoder recordbatch.Decoder
	out     *rendered            // what is being made
	emit    func(*rendered) bool // takes it
	stopped bool                 // nobody wants more
}

// render makes text or JSON of a unit of work, and emits it in pieces.
func (w *renderer) render(d *logDump, in work, emit func(*rendered) bool) {
	w.out, w.emit, w.stopped = newRendered(), emit, false
	for i := in.from; i < in.to && !w.stopped; i++ {
		item := &in.chunk.Items[i]
		var damage []sanity.Finding
		if item.Err != nil {
			damage = append(damage, sanity.FromCorrupt(item.Err))
		}
		if f, bad := in.order[i]; bad {
			damage = append(damage, f)
		}
		if item.IsBatch() {
			w.batch(d, &item.Batch, damage)
		} else {
			w.out.place(damage)
		}
		if d.Limit >= 0 && d.left <= 0 {
			break
		}
		w.flush()
	}
	w.emit(w.out)
	w.out = nil
}

// flush emits what there is when it is a piece.
func (w *renderer) flush() {
	if len(w.out.text) >= pieceSize && !w.stopped {
		w.stopped = !w.emit(w.out)
		w.out = newRendered()
	}
}

func (r *rendered) place(findings []sanity.Finding) {
	for _, f := range findings {
		r.findings = append(r.findings, placedFinding{at: len(r.text), finding: f})
	}
}

// batch renders one batch, and its records where they are asked for.
func (w *renderer) batch(d *logDump, b *recordbatch.Batch, damage []sanity.Finding) {
	out := w.out
	if out.first < 0 {
		out.first = b.BaseOffset()
	}
	out.last = b.LastOffset()
	out.batches++
	out.records += int64(max(b.Count, 0))
	if !d.wants(b) || d.OnlyDamaged && len(damage) == 0 && !w.damaged(d, b) {
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
	shown := int64(1)
	if d.deep() {
		shown = 0
		if b.Data != nil {
			shown = w.records(d, b, d.Format)
		}
	}
	// A batch none of whose records is wanted isn't shown either.
	if d.Key != nil && shown == 0 {
		out.text = out.text[:start]
		for i := range out.findings {
			out.findings[i].at = min(out.findings[i].at, start)
		}
		return
	}
	if d.Limit >= 0 {
		d.left -= shown
	}
}

// damaged says whether the records of b show damage, which is found again when
// they are rendered.
func (w *renderer) damaged(d *logDump, b *recordbatch.Batch) bool {
	if !d.deep() || b.Data == nil {
		return false
	}
	out := w.out
	w.out = newRendered()
	w.records(d, b, Quiet)
	found := len(w.out.findings) > 0
	w.out.release()
	w.out = out
	return found
}

// records renders the records of b in a format and reports the damage met on
// the way. It returns how many were shown. Text is emitted piece by piece as
// soon as there is a record, so a batch may unfold to more than fits in memory.
func (w *renderer) records(d *logDump, b *recordbatch.Batch, format Format) (shown int64) {
	broken := !b.Valid()
	w.decoder.Reset(b)
	for !w.stopped && w.decoder.Next() {
		r := w.decoder.Record()
		if r.Legacy && !r.Valid() && b.Codec() != recordbatch.CodecNone {
			f := sanity.At(sanity.BatchCRCMismatch, d.file)
			f.Position, f.EndPosition = b.Position, b.EndPosition()
			f.Offset, f.LastOffset = r.Offset, r.Offset
			f.Message = "checksum mismatch of a message inside a wrapper"
			w.out.place([]sanity.Finding{f})
		}
		if !d.wantsRecord(r) {
			continue
		}
		if d.Limit >= 0 && shown >= d.left {
			return shown
		}
		shown++
		decoded := d.decode(b, r)
		switch format {
		case Text:
			w.out.text = d.appendRecordText(w.out.text, b, r, decoded)
		case JSON:
			w.out.text = d.appendRecordJSON(w.out.text, b, r, decoded)
		}
		if decoded != nil && d.ownTopic && decoded.Damaged() {
			w.out.place([]sanity.Finding{decoded.Finding(d.file, b)})
		}
		if b.IsControl() {
			if _, err := recordbatch.ParseControl(r); err != nil {
				w.out.place([]sanity.Finding{sanity.FromRecords(d.file, b, err)})
			}
		}
		w.flush()
	}
	// What a wrong checksum or magic explains isn't reported again.
	if err := w.decoder.Err(); err != nil && !broken {
		w.out.place([]sanity.Finding{sanity.FromRecords(d.file, b, err)})
	}
	return shown
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
