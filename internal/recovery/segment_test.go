package recovery_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/leaderepoch"
	"github.com/kafsck/kafsck/internal/producerstate"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

func batch(offset int64, records int) batchtest.Batch {
	rs := make([]batchtest.Record, records)
	for i := range rs {
		rs[i] = batchtest.KV("k", "v")
		rs[i].OffsetDelta = int32(i)
	}
	return batchtest.NewBatch(offset, 1000+offset, rs...)
}

// log concatenates encoded batches.
func log(batches ...batchtest.Batch) (file []byte) {
	for _, b := range batches {
		file = b.Append(file)
	}
	return file
}

func options() recovery.Options {
	return recovery.Options{File: "/d/t-0/00000000000000000000.log", Version: kafkaversion.Latest, Interval: 0, MaxIndexSize: 1 << 20,
		Producers: producerstate.New(kafkaversion.Latest, 0)}
}

func recoverBytes(t testing.TB, file []byte, o recovery.Options) *recovery.Result {
	t.Helper()
	r, err := recovery.Segment(bytes.NewReader(file), int64(len(file)), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWhereARecoveryStops(t *testing.T) {
	one := log(batch(0, 1))
	size := int64(len(one))
	sound := log(batch(0, 1), batch(1, 1), batch(2, 1))
	at := func(file []byte, position int64, value byte) []byte {
		file = bytes.Clone(file)
		file[position] = value
		return file
	}
	withSize := func(length uint32) []byte {
		file := bytes.Clone(sound)
		binary.BigEndian.PutUint32(file[size+8:], length)
		return file
	}
	noKey := batchtest.ControlBatch(1, 0, batchtest.Record{Key: []byte{0}, Value: make([]byte, 6)}).WithProducer(7, 0, -1).WithAttributes(0x30)
	unknown := batchtest.ControlBatch(1, 0, batchtest.Record{Key: []byte{0, 0, 0, 9}, Value: make([]byte, 6)}).WithProducer(7, 0, -1).WithAttributes(0x30)
	plainInTxn := log(batch(0, 1).WithProducer(7, 0, 0).WithAttributes(0x10), batch(1, 1).WithProducer(7, 0, 1), batch(2, 1))
	cases := []struct {
		name    string
		file    []byte
		valid   int64
		caught  string
		failure string
	}{
		{"sound", sound, 3 * size, "", ""},
		{"empty", nil, 0, "", ""},
		{"17 bytes behind", append(bytes.Clone(sound), make([]byte, 17)...), 3 * size, "", ""},
		{"18 zeros behind", append(bytes.Clone(sound), make([]byte, 18)...), 3 * size, "CorruptRecordException: Found record size 0 smaller than minimum record overhead (14) in file /d/t-0/00000000000000000000.log.", ""},
		{"cut", sound[:3*size-1], 2 * size, "", ""},
		{"flipped bit", at(sound, size+60, 0x55), size, "CorruptRecordException: Record is corrupt (stored crc = ", ""},
		{"size past the end", withSize(1 << 20), size, "", ""},
		{"size 2^31-1", withSize(1<<31 - 1), size, "", ""},
		{"negative size", withSize(1 << 31), size, "CorruptRecordException: Found record size -2147483648 smaller", ""},
		{"size 48", withSize(48), size, "CorruptRecordException: Record batch is corrupt (the size 60 is smaller than the minimum allowed overhead 61)", ""},
		{"magic 3", at(sound, size+16, 3), 3 * size, "", ""},
		{"magic 127", at(sound, size+16, 127), 3 * size, "", ""},
		{"magic -1", at(sound, size+16, 255), size, "CorruptRecordException: Record is corrupt (stored crc = ", ""},
		{"magic 1", at(sound, size+16, 1), size, "CorruptRecordException: Record is corrupt (stored crc = ", ""},
		{"offset back", log(batch(5, 1), batch(6, 1), batch(6, 1)), 2 * size, "", "InvalidOffsetException: Attempt to append an offset 6 to position 1 no larger than the last offset appended (6) to /d/t-0/00000000000000000000.index"},
		{"offset below the base", log(batch(0, 1), batch(-5, 1)), size, "", "LogSegmentOffsetOverflowException: Detected offset overflow at offset -5 "},
		{"offset too far", log(batch(0, 1), batch(1<<31, 1)), size, "", "LogSegmentOffsetOverflowException: Detected offset overflow at offset 2147483648 "},
		{"marker without key", log(batch(0, 1), noKey, batch(2, 1)), size + int64(len(noKey.Encode())), "InvalidRecordException: Invalid value size found for end control record key.", ""},
		{"marker of unknown type", log(batch(0, 1), unknown, batch(2, 1)), size + int64(len(unknown.Encode())), "", "IllegalArgumentException: Invalid control record type for end transaction marker UNKNOWN"},
		{"plain batch in a transaction", plainInTxn, 2 * size, "", "InvalidTxnStateException: Expected transactional write from producer 7 "},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := recoverBytes(t, c.file, options())
			if r.ValidBytes != c.valid {
				t.Errorf("%d valid bytes, want %d", r.ValidBytes, c.valid)
			}
			if says := said(r.Caught); !strings.HasPrefix(says, c.caught) || (says == "") != (c.caught == "") {
				t.Errorf("caught %s, want %s", says, c.caught)
			}
			if says := said(r.Failure); !strings.HasPrefix(says, c.failure) || (says == "") != (c.failure == "") {
				t.Errorf("threw %s, want %s", says, c.failure)
			}
		})
	}
}

// said is an exception without its package.
func said(e *indexfile.KafkaError) string {
	if e == nil {
		return ""
	}
	class := e.Class[strings.LastIndexByte(e.Class, '.')+1:]
	return class + ": " + e.Message
}

func TestFullIndexes(t *testing.T) {
	file := log(batch(0, 1), batch(1, 1), batch(2, 1), batch(3, 1), batch(4, 1))
	for size, want := range map[int]string{
		7:    "IllegalArgumentException: Invalid max index size: 7",
		11:   "IllegalArgumentException: Invalid max index size: 11",
		12:   "IllegalArgumentException: Attempt to append to a full time index (size = 0).",
		31:   "IllegalArgumentException: Attempt to append to a full time index (size = 1).",
		1000: "",
	} {
		o := options()
		o.MaxIndexSize = size
		r := recoverBytes(t, file, o)
		if got := said(r.Failure); got != want {
			t.Errorf("%d bytes: %q, want %q", size, got, want)
		}
		if want != "" && r.Failed() != recovery.LoadFails {
			t.Errorf("%d bytes: %v", size, r.Failed())
		}
	}
}

func TestLeaderEpochs(t *testing.T) {
	file := log(batch(0, 1).WithEpoch(0), batch(1, 1).WithEpoch(2), batch(2, 1).WithEpoch(1), batch(3, 1).WithEpoch(-1), batch(4, 1).WithEpoch(5))
	type entries = []statefile.EpochEntry
	for _, c := range []struct {
		version string
		before  entries
		want    entries
	}{
		{"4.4", nil, entries{{Epoch: 0, StartOffset: 0}, {Epoch: 2, StartOffset: 1}, {Epoch: 5, StartOffset: 4}}},
		{"2.6.1", nil, entries{{Epoch: 0, StartOffset: 0}, {Epoch: 2, StartOffset: 1}, {Epoch: 5, StartOffset: 4}}},
		{"2.6.0", nil, entries{{Epoch: 2, StartOffset: 1}, {Epoch: 5, StartOffset: 4}}},
		{"2.1.1", nil, entries{{Epoch: 2, StartOffset: 1}, {Epoch: 5, StartOffset: 4}}},
		{"2.1.0", nil, entries{{Epoch: 0, StartOffset: 0}, {Epoch: 2, StartOffset: 1}, {Epoch: 5, StartOffset: 4}}},
		{"4.4", entries{{Epoch: 3, StartOffset: 9}}, entries{{Epoch: 5, StartOffset: 4}}},
		{"4.4", entries{{Epoch: 7, StartOffset: 9}}, entries{{Epoch: 7, StartOffset: 9}}},
	} {
		o := options()
		o.Version = version(t, c.version)
		o.Epochs = leaderepoch.NewCache(c.before)
		recoverBytes(t, file, o)
		if len(o.Epochs.Entries) != len(c.want) {
			t.Errorf("%s: got %v, want %v", c.version, o.Epochs.Entries, c.want)
			continue
		}
		for i := range c.want {
			if o.Epochs.Entries[i] != c.want[i] {
				t.Errorf("%s: got %v, want %v", c.version, o.Epochs.Entries, c.want)
			}
		}
	}
}

// A batch larger than anything held in memory is checked all the same, and
// what follows it.
func TestBatchLargerThanTheWindow(t *testing.T) {
	big := batchtest.NewBatch(1, 2000, batchtest.Record{Value: make([]byte, 17<<20)})
	file := log(batch(0, 1), big, batch(2, 1))
	if r := recoverBytes(t, file, options()); r.Truncated() != 0 || r.Batches != 3 || r.Failure != nil {
		t.Errorf("%d batches, %d bytes cut, %v", r.Batches, r.Truncated(), r.Failure)
	}
	file[10<<20] ^= 1
	if r := recoverBytes(t, file, options()); r.Batches != 1 || r.Caught == nil {
		t.Errorf("%d batches, %v", r.Batches, r.Caught)
	}
}

// failing is a reader that fails from a position on.
type failing struct {
	io.ReaderAt
	from int64
}

var errBroken = errors.New("broken disk")

func (f failing) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > f.from {
		return 0, errBroken
	}
	return f.ReaderAt.ReadAt(p, at)
}

func TestReadErrorsAreNoDamage(t *testing.T) {
	var file []byte
	for offset := range int64(9000) {
		file = batch(offset, 1).Append(file)
	}
	_, err := recovery.Segment(failing{bytes.NewReader(file), 500000}, int64(len(file)), options())
	if !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
	_, err = recovery.Segment(bytes.NewReader(file[:600000]), int64(len(file)), options())
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a shrunken file: %v", err)
	}
	stop := errors.New("enough")
	o := options()
	o.Visit = func(b *recordbatch.Batch) error {
		if b.BaseOffset() == 5 {
			return stop
		}
		return nil
	}
	if _, err = recovery.Segment(bytes.NewReader(file), int64(len(file)), o); err != stop {
		t.Errorf("got %v", err)
	}
}

// Any bytes recover without a panic, and what stays recovers to the same.
func FuzzSegment(f *testing.F) {
	f.Add(log(batch(0, 1), batch(1, 3)), int64(0))
	f.Add(log(batchtest.Marker(0, 0, 7, 0, false, 0)), int64(50))
	f.Fuzz(func(t *testing.T, file []byte, interval int64) {
		o := options()
		o.Interval, o.MaxIndexSize = interval, 4096
		r := recoverBytes(t, file, o)
		if r.ValidBytes < 0 || r.ValidBytes > r.Size || r.Failure == nil && r.Caught == nil && r.StopPosition > r.Size {
			t.Fatalf("%+v", r)
		}
		if r.Failure != nil {
			return
		}
		o = options()
		o.Interval, o.MaxIndexSize = interval, 4096
		again := recoverBytes(t, file[:r.ValidBytes], o)
		if again.ValidBytes != r.ValidBytes || !bytes.Equal(again.Offset.Bytes(), r.Offset.Bytes()) || !bytes.Equal(again.Time.Bytes(), r.Time.Bytes()) {
			t.Fatalf("%+v then %+v", r, again)
		}
	})
}
