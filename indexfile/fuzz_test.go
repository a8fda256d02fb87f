package indexfile

import (
	"bytes"
	"errors"
	"math/bits"
	"slices"
	"testing"
)

// What holds for any bytes: decoding and encoding gives them back, all ways
// of reading agree, layouts add up, a search visits what the model visits, and
// on sorted entries finds what a scan finds at no more than the promised cost.
func FuzzIndex(f *testing.F) {
	f.Add([]byte{}, int64(0), int64(0), uint16(0))
	f.Add(unhex(f, "00000029 0000101b 0000005a 0000206c"), int64(1000), int64(1050), uint16(0))
	f.Add(unhex(f, "00000174876e8000 00000029 00000174876e8007 00000058"), int64(1000), int64(ts0+3), uint16(5))
	f.Add(unhex(f, "0000 0000000000001092 0000000000000404 0000000000000406 0000000000000407"), int64(1000), int64(1029), uint16(34))
	for n := range 35 {
		f.Add(bytes.Repeat([]byte{byte(n)}, n), int64(n), int64(7), uint16(n*40))
	}
	f.Fuzz(func(t *testing.T, data []byte, base, target int64, zeroTail uint16) {
		data = append(slices.Clone(data[:min(len(data), 1<<14)]), make([]byte, zeroTail%(1<<14))...)
		size := int64(len(data))

		or := NewOffsetReader(bytes.NewReader(data), size, base)
		offsets := checkReader(t, &or.Reader, data, AppendOffsetEntry, func(e OffsetEntry) int64 { return e.Offset })
		so, err := or.Lookup(target, or.Slots(), nil)
		checkSearch(t, so.Slot, so.Compared, so.Warm, err, offsets, Offset, target)

		tr := NewTimeReader(bytes.NewReader(data), size, base)
		timestamps := checkReader(t, &tr.Reader, data, AppendTimeEntry, func(e TimeEntry) int64 { return e.Timestamp })
		st, err := tr.Lookup(target, tr.Slots(), nil)
		checkSearch(t, st.Slot, st.Compared, st.Warm, err, timestamps, Time, target)

		xr := NewTxnReader(bytes.NewReader(data), size, base)
		checkReader(t, &xr.Reader, data, AppendTxnEntry, func(e TxnEntry) int64 { return e.LastOffset })
		got, _, err := xr.CollectAborted(base, target, nil)
		if err != nil && !errors.Is(err, ErrVersion) {
			t.Fatal(err)
		}
		for _, e := range got {
			if e.LastOffset < base || e.FirstOffset >= target {
				t.Fatalf("%+v is outside [%d, %d)", e, base, target)
			}
		}

		for _, err := range []error{or.KafkaSanity("x"), tr.KafkaSanity("x"), xr.KafkaSanity("x")} {
			if err != nil && !errors.As(err, new(*KafkaError)) {
				t.Fatal(err)
			}
		}
		if _, err := or.UpperBound(int32(base), int32(target), or.Slots(), nil); err != nil {
			t.Fatal(err)
		}
		d, err := or.Distances(or.Slots())
		if err != nil || d.Min > d.Median || d.Median > d.Max || d.Count > max(0, or.Slots()-1) {
			t.Fatalf("%+v %v", d, err)
		}
		checkRebuild(t, or)
	})
}

func checkReader[E comparable](t *testing.T, r *Reader[E], data []byte, encode func([]byte, E) []byte, key func(E) int64) (keys []int64) {
	var back []byte
	for e, err := range r.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if one, err := r.Entry(len(keys)); err != nil || one != e {
			t.Fatalf("slot %d: %+v, in the stream %+v, %v", len(keys), one, e, err)
		}
		keys = append(keys, key(e))
		back = encode(back, e)
	}
	if len(keys) != r.Slots() || len(back)+r.Remainder() != len(data) || !bytes.Equal(back, data[:len(back)]) {
		t.Fatalf("%v index of %d bytes: %d entries encode to %d bytes", r.Kind(), len(data), len(keys), len(back))
	}

	l, err := r.Layout()
	used := data[:l.UsedBytes()]
	if err != nil || l.Used+l.HoleSlots+l.Tail.Slots != r.Slots() || l.Tail.First != l.Entries {
		t.Fatalf("%+v %v", l, err)
	}
	if n := len(used); len(bytes.Trim(data[n:len(back)], "\x00")) > 0 || n > 0 && len(bytes.Trim(used[n-r.Kind().EntrySize():], "\x00")) == 0 {
		t.Fatalf("%v index: zero tail from %d is not all zeros, or does not begin there", r.Kind(), n)
	}
	for _, hole := range l.Holes {
		if from, to := l.Bytes(hole); len(bytes.Trim(data[from:to], "\x00")) > 0 {
			t.Fatalf("hole %+v is not zero", hole)
		}
	}
	return keys
}

func checkSearch(t *testing.T, slot int, compared []int32, warm bool, err error, keys []int64, kind Kind, target int64) {
	wantSlot, want, wantWarm := model(keys, WarmBytes/kind.EntrySize(), target, false)
	if err != nil || slot != wantSlot || warm != wantWarm || !slices.Equal(compared, want) {
		t.Fatalf("%v index, %d: slot %d after %v, warm %v, %v; want %d after %v, warm %v", kind, target, slot, compared, warm, err, wantSlot, want, wantWarm)
	}
	if !warm && len(compared) > 2+bits.Len(uint(len(keys))) || warm && len(compared) > 12 {
		t.Fatalf("%d of %d entries compared, warm %v", len(compared), len(keys), warm)
	}
	increasing := true
	for i := 1; i < len(keys); i++ {
		increasing = increasing && keys[i] > keys[i-1]
	}
	if increasing && slot != scan(keys, target) {
		t.Fatalf("%v index, %d: slot %d, a scan finds %d", kind, target, slot, scan(keys, target))
	}
}

// checkRebuild feeds the entries to a builder: what it takes reads back in
// order, what it refuses leaves no trace.
func checkRebuild(t *testing.T, r *OffsetReader) {
	b := newOffsetBuilder(t, r.BaseOffset(), 800)
	var taken []byte
	for e := range r.Entries() {
		if b.Append(e.Offset, e.Position) == nil {
			taken = AppendOffsetEntry(taken, e)
		}
	}
	if !bytes.Equal(b.Bytes(), taken) || b.Entries() > 100 {
		t.Fatalf("built %x, took %x", b.Bytes(), taken)
	}
	again := NewOffsetReader(bytes.NewReader(b.Bytes()), int64(len(b.Bytes())), r.BaseOffset())
	last := int64(-1)
	for e := range again.Entries() {
		if int64(e.RelativeOffset) <= last {
			t.Fatalf("relative offset %d behind %d", e.RelativeOffset, last)
		}
		last = int64(e.RelativeOffset)
	}
}
