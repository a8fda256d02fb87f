package indexfile

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

const ts0 = 1600000000000

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newOffsetBuilder(t testing.TB, base int64, size int) *OffsetBuilder {
	t.Helper()
	b, err := NewOffsetBuilder(base, size)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newTimeBuilder(t testing.TB, base int64, size int) *TimeBuilder {
	t.Helper()
	b, err := NewTimeBuilder(base, size)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBuildersGiveKnownBytes(t *testing.T) {
	ob := newOffsetBuilder(t, 1000, 10485760)
	if err := errors.Join(ob.Append(1041, 4123), ob.Append(1090, 8300)); err != nil {
		t.Fatal(err)
	}
	if want := unhex(t, "00000029 0000101b 0000005a 0000206c"); !bytes.Equal(ob.Bytes(), want) {
		t.Errorf(".index %x, want %x", ob.Bytes(), want)
	}
	or := NewOffsetReader(bytes.NewReader(ob.Bytes()), 16, 1000)
	if e, err := or.Entry(1); err != nil || e != (OffsetEntry{1090, 90, 8300}) {
		t.Errorf("read back %+v, %v", e, err)
	}

	tb := newTimeBuilder(t, 1000, 10485760)
	for _, e := range []TimeEntry{{Timestamp: ts0, Offset: 1041}, {Timestamp: ts0 + 7, Offset: 1088}} {
		if added, err := tb.MaybeAppend(e.Timestamp, e.Offset, false); err != nil || !added {
			t.Fatal(added, err)
		}
	}
	if want := unhex(t, "000001748 76e8000 00000029 00000174876e8007 00000058"); !bytes.Equal(tb.Bytes(), want) {
		t.Errorf(".timeindex %x, want %x", tb.Bytes(), want)
	}
	tr := NewTimeReader(bytes.NewReader(tb.Bytes()), 24, 1000)
	if e, err := tr.Entry(1); err != nil || e != (TimeEntry{ts0 + 7, 1088, 88}) {
		t.Errorf("read back %+v, %v", e, err)
	}

	var xb TxnBuilder
	txn := TxnEntry{ProducerID: 4242, FirstOffset: 1028, LastOffset: 1030, LastStableOffset: 1031}
	if err := xb.Append(txn); err != nil {
		t.Fatal(err)
	}
	if want := unhex(t, "0000 0000000000001092 0000000000000404 0000000000000406 0000000000000407"); !bytes.Equal(xb.Bytes(), want) {
		t.Errorf(".txnindex %x, want %x", xb.Bytes(), want)
	}
	xr := NewTxnReader(bytes.NewReader(xb.Bytes()), 34, 1000)
	if e, err := xr.Entry(0); err != nil || e != txn {
		t.Errorf("read back %+v, %v", e, err)
	}
}

// Where entries fall for batches of 3000 bytes at an interval of 4096. The
// loops are what the broker does when it recovers, when it appends batch by
// batch after a restart, and when (2.0 to 4.0.0) many batches come in one
// append.
func TestBuilderRebuildArithmetic(t *testing.T) {
	const interval, size = 4096, 3000
	positions := func(b *OffsetBuilder) (got []int32) {
		r := NewOffsetReader(bytes.NewReader(b.Bytes()), int64(len(b.Bytes())), 0)
		for e, err := range r.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Position)
		}
		return got
	}

	recovered := newOffsetBuilder(t, 0, 1<<20)
	for i, indexed := int32(0), int32(0); i < 7; i++ {
		if at := i * size; at-indexed > interval {
			if err := recovered.Append(int64(i), at); err != nil {
				t.Fatal(err)
			}
			indexed = at
		}
	}
	if got := positions(recovered); !slices.Equal(got, []int32{6000, 12000, 18000}) {
		t.Errorf("recovered: %v", got)
	}

	appendAll := func(b *OffsetBuilder, since *int32, from, to int32) {
		for i := from; i < to; i++ {
			if *since > interval {
				if err := b.Append(int64(i), i*size); err != nil {
					t.Fatal(err)
				}
				*since = 0
			}
			*since += size
		}
	}
	live, since := newOffsetBuilder(t, 0, 1<<20), int32(0)
	appendAll(live, &since, 0, 3)
	since = 0 // closed and opened again
	appendAll(live, &since, 3, 7)
	if got := positions(live); !slices.Equal(got, []int32{6000, 15000}) {
		t.Errorf("reopened: %v", got)
	}

	one := newOffsetBuilder(t, 0, 1<<20)
	at, since := int32(0), int32(0)
	for _, appended := range []struct {
		bytes int32
		last  int64
	}{{7 * size, 6}, {size, 7}} {
		if since > interval {
			if err := one.Append(appended.last, at); err != nil {
				t.Fatal(err)
			}
			since = 0
		}
		at, since = at+appended.bytes, since+appended.bytes
	}
	want := AppendOffsetEntry(nil, OffsetEntry{RelativeOffset: 7, Position: 21000})
	if !bytes.Equal(one.Bytes(), want) {
		t.Errorf("one append: %x, want %x", one.Bytes(), want)
	}
}

func TestBuilderRefuses(t *testing.T) {
	const path = "/d/t-0/00000000000000001000.index"
	offset := func(size int, offsets ...int64) error {
		b, err := NewOffsetBuilder(1000, size)
		for _, o := range offsets {
			if err != nil {
				break
			}
			err = b.Append(o, 5)
		}
		return err
	}
	type te struct {
		ts, offset int64
		skip       bool
	}
	times := func(size int, es ...te) error {
		b, err := NewTimeBuilder(1000, size)
		for _, e := range es {
			if err != nil {
				break
			}
			_, err = b.MaybeAppend(e.ts, e.offset, e.skip)
		}
		return err
	}
	txns := func(last ...int64) (err error) {
		var b TxnBuilder
		for _, l := range last {
			err = b.Append(TxnEntry{LastOffset: l})
		}
		return err
	}
	cases := []struct {
		name  string
		err   error
		is    error
		kafka string
	}{
		{"offset index below one entry", offset(7), ErrMaxIndexSize, "java.lang.IllegalArgumentException: Invalid max index size: 7"},
		{"time index below one entry", times(-1), ErrMaxIndexSize, "java.lang.IllegalArgumentException: Invalid max index size: -1"},
		{"offset index full, odd size", offset(23, 1001, 1002, 1003), ErrFull, "java.lang.IllegalArgumentException: Attempt to append to a full index (size = 2)."},
		{"full is said before not increasing", offset(16, 1001, 1002, 1002), ErrFull, "java.lang.IllegalArgumentException: Attempt to append to a full index (size = 2)."},
		{"same offset", offset(99, 1001, 1001), ErrNotIncreasing, "org.apache.kafka.common.errors.InvalidOffsetException: Attempt to append an offset 1001 to position 1 no larger than the last offset appended (1001) to " + path},
		{"offset below base", offset(99, 999), ErrOffsetOverflow, "org.apache.kafka.storage.internals.log.IndexOffsetOverflowException: Integer overflow for offset: 999 (" + path + ")"},
		{"offset far away", offset(99, 1000+math.MaxInt32+1), ErrOffsetOverflow, "org.apache.kafka.storage.internals.log.IndexOffsetOverflowException: Integer overflow for offset: 2147484648 (" + path + ")"},
		{"largest relative offset", offset(99, 1000, 1000+math.MaxInt32), nil, ""},

		{"time index of one slot is full", times(23, te{5, 1000, false}), ErrFull, "java.lang.IllegalArgumentException: Attempt to append to a full time index (size = 0)."},
		{"the reserved slot", times(24, te{5, 1000, false}, te{6, 1001, true}), nil, ""},
		{"not even to say the same", times(24, te{5, 1000, false}, te{5, 1000, false}), ErrFull, "java.lang.IllegalArgumentException: Attempt to append to a full time index (size = 1)."},
		{"behind the reserved slot", times(24, te{5, 1000, false}, te{6, 1001, true}, te{7, 1002, true}), ErrFull, "java.nio.BufferOverflowException"},
		{"behind it, nothing new", times(24, te{5, 1000, false}, te{6, 1001, true}, te{6, 1002, true}), nil, ""},
		{"time goes back", times(99, te{5, 1000, false}, te{4, 1001, false}), ErrNotIncreasing, "java.lang.IllegalStateException: Attempt to append a timestamp (4) to slot 1 no larger than the last timestamp appended (5) to " + path},
		{"offset goes back", times(99, te{5, 1001, false}, te{4, 1000, false}), ErrNotIncreasing, "org.apache.kafka.common.errors.InvalidOffsetException: Attempt to append an offset (1000) to slot 1 no larger than the last offset appended (1001) to " + path},
		{"same offset, later time", times(99, te{5, 1001, false}, te{6, 1001, false}), nil, ""},
		{"time entry below base", times(99, te{5, 999, false}), ErrOffsetOverflow, "org.apache.kafka.storage.internals.log.IndexOffsetOverflowException: Integer overflow for offset: 999 (" + path + ")"},
		{"no timestamp, nothing stored", times(99, te{-1, 5, false}), nil, ""},

		{"txn last offset stays", txns(7, 7), ErrNotIncreasing, "java.lang.IllegalArgumentException: The last offset of appended transactions must increase sequentially, but 7 is not greater than current last offset 7 of index " + path},
		{"txn negative first", txns(-7), nil, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if !errors.Is(c.err, c.is) {
				t.Fatalf("got %v, want %v", c.err, c.is)
			}
			var ae *AppendError
			var se *SizeError
			got := ""
			switch {
			case errors.As(c.err, &ae):
				got = ae.Kafka(path).Error()
			case errors.As(c.err, &se):
				got = se.Kafka().Error()
			}
			if got != c.kafka {
				t.Errorf("kafka says\n%s, want\n%s", got, c.kafka)
			}
		})
	}
}

func TestRefusedEntryChangesNothing(t *testing.T) {
	b := newOffsetBuilder(t, 10, 99)
	tb := newTimeBuilder(t, 10, 99)
	if err := b.Append(12, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := tb.MaybeAppend(7, 12, false); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if b.Append(12, 2) == nil || b.Append(12+math.MaxInt32, 2) == nil {
			t.Fatal("accepted")
		}
		if _, err := tb.MaybeAppend(9, 12+math.MaxInt32, false); err == nil {
			t.Fatal("accepted")
		}
	}
	if b.Entries() != 1 || b.LastOffset() != 12 || tb.Entries() != 1 || tb.Last() != (TimeEntry{7, 12, 2}) {
		t.Errorf("%d entries, last %d; %d entries, last %+v", b.Entries(), b.LastOffset(), tb.Entries(), tb.Last())
	}
	b.Reset()
	tb.Reset()
	if err := b.Append(10, 3); err != nil || b.Entries() != 1 {
		t.Errorf("after reset: %v, %d entries", err, b.Entries())
	}
	if added, err := tb.MaybeAppend(0, 10, false); err != nil || !added || !bytes.Equal(tb.Bytes(), make([]byte, 12)) {
		t.Errorf("timestamp 0 at the base offset must be twelve zero bytes: %x %v", tb.Bytes(), err)
	}
}

// Releases before 2.0 store what fits of an offset.
func TestBuildersWrap(t *testing.T) {
	offsets, err := NewOffsetBuilder(10, 1024)
	if err != nil {
		t.Fatal(err)
	}
	times, err := NewTimeBuilder(10, 1024)
	if err != nil {
		t.Fatal(err)
	}
	far := int64(10 + 1<<32 + 7)
	if offsets.Append(far, 1) == nil {
		t.Error("an offset that doesn't fit is taken")
	}
	if _, err := times.MaybeAppend(5, far, false); err == nil {
		t.Error("an offset that doesn't fit is taken")
	}
	offsets.Wrap, times.Wrap = true, true
	if err := offsets.Append(far, 1); err != nil || !bytes.Equal(offsets.Bytes(), []byte{0, 0, 0, 7, 0, 0, 0, 1}) || offsets.LastOffset() != far {
		t.Errorf("%v, %x, last %d", err, offsets.Bytes(), offsets.LastOffset())
	}
	if err := offsets.Append(11, 2); err == nil {
		t.Error("an offset below the last one is taken")
	}
	if _, err := times.MaybeAppend(5, far, false); err != nil || !bytes.Equal(times.Bytes()[8:], []byte{0, 0, 0, 7}) {
		t.Errorf("%v, %x", err, times.Bytes())
	}
}
