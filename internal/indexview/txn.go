package indexview

import (
	"math"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// Txn is an entry of a .txnindex, judged.
type Txn struct {
	indexfile.TxnEntry
	Slot int

	// The batch that holds the last offset, or the first one behind it; Held
	// says whether there is one.
	Held                             bool
	BatchPosition                    int64
	BatchBaseOffset, BatchLastOffset int64

	Judgement

	marker bool // an abort marker of the producer stands at the last offset
}

// Txns judges all entries of a .txnindex; see Offsets.
func Txns(index *indexfile.TxnReader, layout *indexfile.Layout, log *Log, yield func([]Txn) error) (Summary, error) {
	s := Summary{IntervalHigh: -1}
	last := Txn{TxnEntry: indexfile.TxnEntry{LastOffset: math.MinInt64, LastStableOffset: math.MinInt64}}
	err := inPieces(&index.Reader, layout.Entries, chunkEntries/4, &s,
		func(e indexfile.TxnEntry, slot int) Txn { return Txn{TxnEntry: e, Slot: slot} },
		func(views []Txn, _ bool) error { return judgeTxns(views, log, &s, &last) },
		yield)
	return s, err
}

func judgeTxns(views []Txn, log *Log, s *Summary, last *Txn) error {
	p := pass{log: log, summary: s}
	if log != nil {
		if err := p.factsOfTxns(views); err != nil {
			return err
		}
	}
	for i := range views {
		v := &views[i]
		v.Judgement = p.txn(v, last)
		if v.Verdict != False {
			*last = *v
		}
	}
	return nil
}

// factsOfTxns finds the batch that holds each entry's last offset.
func (p *pass) factsOfTxns(views []Txn) error {
	order := ordered(len(views), func(i int) int64 { return views[i].LastOffset })
	i := 0
	return p.headers(func(b *recordbatch.Batch) {
		for ; i < len(views) && views[at(order, i)].LastOffset <= b.LastOffset(); i++ {
			v := &views[at(order, i)]
			v.Held, v.BatchPosition = true, b.Position
			v.BatchBaseOffset, v.BatchLastOffset = b.Offset, b.LastOffset()
			v.marker = b.IsControl() && b.ProducerID == v.ProducerID && p.isAbort(b)
		}
	})
}

// isAbort says whether a control batch is an abort marker; true where that
// can't be read.
func (p *pass) isAbort(b *recordbatch.Batch) bool {
	whole := p.load(b)
	if whole == nil {
		return true
	}
	for r, err := range p.decoder.Records(whole) {
		if err != nil {
			return true
		}
		c, err := recordbatch.ParseControl(r)
		return err != nil || c.Type == recordbatch.ControlAbort
	}
	return true // the cleaner took the record and left the batch
}

func (p *pass) txn(v, last *Txn) Judgement {
	switch {
	case v.Version != indexfile.TxnVersion:
		return wrong(sanity.TxnIndexVersion)
	case v.LastOffset <= last.LastOffset:
		return wrong(sanity.TxnIndexNotIncreasing)
	case v.FirstOffset >= v.LastOffset, v.LastStableOffset > v.LastOffset+1, v.LastStableOffset < last.LastStableOffset:
		return wrong(sanity.TxnIndexMismatch)
	case p.log == nil:
		return Judgement{}
	case v.LastOffset < p.log.BaseOffset, !v.Held && len(p.damage) == 0:
		return wrong(sanity.TxnIndexMismatch)
	case !v.Held, v.BatchBaseOffset > v.LastOffset:
		return Judgement{} // the marker is gone: compacted, or in a damaged place
	case !v.marker:
		return wrong(sanity.TxnIndexMismatch)
	}
	return Judgement{Verdict: True}
}
