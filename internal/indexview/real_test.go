package indexview

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/logdir"
)

// What real brokers of all versions wrote is never called wrong, and nearly all
// of it is proved right: live, closed, compacted, with messages of every format.
func TestRealIndexesAreTrue(t *testing.T) {
	var offsets, times, txns Summary
	for p := range fixture.Partitions(t) {
		dir := p.Dir(t)
		for _, path := range glob(t, dir, "*index") {
			log := logBeside(t, path)
			if log == nil {
				continue
			}
			for _, s := range []*Summary{
				judged(t, path, log, indexfile.Offset, &offsets),
				judged(t, path, log, indexfile.Time, &times),
				judged(t, path, log, indexfile.Txn, &txns),
			} {
				if s != nil && (s.Wrong > 0 || s.Stale > 0 || len(s.LogDamage) > 0) {
					t.Errorf("%s: %+v", path, *s)
				}
			}
		}
	}
	if offsets.Right < 1000 || times.Right < 1000 || txns.Right < 10 {
		t.Errorf("hardly anything was judged: %+v, %+v, %+v", offsets, times, txns)
	}
	// Without time: v0 messages. Compacted markers.
	if offsets.Unchecked > 0 || times.Unchecked > times.Entries/10 || txns.Unchecked > txns.Entries/2 {
		t.Errorf("too much was left unjudged: %+v, %+v, %+v", offsets, times, txns)
	}
}

// judged judges one index if it is of the kind, and adds up.
func judged(t *testing.T, path string, log *Log, kind indexfile.Kind, total *Summary) *Summary {
	t.Helper()
	if !strings.HasSuffix(path, kind.Suffix()) {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := judge(data, log, kind)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	total.Entries += s.Entries
	total.Right += s.Right
	total.Unchecked += s.Unchecked
	return &s
}

// judge runs a pass without keeping the entries.
func judge(data []byte, log *Log, kind indexfile.Kind) (s Summary, err error) {
	base := int64(0)
	if log != nil {
		base = log.BaseOffset
	}
	r, size := bytes.NewReader(data), int64(len(data))
	switch kind {
	case indexfile.Offset:
		index := indexfile.NewOffsetReader(r, size, base)
		layout, err := index.Layout()
		if err != nil {
			return s, err
		}
		return Offsets(index, &layout, log, func([]Offset) error { return nil })
	case indexfile.Time:
		index := indexfile.NewTimeReader(r, size, base)
		layout, err := index.Layout()
		if err != nil {
			return s, err
		}
		return Times(index, &layout, log, func([]Time) error { return nil })
	}
	index := indexfile.NewTxnReader(r, size, base)
	layout, err := index.Layout()
	if err != nil {
		return s, err
	}
	return Txns(index, &layout, log, func([]Txn) error { return nil })
}

func logBeside(t *testing.T, index string) *Log {
	t.Helper()
	name := logdir.Sibling(filepath.Base(index), logdir.KindLog)
	data, err := os.ReadFile(filepath.Join(filepath.Dir(index), name))
	if err != nil {
		return nil
	}
	return &Log{R: bytes.NewReader(data), Size: int64(len(data)), BaseOffset: logdir.ParseName(name).BaseOffset}
}

func glob(t *testing.T, dir, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return names
}
