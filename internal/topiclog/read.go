package topiclog

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/ratelimit"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// Record is one record of a topic, sound or not. It and all that it refers to
// are valid until the visitor returns.
type Record struct {
	*topics.Decoded
	Timestamp int64
	Batch     *recordbatch.Batch // that holds it
}

// Visitor takes what is read, in the order of the log. Functions may be nil.
type Visitor struct {
	File    func(e logdir.Entry) // that is going to be read
	Batch   func(b *recordbatch.Batch)
	Record  func(r *Record)
	Control func(b *recordbatch.Batch, r *recordbatch.Record, c recordbatch.Control)
	Finding func(f sanity.Finding)
	End     func() // of the log of one partition; only Replay calls it
}

// All is the Last of a reader that reads everything.
const All = math.MaxInt64

// Reader reads logs. It is for one goroutine.
type Reader struct {
	Topic topics.Topic
	// Last is the last offset to read; All for no end.
	Last int64
	// Source is what the logs belong to, where it is held; else nil.
	Source *Source
	Visitor

	decoder recordbatch.Decoder
}

// Read reads the logs in order, up to r.Last. What can't be read is joined in
// the error; what is damaged is a finding. Neither keeps what lies behind it
// from being read, but for the records of a batch whose checksum is wrong.
func (r *Reader) Read(ctx context.Context, logs []logdir.Entry) error {
	var errs []error
	for i, log := range logs {
		if log.File.BaseOffset > r.Last {
			break
		}
		if i+1 < len(logs) && logs[i+1].Size > 0 && logs[i+1].File.BaseOffset == log.File.BaseOffset {
			continue // a second name of the same segment
		}
		if err := r.file(ctx, log); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", log.Path, err))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.Join(errs...)
}

func (r *Reader) file(ctx context.Context, log logdir.Entry) error {
	var picture *logdir.Picture
	if r.Source != nil {
		picture = r.Source.picture
	}
	f, size, err := picture.Open(log.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	if r.File != nil {
		r.File(log)
	}
	options := recordbatch.Options{File: log.Path}
	if log.File.Kind == logdir.KindLog {
		options.Base = log.File.BaseOffset
	}
	for b, err := range recordbatch.NewScanner(ratelimit.Until(ctx, f), size, options).Batches() {
		var corrupt *recordbatch.CorruptError
		switch {
		case errors.As(err, &corrupt):
			r.finding(sanity.FromCorrupt(corrupt))
		case err != nil:
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if b == nil || !b.Valid() {
			continue
		}
		if b.BaseOffset() > r.Last {
			return nil
		}
		if r.Batch != nil {
			r.Batch(b)
		}
		r.records(log.Path, b)
	}
	return nil
}

func (r *Reader) records(file string, b *recordbatch.Batch) {
	for record, err := range r.decoder.Records(b) {
		if err != nil {
			r.finding(sanity.FromRecords(file, b, err))
			return
		}
		switch {
		case record.Offset > r.Last:
			return
		case b.IsControl():
			c, err := recordbatch.ParseControl(record)
			if err != nil {
				r.finding(sanity.FromRecords(file, b, err))
			} else if r.Control != nil {
				r.Control(b, record, c)
			}
		case r.Record != nil:
			r.data(file, b, record)
		}
	}
}

func (r *Reader) data(file string, b *recordbatch.Batch, record *recordbatch.Record) {
	d := r.Topic.DecodeRecord(record)
	if d.Damaged() {
		r.finding(d.Finding(file, b))
	}
	r.Record(&Record{Decoded: d, Timestamp: record.Timestamp, Batch: b})
}

func (r *Reader) finding(f sanity.Finding) {
	if r.Finding != nil {
		r.Finding(f)
	}
}
