package salvage

import (
	"context"

	"github.com/kafsck/kafsck/recordbatch"
)

// Records yields the intact records from the offset first to the offset last,
// both included, merged from all replicas, in order. What is damaged or left
// is told. The record and what it refers to are valid until visit
// returns.
func Records(ctx context.Context, job *Job, first, last int64, o Options,
	visit func(file string, b *recordbatch.Batch, r *recordbatch.Record) error) (*Summary, error) {
	r := newRun(job, nil, o)
	r.report.tell = o.Tell
	defer r.close()
	if err := r.openStreams(ctx); err != nil {
		return nil, err
	}
	var decoder recordbatch.Decoder
	for {
		c, err := r.merger.next()
		if err != nil {
			return nil, err
		}
		if c == nil || c.first > last {
			break
		}
		if c.last >= first {
			err = r.visit(c, &decoder, first, last, visit)
		}
		c.release()
		if err != nil {
			return nil, err
		}
	}
	r.report.flush()
	r.summarize()
	return &r.report.summary, r.report.err
}

func (r *run) visit(c *candidate, decoder *recordbatch.Decoder, first, last int64, visit func(string, *recordbatch.Batch, *recordbatch.Record) error) error {
	decoder.Reset(&c.batch)
	r.report.summary.Batches++
	for decoder.Next() {
		record := decoder.Record()
		if record.Offset < first || record.Offset > last {
			continue
		}
		r.report.summary.Records++
		if err := visit(c.log.path, &c.batch, record); err != nil {
			return err
		}
	}
	if err := decoder.Err(); err != nil {
		r.report.left(c.stream.number, undecodable(c, err))
	}
	return nil
}
