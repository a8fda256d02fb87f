//go:build kafka

package indexfile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/internal/oracle"
)

// TestLookupIsKafkas asks the real OffsetIndex and TimeIndex. On unsorted
// entries the answer depends on each slot that a search visits, so equal
// answers there mean equal paths.
func TestLookupIsKafkas(t *testing.T) {
	k := oracle.Open(t)
	rnd := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{0, 1, 2, 3, 7, 300, 682, 683, 684, 1024, 1025, 1026, 1500, 5000} {
		for _, shape := range []string{"sorted", "shuffled", "zero tail", "nearly sorted"} {
			base := rnd.Int64N(1 << 40)
			rel := make([]int32, n)
			for i := range rel {
				rel[i] = rnd.Int32()
			}
			slices.Sort(rel)
			switch shape {
			case "shuffled":
				rnd.Shuffle(n, func(i, j int) { rel[i], rel[j] = rel[j], rel[i] })
			case "zero tail":
				clear(rel[n/3:])
			case "nearly sorted":
				for range n / 10 {
					rel[rnd.IntN(n)] = rnd.Int32()
				}
			}
			var of, tf []byte
			for i, r := range rel {
				of = AppendOffsetEntry(of, OffsetEntry{RelativeOffset: r, Position: int32(i)})
				tf = AppendTimeEntry(tf, TimeEntry{Timestamp: int64(r), RelativeOffset: int32(i)})
			}
			dir := filepath.Join(t.TempDir(), "t-0")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for suffix, data := range map[string][]byte{".log": nil, Offset.Suffix(): of, Time.Suffix(): tf} {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%020d%s", base, suffix)), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			offsets, times := []int64{base}, []int64{0, 1}
			for range 40 {
				at := rnd.Int64N(1 << 31)
				if n > 0 && rnd.IntN(3) > 0 {
					at = max(0, int64(rel[rnd.IntN(n)])+rnd.Int64N(3)-1)
				}
				offsets, times = append(offsets, base+at), append(times, at)
			}
			got := k.Lookup(dir, base, offsets, times, oracle.LookupOpts{KeepZeroTail: true})
			or := NewOffsetReader(bytes.NewReader(of), int64(len(of)), base)
			tr := NewTimeReader(bytes.NewReader(tf), int64(len(tf)), base)
			if got.OffsetIndexEntries != n || got.TimeIndexEntries != n || len(got.ByOffset) != len(offsets) || len(got.ByTime) != len(times) {
				t.Fatalf("%d entries %s: kafka has %d and %d", n, shape, got.OffsetIndexEntries, got.TimeIndexEntries)
			}
			for i, a := range got.ByOffset {
				s, err := or.Lookup(offsets[i], n, nil)
				if err != nil || s.Entry.Offset != a.IndexEntry.Offset || int64(s.Entry.Position) != a.IndexEntry.Position {
					t.Errorf("%d entries %s, offset %d: %+v %v, kafka %+v %v", n, shape, offsets[i], s, err, a.IndexEntry, a.Error)
				}
			}
			for i, a := range got.ByTime {
				s, err := tr.Lookup(times[i], n, nil)
				if err != nil || s.Entry.Timestamp != a.TimeIndexEntry.Timestamp || s.Entry.Offset != a.TimeIndexEntry.Offset {
					t.Errorf("%d entries %s, time %d: %+v %v, kafka %+v %v", n, shape, times[i], s, err, a.TimeIndexEntry, a.Error)
				}
			}
		}
	}
}

// TestSanityIsKafkas asks the real sanityCheck of all three about damage.
func TestSanityIsKafkas(t *testing.T) {
	k := oracle.Open(t)
	const base = 100
	txn := func(es ...TxnEntry) (b []byte) {
		for _, e := range es {
			b = AppendTxnEntry(b, e)
		}
		return b
	}
	good := TxnEntry{0, 1, 90, 100, 101}
	for _, c := range []struct {
		name                string
		offset, times, txns []byte
	}{
		{"sound", offsetFile([]int32{5, 9}), AppendTimeEntry(nil, TimeEntry{7, 0, 1}), txn(good)},
		{"cut", offsetFile([]int32{5, 9})[:13], make([]byte, 13), txn(good, good)[:50]},
		{"less than an entry", make([]byte, 3), make([]byte, 3), make([]byte, 3)},
		{"zeros", make([]byte, 4096), make([]byte, 4092), nil},
		{"zero tail", append(offsetFile([]int32{5}), make([]byte, 80)...), append(AppendTimeEntry(nil, TimeEntry{7, 0, 1}), make([]byte, 120)...), nil},
		{"below base", offsetFile([]int32{5, -3}), AppendTimeEntry(nil, TimeEntry{7, 0, -1}), txn(good, TxnEntry{0, 7, 90, 99, 101})},
		{"below base and cut", offsetFile([]int32{5, -3, 1})[:17], AppendTimeEntry(nil, TimeEntry{7, 0, -1}), txn(TxnEntry{-256, 7, 90, 99, 101})},
		{"version 0x0100", nil, nil, txn(TxnEntry{256, 1, 90, 100, 101})},
		{"version 0x0001", nil, nil, txn(TxnEntry{1, 1, 90, 99, 101})},
	} {
		dir := filepath.Join(t.TempDir(), "t-0")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		path := func(k Kind) string { return filepath.Join(dir, fmt.Sprintf("%020d%s", base, k.Suffix())) }
		for kind, data := range map[Kind][]byte{Offset: c.offset, Time: c.times, Txn: c.txns} {
			if err := os.WriteFile(path(kind), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		x := k.Indexes(dir, base, oracle.LogOpts{})
		inWork := func(k Kind) string { return "<work>/" + filepath.Base(path(k)) }
		same := func(kind Kind, got error, check oracle.Check) {
			want := ""
			if check.Error != nil {
				want = check.Error.Class + ": " + check.Error.Message
			}
			if text := fmt.Sprint(got); got == nil && want != "" || got != nil && text != want {
				t.Errorf("%s, %v index:\n  got %v\nkafka %s", c.name, kind, got, want)
			}
		}
		same(Offset, NewOffsetReader(bytes.NewReader(c.offset), int64(len(c.offset)), base).KafkaSanity(inWork(Offset)), x.OffsetIndex.Sanity)
		same(Time, NewTimeReader(bytes.NewReader(c.times), int64(len(c.times)), base).KafkaSanity(inWork(Time)), x.TimeIndex.Sanity)
		if k.Version() < "4.4" { // other texts, and another idea of versions
			continue
		}
		same(Txn, NewTxnReader(bytes.NewReader(c.txns), int64(len(c.txns)), base).KafkaSanity(inWork(Txn)), x.TxnIndex.Sanity)
	}
}
