package cmd

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/kafsck/kafsck/internal/transactions"
)

// transactionsRenderer shows what a scan of transactions tells.
type transactionsRenderer struct {
	*emitter
	all  bool
	rows [][]string
}

func (r *transactionsRenderer) transaction(t *transactions.Transaction) error {
	switch {
	case r.format == formatJSON:
		r.object(t)
	case r.format == formatText && (r.all || t.State == transactions.Open):
		r.line("%s: %s: producer %d epoch %d, offsets %d to %d, %s in %s%s", quoted(t.Partition), t.State, t.ProducerID, t.ProducerEpoch,
			t.FirstOffset, t.LastOffset, counted(t.Records, "record"), counted(t.Batches, "batch"), ageText(t.AgeMs))
		if t.FromSnapshot != nil {
			r.line("  it began before the log does, says %s", quoted(*t.FromSnapshot))
		}
		if t.Abort != nil {
			r.line("  to end it: %s", *t.Abort)
		}
	}
	return r.err
}

// ageText is ", begun 1m0s before the newest record".
func ageText(ms *int64) string {
	if ms == nil {
		return ""
	}
	if *ms > math.MaxInt64/int64(time.Millisecond) { // no time that a clock had
		return fmt.Sprintf(", begun %d ms before the newest record", *ms)
	}
	return fmt.Sprintf(", begun %v before the newest record", time.Duration(*ms)*time.Millisecond)
}

func (r *transactionsRenderer) ghost(g *transactions.Ghost) error {
	r.code = worseExit(r.code, exitDamage)
	switch r.format {
	case formatJSON:
		r.object(g)
	case formatText:
		r.line("%s: ghost: producer %d epoch %d in %s: %s", quoted(g.Partition), g.ProducerID, g.ProducerEpoch, quoted(g.File), g.Message)
		r.line("  after a clean stop a broker believes it and holds the last stable offset at %d; move the .snapshot files away while it is stopped, and it replays the log", g.FirstOffset)
	}
	return r.err
}

func (r *transactionsRenderer) producer(p *transactions.Producer) error {
	switch r.format {
	case formatJSON:
		r.object(p)
	case formatText:
		txn := ""
		if p.CurrentTxnFirstOffset >= 0 {
			txn = fmt.Sprintf(", in a transaction since offset %d", p.CurrentTxnFirstOffset)
		}
		r.line("%s: producer %d epoch %d: last sequences %d to %d at offset %d, time %s%s", quoted(p.Partition), p.ProducerID, p.ProducerEpoch,
			p.FirstSequence, p.LastSequence, p.LastOffset, timeText(p.LastTimestamp), txn)
	}
	return r.err
}

// refused is about a batch that keeps a broker from loading the log.
func (r *transactionsRenderer) refused(file string, position, offset int64, thrown error) error {
	r.code = worseExit(r.code, exitDamage)
	complain(r.global.streams.Err, fmt.Errorf("%s: position %d offset %d: a broker does not replay this batch: %w", file, position, offset, thrown))
	return r.err
}

func (r *transactionsRenderer) summary(s *transactions.Summary) {
	switch r.format {
	case formatJSON:
		r.object(s)
		return
	case formatTable:
		blocked := "-"
		if s.BlockedBy != nil {
			blocked = strconv.FormatInt(*s.BlockedBy, 10)
		}
		number := func(n int64) string { return strconv.FormatInt(n, 10) }
		r.rows = append(r.rows, []string{s.Partition, number(s.LogEndOffset), number(s.LastStableOffset), blocked,
			number(s.Open), number(s.Committed), number(s.Aborted), number(s.Ghosts)})
		return
	}
	r.line("%s: last stable offset %d of %d: %d open, %d committed, %d aborted", quoted(s.Partition), s.LastStableOffset, s.LogEndOffset, s.Open, s.Committed, s.Aborted)
	if s.BlockedBy != nil {
		r.line("  read_committed consumers stop at offset %d, and compaction too, until producer %d's transaction ends: %s wait behind it",
			s.LastStableOffset, *s.BlockedBy, counted(s.LogEndOffset-s.LastStableOffset, "offset"))
	}
	if s.Damaged {
		r.line("  the log is damaged: a transaction whose marker is lost looks open, to a broker too")
	}
}

func (r *transactionsRenderer) end() {
	if r.format == formatTable {
		r.table([]string{"partition", "logEndOffset", "lastStableOffset", "blockedBy", "open", "committed", "aborted", "ghosts"}, r.rows)
	}
}
