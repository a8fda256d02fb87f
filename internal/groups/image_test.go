package groups_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kafsck/kafsck/internal/groups"
	"github.com/kafsck/kafsck/internal/topiclog"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
	"github.com/kafsck/kafsck/sanity"
)

// commit is an offset commit of group g for topic t, partition 0; −1 removes it.
func commit(offset int64) batchtest.Record {
	r := batchtest.Record{Key: []byte("\x00\x01\x00\x01g\x00\x01t\x00\x00\x00\x00")}
	if offset >= 0 {
		r.Value = binary.BigEndian.AppendUint64([]byte{0, 3}, uint64(offset))
		r.Value = append(r.Value, "\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05"...)
	}
	return r
}

// batches turns one record each into batches; a producer id makes it part of a
// transaction.
type entry struct {
	producer int64 // 0 none
	commit   int64 // −1 a tombstone, −2 a commit marker, −3 an abort marker
}

func write(t *testing.T, dir string, entries ...entry) {
	t.Helper()
	var log []byte
	for i, e := range entries {
		b := batchtest.NewBatch(int64(i), 1600000000000, commit(e.commit))
		switch {
		case e.commit < -1:
			b = batchtest.Marker(int64(i), 1600000000000, e.producer, 0, e.commit == -2, 0)
		case e.producer > 0:
			b = b.WithProducer(e.producer, 0, 0).WithAttributes(batchtest.AttrTransactional)
		}
		log = b.Append(log)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "00000000000000000000.log"), log, 0o644); err != nil {
		t.Fatal(err)
	}
}

type seen struct {
	Offset  int64
	Pending bool
}

func load(t *testing.T, path string, last int64) []seen {
	t.Helper()
	result, err := groups.Load(t.Context(), path, last, func(f sanity.Finding) { t.Errorf("%+v", f) })
	if err != nil {
		t.Fatal(err)
	}
	var out []seen
	for _, g := range result.Groups {
		for _, o := range g.Offsets {
			out = append(out, seen{o.Offset, o.Pending})
		}
	}
	return out
}

func TestTransactionalOffsets(t *testing.T) {
	for name, c := range map[string]struct {
		entries []entry
		last    int64
		want    []seen
	}{
		"plain":                       {[]entry{{0, 5}, {0, 7}}, topiclog.All, []seen{{7, false}}},
		"as of an offset":             {[]entry{{0, 5}, {0, 7}}, 0, []seen{{5, false}}},
		"tombstone":                   {[]entry{{0, 5}, {0, -1}}, topiclog.All, nil},
		"pending":                     {[]entry{{0, 5}, {9, 7}}, topiclog.All, []seen{{5, false}, {7, true}}},
		"committed":                   {[]entry{{0, 5}, {9, 7}, {9, -2}}, topiclog.All, []seen{{7, false}}},
		"before the marker":           {[]entry{{0, 5}, {9, 7}, {9, -2}}, 1, []seen{{5, false}, {7, true}}},
		"aborted":                     {[]entry{{0, 5}, {9, 7}, {9, -3}}, topiclog.All, []seen{{5, false}}},
		"the marker of another":       {[]entry{{9, 7}, {8, -2}}, topiclog.All, []seen{{7, true}}},
		"overtaken by a newer commit": {[]entry{{9, 7}, {0, 8}, {9, -2}}, topiclog.All, []seen{{8, false}}},
		"only pending":                {[]entry{{9, 7}}, topiclog.All, []seen{{7, true}}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "__consumer_offsets-0")
			write(t, dir, c.entries...)
			if diff := cmp.Diff(c.want, load(t, dir, c.last)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A marker in one partition ends nothing in another.
func TestTransactionsStayInTheirPartition(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "__consumer_offsets-0"), entry{9, 7})
	write(t, filepath.Join(dir, "__consumer_offsets-1"), entry{9, -2})
	if diff := cmp.Diff([]seen{{7, true}}, load(t, dir, topiclog.All)); diff != "" {
		t.Error(diff)
	}
	if _, err := groups.Load(t.Context(), dir, 3, nil); !errors.Is(err, topiclog.ErrManyPartitions) {
		t.Errorf("an offset of two partitions: %v", err)
	}
}

// Partitions of the one topic that can be read don't make up for those of the
// other that can't.
func TestUnreadableOffsets(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "__consumer_offsets-0"), entry{commit: 5})
	write(t, filepath.Join(dir, "__share_group_state-0"))
	if err := os.Chmod(filepath.Join(dir, "__consumer_offsets-0"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "__consumer_offsets-0"), 0o700) })
	if _, err := groups.Load(t.Context(), dir, topiclog.All, func(sanity.Finding) {}); !errors.Is(err, os.ErrPermission) {
		t.Error(err)
	}
}
