package sanity

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

func pid(id, base int64, sequence int32) batchtest.Batch {
	return kv(base).WithProducer(id, 0, sequence)
}

func checkLog(t *testing.T, o Options, batches ...batchtest.Batch) []*Finding {
	t.Helper()
	var log bytes.Buffer
	for _, b := range batches {
		log.Write(b.Append(nil))
	}
	m := newMemory(t, "small-0", map[string][]byte{logFile: log.Bytes()})
	findings, _ := m.check(o, nil)
	return findings
}

// More producers than can be followed at once: the quiet ones are forgotten,
// and those that come last and those in a transaction still are followed.
func TestMoreProducersThanAreFollowed(t *testing.T) {
	const others = mostProducers + 1000
	batches := []batchtest.Batch{
		pid(1, 0, 0), // forgotten by the end
		pid(2, 1, 0).WithAttributes(batchtest.AttrTransactional),
	}
	for i := range int64(others) {
		batches = append(batches, pid(10+i, 2+i, 0))
	}
	last := int64(len(batches))
	batches = append(batches,
		pid(1, last, 7),             // where 1 should follow, if that were still known
		pid(10+others-1, last+1, 5), // where 1 should follow
		batchtest.Marker(last+2, at+last+2, 2, 0, false, 0), // aborts what producer 2 began
	)
	var gaps, missing int
	for _, f := range checkLog(t, Options{CleanupPolicy: PolicyDelete}, batches...) {
		switch {
		case f.Code == SequenceGap:
			gaps++
			if f.Offset != last+1 {
				t.Errorf("%s", f.AppendJSON(nil))
			}
		case f.Code == TxnIndexEntryMissing:
			missing++
			if f.Offset != 1 {
				t.Errorf("%s", f.AppendJSON(nil))
			}
		case f.Code == TransactionOpen, f.Code == SequenceRepeated:
			t.Errorf("%s", f.AppendJSON(nil))
		}
	}
	if gaps != 1 || missing != 1 {
		t.Errorf("%d gaps, %d entries missing", gaps, missing)
	}
}

// Many transactions that nobody ends, and abort markers of one producer: work
// in proportion to the log, and findings that don't flood.
func TestManyOpenTransactions(t *testing.T) {
	const open = 20_000
	var batches []batchtest.Batch
	for i := range int64(open) {
		batches = append(batches, pid(10+i, i, 0).WithAttributes(batchtest.AttrTransactional))
	}
	for i := range int64(open) {
		batches = append(batches, batchtest.Marker(open+i, at+open+i, 10, 0, false, 0))
	}
	var findings, transactions int64
	for _, f := range checkLog(t, Options{}, batches...) {
		if f.Code == TransactionOpen {
			findings++
			transactions += f.count()
		}
	}
	if transactions != open-1 || findings > 100 {
		t.Errorf("%d transactions in %d findings", transactions, findings)
	}
}

// The earliest open transaction is the one that began first, whoever ends.
func TestEarliestOpen(t *testing.T) {
	var p producers
	begin := func(id, offset int64) {
		v := p.get(id)
		if v == nil {
			v = p.add(id)
		}
		p.begin(v, &fact{base: offset}, "")
	}
	var got []string
	tell := func() { got = append(got, text(p.earliestOpen())) }
	tell()
	begin(1, 5)
	begin(2, 6)
	begin(3, 7)
	tell()
	p.end(p.get(1))
	tell()
	begin(1, 9)
	p.end(p.get(2))
	tell()
	p.end(p.get(3))
	p.end(p.get(3))
	tell()
	if s := strings.Join(got, " "); s != "-1 5 6 7 9" {
		t.Error(s)
	}
}
