package indexfile

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

func TestKafkaSanity(t *testing.T) {
	const path = "/d/t-0/x"
	const class = "org.apache.kafka.storage.internals.log.CorruptIndexException: "
	offset := func(size int, rel ...int32) error {
		b := append(offsetFile(rel), make([]byte, 64)...)[:size]
		return NewOffsetReader(bytes.NewReader(b), int64(size), 100).KafkaSanity(path)
	}
	times := func(size int, entries ...TimeEntry) error {
		var b []byte
		for _, e := range entries {
			b = AppendTimeEntry(b, e)
		}
		b = append(b, make([]byte, 64)...)[:size]
		return NewTimeReader(bytes.NewReader(b), int64(size), 100).KafkaSanity(path)
	}
	txns := func(size int, entries ...TxnEntry) error {
		var b []byte
		for _, e := range entries {
			b = AppendTxnEntry(b, e)
		}
		b = append(b, make([]byte, 64)...)[:size]
		return NewTxnReader(bytes.NewReader(b), int64(size), 100).KafkaSanity(path)
	}
	for _, c := range []struct {
		name string
		got  error
		want string
	}{
		{"offset: empty", offset(0), ""},
		{"offset: trimmed", offset(16, 5, 9), ""},
		{"offset: zero tail", offset(64, 5, 9), ""},
		{"offset: order isn't looked at", offset(16, 9, 5), ""},
		{"offset: last below base", offset(16, 5, -3), class + "Corrupt index found, index file /d/t-0/x has non-zero size but the last offset is 97 which is less than the base offset 100"},
		{"offset: below base is said first", offset(17, 5, -3), class + "Corrupt index found, index file /d/t-0/x has non-zero size but the last offset is 97 which is less than the base offset 100"},
		{"offset: cut", offset(13, 5, 9), class + "Index file /d/t-0/x is corrupt, found 13 bytes which is neither positive nor a multiple of 8"},
		{"offset: less than an entry", offset(3), class + "Index file /d/t-0/x is corrupt, found 3 bytes which is neither positive nor a multiple of 8"},
		{"offset: too large to map", NewOffsetReader(zeroReader{}, 1<<31, 0).KafkaSanity(path), "java.lang.IllegalArgumentException: Size exceeds Integer.MAX_VALUE"},
		{"time: empty", times(0), ""},
		{"time: trimmed", times(24, TimeEntry{7, 0, 1}, TimeEntry{8, 0, 2}), ""},
		{"time: all zero", times(48), ""},
		{"time: healthy but preallocated", times(48, TimeEntry{7, 0, 1}), class + "Corrupt time index found, time index file (/d/t-0/x) has non-zero size but the last timestamp is 0 which is less than the first timestamp 7"},
		{"time: last below base", times(12, TimeEntry{7, 0, -1}), class + "Corrupt time index found, time index file (/d/t-0/x) has non-zero size but the last offset is 99 which is less than the first offset 100"},
		{"time: cut", times(13, TimeEntry{7, 0, 1}), class + "Time index file /d/t-0/x is corrupt, found 13 bytes which is neither positive nor a multiple of 12"},
		{"txn: empty", txns(0), ""},
		{"txn: sound", txns(34, TxnEntry{0, 1, 90, 100, 101}), ""},
		{"txn: cut tail passes", txns(50, TxnEntry{0, 1, 90, 100, 101}), ""},
		{"txn: version", txns(34, TxnEntry{1, 1, 90, 100, 101}), "org.apache.kafka.common.KafkaException: Unexpected aborted transaction version 1 in transaction index /d/t-0/x, supported version range is 0 to 0"},
		{"txn: version is said before below base", txns(34, TxnEntry{-256, 1, 90, 99, 101}), "org.apache.kafka.common.KafkaException: Unexpected aborted transaction version -256 in transaction index /d/t-0/x, supported version range is 0 to 0"},
		{"txn: below base", txns(68, TxnEntry{0, 1, 90, 100, 101}, TxnEntry{0, 7, 90, 99, 101}), class + "Last offset of aborted transaction AbortedTxn(producerId=7, firstOffset=90, lastOffset=99, lastStableOffset=101) in index /d/t-0/x is less than start offset 100"},
	} {
		got := ""
		if c.got != nil {
			got = c.got.Error()
			if !errors.As(c.got, new(*KafkaError)) {
				t.Errorf("%s: %T", c.name, c.got)
			}
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestCollectAborted(t *testing.T) {
	entries := []TxnEntry{
		{0, 1, 100, 110, 105}, // another transaction was open: stable up to 105
		{0, 2, 105, 120, 121},
		{0, 3, 130, 140, 141},
		{0, 4, 150, 160, 161},
	}
	build := func(es []TxnEntry) *TxnReader {
		var b TxnBuilder
		for _, e := range es {
			if err := b.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		data := append(b.Bytes(), 1, 2, 3)
		return NewTxnReader(bytes.NewReader(data), int64(len(data)), 100)
	}
	r := build(entries)
	for _, c := range []struct {
		name         string
		fetch, upper int64
		want         []int64 // producer IDs
		complete     bool
	}{
		{"all, goes on in the next segment", 0, 1000, []int64{1, 2, 3, 4}, false},
		{"a fetch between two", 122, 130, nil, true},
		{"last offset equal to the fetch offset counts", 120, 121, []int64{2}, true},
		{"first offset equal to the upper bound does not", 121, 130, nil, true},
		{"stops at the stable offset", 100, 105, []int64{1}, true},
		{"one offset further needs the next entry", 100, 106, []int64{1, 2}, true},
		{"stable offset equal to the upper bound ends it", 125, 161, []int64{3, 4}, true},
		{"past all", 161, 162, nil, false},
	} {
		got, complete, err := r.CollectAborted(c.fetch, c.upper, nil)
		var ids []int64
		for _, e := range got {
			ids = append(ids, e.ProducerID)
		}
		if err != nil || complete != c.complete || !slices.Equal(ids, c.want) {
			t.Errorf("%s: %v complete %v %v", c.name, ids, complete, err)
		}
	}

	entries[2].Version = 1
	r = build(entries)
	r.File = "y.txnindex"
	got, complete, err := r.CollectAborted(0, 1000, nil)
	var ve *VersionError
	if len(got) != 2 || complete || !errors.As(err, &ve) || !errors.Is(err, ErrVersion) || ve.Slot != 2 {
		t.Errorf("version 1: %d entries, %v", len(got), err)
	} else if want := `"y.txnindex": slot 2 at position 68: version 1: unsupported aborted transaction version`; err.Error() != want {
		t.Errorf("text: %s", err)
	}
	if got, complete, err := r.CollectAborted(0, 104, nil); len(got) != 1 || !complete || err != nil {
		t.Errorf("ends before the version is met: %d %v %v", len(got), complete, err)
	}
}
