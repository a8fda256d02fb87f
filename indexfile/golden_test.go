package indexfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
)

// realIndex opens an index file that a broker wrote.
func realIndex(t *testing.T, path string) (f *os.File, size, base int64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	base, err = strconv.ParseInt(name, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f, info.Size(), base
}

// What Kafka 4.4.0's dump tool prints of an index is what this package reads
// from it.
func TestEntriesAgreeWithKafkaDump(t *testing.T) {
	dirs := map[string]string{}
	count := map[string]int{}
	for g := range fixture.Goldens(t, fixture.ModeDump) {
		suffix := filepath.Ext(g.File)
		if g.Exit != 0 || suffix != Offset.Suffix() && suffix != Time.Suffix() && suffix != Txn.Suffix() {
			continue
		}
		if dirs[g.Capture] == "" {
			dirs[g.Capture] = fixture.CaptureDir(t, g.Capture)
		}
		f, size, base := realIndex(t, filepath.Join(dirs[g.Capture], filepath.FromSlash(g.File)))
		got := "Dumping " + g.File + "\n"
		switch suffix {
		case Offset.Suffix():
			r := NewOffsetReader(f, size, base)
			if r.Slots() == 0 {
				got += g.File + " is empty.\n"
			}
			slot := 0
			for e, err := range r.Entries() {
				if err != nil {
					t.Fatal(err)
				}
				if e.Offset == base && slot > 0 {
					break // the tool takes this for the end of the entries
				}
				got += fmt.Sprintf("offset: %d position: %d\n", e.Offset, e.Position)
				slot++
			}
		case Time.Suffix():
			slot := 0
			for e, err := range NewTimeReader(f, size, base).Entries() {
				if err != nil {
					t.Fatal(err)
				}
				if e.Offset == base && slot > 0 {
					break
				}
				got += fmt.Sprintf("timestamp: %d offset: %d\n", e.Timestamp, e.Offset)
				slot++
			}
		case Txn.Suffix():
			for e, err := range NewTxnReader(f, size, base).Entries() {
				if err != nil {
					t.Fatal(err)
				}
				got += fmt.Sprintf("version: %d producerId: %d firstOffset: %d lastOffset: %d lastStableOffset: %d\n",
					e.Version, e.ProducerID, e.FirstOffset, e.LastOffset, e.LastStableOffset)
			}
		}
		if got != string(g.Stdout) {
			t.Errorf("%s:\n got %s\nwant %s", g.Name(), got, g.Stdout)
		}
		count[suffix]++
	}
	if count[Offset.Suffix()] == 0 || count[Time.Suffix()] == 0 || count[Txn.Suffix()] == 0 {
		t.Errorf("compared %v", count)
	}
}

// KafkaSanity says what --index-sanity-check says.
func TestKafkaSanityAgreesWithKafka(t *testing.T) {
	dirs := map[string]string{}
	passed, failed := 0, 0
	for g := range fixture.Goldens(t, fixture.ModeSanity) {
		if dirs[g.Capture] == "" {
			dirs[g.Capture] = fixture.CaptureDir(t, g.Capture)
		}
		f, size, base := realIndex(t, filepath.Join(dirs[g.Capture], filepath.FromSlash(g.File)))
		var err error
		want := g.File + " passed sanity check.\n"
		if filepath.Ext(g.File) == Offset.Suffix() {
			r := NewOffsetReader(f, size, base)
			if r.Slots() == 0 {
				want = g.File + " is empty.\n"
			}
			err = r.KafkaSanity(g.File)
		} else {
			err = NewTimeReader(f, size, base).KafkaSanity(g.File)
		}
		if err != nil {
			want = ""
			first, _, _ := strings.Cut(string(g.Stderr), "\n")
			if !errors.As(err, new(*KafkaError)) || first != `Exception in thread "main" `+err.Error() {
				t.Errorf("%s:\n got %v\nwant %s", g.Name(), err, first)
			}
			failed++
		} else {
			passed++
		}
		if want = "Dumping " + g.File + "\n" + want; want != string(g.Stdout) || (g.Exit != 0) != (err != nil) {
			t.Errorf("%s: %v, kafka said %s (exit %d)", g.Name(), err, g.Stdout, g.Exit)
		}
	}
	if passed == 0 || failed == 0 {
		t.Errorf("%d passed, %d failed: both must occur", passed, failed)
	}
}

// Every index that a broker of any version wrote goes through the builders
// unchanged: they accept what Kafka accepted, and make the same bytes. No real
// file has a hole or a remainder, and closed ones have no zero tail.
func TestBuildersRemakeRealIndexes(t *testing.T) {
	const size = 10 << 20
	entries := 0
	for p := range fixture.Partitions(t) {
		dir := p.Dir(t)
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			suffix := filepath.Ext(file.Name())
			if suffix != Offset.Suffix() && suffix != Time.Suffix() && suffix != Txn.Suffix() {
				continue
			}
			path := filepath.Join(dir, file.Name())
			f, n, base := realIndex(t, path)
			var l Layout
			var made []byte
			switch suffix {
			case Offset.Suffix():
				r, b := NewOffsetReader(f, n, base), newOffsetBuilder(t, base, size)
				l, err = r.Layout()
				for e, err := range r.EntriesBetween(0, l.Entries) {
					if err := errors.Join(err, b.Append(e.Offset, e.Position)); err != nil {
						t.Errorf("%s/%s: %v", p, file.Name(), err)
					}
				}
				made = b.Bytes()
			case Time.Suffix():
				r, b := NewTimeReader(f, n, base), newTimeBuilder(t, base, size)
				l, err = r.Layout()
				for e, err := range r.EntriesBetween(0, l.Entries) {
					_, refused := b.MaybeAppend(e.Timestamp, e.Offset, false)
					if err := errors.Join(err, refused); err != nil {
						t.Errorf("%s/%s: %v", p, file.Name(), err)
					}
				}
				made = b.Bytes()
			case Txn.Suffix():
				r, b := NewTxnReader(f, n, base), TxnBuilder{}
				l, err = r.Layout()
				for e, err := range r.Entries() {
					if err := errors.Join(err, b.Append(e)); err != nil {
						t.Errorf("%s/%s: %v", p, file.Name(), err)
					}
				}
				made = b.Bytes()
				if err := r.KafkaSanity(path); err != nil {
					t.Errorf("%s/%s: %v", p, file.Name(), err)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			stored := make([]byte, l.UsedBytes())
			if _, err := f.ReadAt(stored, 0); err != nil && len(stored) > 0 {
				t.Fatal(err)
			}
			if !bytes.Equal(made, stored) {
				t.Errorf("%s/%s: %d bytes made, %d in the file, or others", p, file.Name(), len(made), len(stored))
			}
			untrimmed := p.Kind == fixture.Live || p.Topic() == "__cluster_metadata"
			if l.HoleCount > 0 || l.Remainder > 0 || l.Preallocated() && !untrimmed {
				t.Errorf("%s/%s: %+v", p, file.Name(), l)
			}
			entries += l.Entries
		}
	}
	if entries == 0 {
		t.Error("no entries met")
	}
}
