package transactions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// told is everything that a scan tells.
type told struct {
	summary      *Summary
	transactions []Transaction
	ghosts       []Ghost
	producers    map[int64]Producer
}

func scanDir(t *testing.T, dir string) told {
	t.Helper()
	p, err := logdir.OpenPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := told{producers: map[int64]Producer{}}
	r.summary, err = Scan(context.Background(), Of(&logdir.Picture{Partition: p}), Options{
		Ended:    true,
		Visit:    func(txn *Transaction) error { r.transactions = append(r.transactions, *txn); return nil },
		Ghost:    func(g *Ghost) error { r.ghosts = append(r.ghosts, *g); return nil },
		Producer: func(p *Producer) error { r.producers[p.ProducerID] = *p; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What running brokers answered of their partitions (ListOffsets and
// DescribeProducers) is what their files say.
func TestWhatBrokersSaid(t *testing.T) {
	compared, open := 0, 0
	for _, c := range []struct{ state, dir, truth string }{
		{"killed", "a/killed-recovered", "a/truth.json"},
		{"killed", "a-torn/torn-recovered", "a-torn/truth.json"},
		{"deleterecords", "a/stopped", "a/truth.json"},
		{"kraft", "a/clean/n2", "a/truth-clean.json"},
	} {
		root := fixture.State(t, c.state, c.dir, c.truth)
		data, err := os.ReadFile(filepath.Join(root, c.truth))
		if err != nil {
			t.Fatal(err)
		}
		var truth struct {
			Topics map[string]struct {
				Partitions map[string]struct {
					End      int64 `json:"end_offset"`
					Stable   int64 `json:"last_stable_offset"`
					Producer []struct {
						ID               int64 `json:"producer_id"`
						Epoch            int16 `json:"producer_epoch"`
						CoordinatorEpoch int32 `json:"coordinator_epoch"`
						LastSequence     int32 `json:"last_sequence"`
						TxnStart         int64 `json:"current_txn_start"`
					} `json:"producers"`
				} `json:"partitions"`
			} `json:"topics"`
		}
		if err := json.Unmarshal(data, &truth); err != nil {
			t.Fatal(err)
		}
		for topic, parts := range truth.Topics {
			for number, want := range parts.Partitions {
				name := fmt.Sprintf("%s-%s", topic, number)
				dirs, err := filepath.Glob(filepath.Join(root, c.dir, "*", name))
				if err != nil {
					t.Fatal(err)
				}
				if flat := filepath.Join(root, c.dir, name); len(dirs) == 0 {
					if _, err := os.Stat(flat); err == nil {
						dirs = []string{flat}
					}
				}
				if len(dirs) == 0 || strings.HasPrefix(topic, "__") {
					continue
				}
				got := scanDir(t, dirs[0])
				compared++
				if got.summary.LogEndOffset != want.End || got.summary.LastStableOffset != want.Stable || got.summary.Ghosts != 0 {
					t.Errorf("%s %s: %+v, want end %d, stable %d", c.dir, name, *got.summary, want.End, want.Stable)
				}
				for _, w := range want.Producer {
					p := got.producers[w.ID]
					coordinator := max(p.CoordinatorEpoch, 0) // the answer has 0 for none
					if p.ProducerEpoch != w.Epoch || coordinator != max(w.CoordinatorEpoch, 0) || p.LastSequence != w.LastSequence || p.CurrentTxnFirstOffset != w.TxnStart {
						t.Errorf("%s %s: %+v, want %+v", c.dir, name, p, w)
					}
					if w.TxnStart >= 0 {
						open++
					}
				}
			}
		}
	}
	if compared < 20 || open < 2 {
		t.Errorf("only %d partitions, %d open transactions were compared", compared, open)
	}
	t.Log(compared, "partitions,", open, "open transactions")
}

// Aborted transactions are those of the .txnindex files that brokers wrote.
func TestAbortedAreThoseOfTheIndex(t *testing.T) {
	n := 0
	for p := range fixture.Partitions(t) {
		if p.Name != "txn-0" && !strings.HasPrefix(p.Name, "txn") {
			continue
		}
		dir := p.Dir(t)
		got := scanDir(t, dir)
		files, err := filepath.Glob(filepath.Join(dir, "*.txnindex"))
		if err != nil {
			t.Fatal(err)
		}
		var want, have []string
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for r := bytes.NewReader(data); r.Len() >= 34; {
				var entry [34]byte
				if _, err := r.Read(entry[:]); err != nil {
					t.Fatal(err)
				}
				want = append(want, fmt.Sprint(be64(entry[2:]), be64(entry[10:]), be64(entry[18:])))
			}
		}
		for _, txn := range got.transactions {
			if txn.State == Aborted {
				have = append(have, fmt.Sprint(txn.ProducerID, txn.FirstOffset, txn.LastOffset))
			}
			if txn.AgeMs == nil || *txn.AgeMs < 0 {
				t.Errorf("%s: age of %+v", p, txn)
			}
		}
		if len(files) > 0 && !slices.Equal(have, want) {
			t.Errorf("%s: aborted %v, index %v", p, have, want)
		}
		n += len(want)
	}
	if n < 5 {
		t.Errorf("only %d aborted transactions", n)
	}
}

func be64(b []byte) (n int64) {
	for _, c := range b[:8] {
		n = n<<8 | int64(c)
	}
	return n
}

// partition writes a log of one segment, with a snapshot at its end.
func partition(t *testing.T, base int64, snapshot []batchtest.ProducerEntry, entries ...batchtest.Entry) string {
	t.Helper()
	s := batchtest.NewSegment(base, entries...)
	p := &batchtest.Partition{Topic: "pay", Number: 4, Segments: []*batchtest.Segment{s}, Files: map[string][]byte{}}
	p.Files[batchtest.FileName(s.Layout.NextOffset(), ".snapshot")] = batchtest.Snapshot(snapshot...)
	dir, err := p.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// data is a transactional batch of one record.
func data(offset, time, producer int64) batchtest.Batch {
	b := batchtest.NewBatch(offset, time, batchtest.Record{Value: []byte("v")})
	b.ProducerID, b.ProducerEpoch, b.BaseSequence = producer, 3, 0
	b.Attributes |= batchtest.AttrTransactional
	return b
}

func TestSnapshotAndLog(t *testing.T) {
	open := func(producer, first int64) batchtest.ProducerEntry {
		return batchtest.ProducerEntry{ProducerID: producer, ProducerEpoch: 3, CurrentTxnFirstOffset: first, LastOffset: first, CoordinatorEpoch: -1}
	}
	const epoch = 1_700_000_000_000
	log := []batchtest.Entry{
		data(100, epoch, 1), data(101, epoch+1000, 2),
		batchtest.Marker(102, epoch+2000, 1, 3, true, 7),
		data(103, epoch+60_000, 3),
	}
	// The log and the snapshot agree.
	got := scanDir(t, partition(t, 100, []batchtest.ProducerEntry{open(2, 101), open(3, 103)}, log...))
	if s := got.summary; s.Open != 2 || s.Committed != 1 || s.LastStableOffset != 101 || s.LogEndOffset != 104 || s.Ghosts != 0 || *s.BlockedBy != 2 {
		t.Errorf("%+v", *s)
	}
	if c := got.transactions[0]; c.State != Committed || c.FirstOffset != 100 || c.LastOffset != 102 || *c.AgeMs != 60_000 || c.CoordinatorEpoch != 7 || c.Abort != nil {
		t.Errorf("%+v", c)
	}
	if o := got.transactions[1]; o.ProducerID != 2 || *o.AgeMs != 59_000 || o.ProducerEpoch != 3 || o.Records != 1 ||
		*o.Abort != "kafka-transactions.sh --bootstrap-server HOST:PORT abort --topic pay --partition 4 --start-offset 101" {
		t.Errorf("%+v", o)
	}
	// Producer 1 has ended its transaction, says the log.
	got = scanDir(t, partition(t, 100, []batchtest.ProducerEntry{open(1, 100), open(2, 101), open(3, 103)}, log...))
	if s := got.summary; s.Ghosts != 1 || s.Open != 2 || len(got.ghosts) != 1 || got.ghosts[0].ProducerID != 1 || got.ghosts[0].FirstOffset != 100 {
		t.Errorf("%+v %+v", *s, got.ghosts)
	}
	// Producer 9 began before the log does.
	got = scanDir(t, partition(t, 100, []batchtest.ProducerEntry{open(9, 40), open(2, 101), open(3, 103)}, log...))
	if s := got.summary; s.Ghosts != 0 || s.Open != 3 || s.LastStableOffset != 40 || *s.BlockedBy != 9 {
		t.Errorf("%+v", *s)
	}
	if o := got.transactions[1]; o.ProducerID != 9 || o.FromSnapshot == nil || o.AgeMs != nil {
		t.Errorf("%+v", o)
	}
}

// Nothing is known of a snapshot that is not read: what it alone says of open
// transactions must not look as if nobody said it.
func TestUnreadSnapshot(t *testing.T) {
	const epoch = 1_700_000_000_000
	dir := partition(t, 100, []batchtest.ProducerEntry{{ProducerID: 9, CurrentTxnFirstOffset: 40, LastOffset: 40, CoordinatorEpoch: -1}}, data(100, epoch, 1))
	if err := os.Truncate(filepath.Join(dir, batchtest.FileName(101, ".snapshot")), math.MaxInt32+1); err != nil {
		t.Fatal(err)
	}
	p, err := logdir.OpenPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Scan(t.Context(), Of(&logdir.Picture{Partition: p}), Options{}); !errors.Is(err, statefile.ErrTooLarge) {
		t.Error(err)
	}
	// One that a broker has deleted since the listing says nothing.
	if err := os.Remove(p.Snapshots[0].Path); err != nil {
		t.Fatal(err)
	}
	if s, err := Scan(t.Context(), Of(&logdir.Picture{Partition: p}), Options{}); err != nil || s.Open != 1 {
		t.Error(s, err)
	}
}
