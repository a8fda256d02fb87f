package recordbatch

import (
	"math"
	"strings"
	"testing"
)

// The table in the package comment, the one for --hex and the constants agree.
func TestLayoutsAddUp(t *testing.T) {
	for magic, size := range map[int8]int{0: 18, 1: 26, 2: HeaderSize} {
		at := 0
		for _, f := range Layout(magic) {
			if f.Start != at {
				t.Errorf("magic %d: %s starts at %d, not %d", magic, f.Name, f.Start, at)
			}
			at += f.Size
		}
		if at != size {
			t.Errorf("magic %d: the header has %d bytes, not %d", magic, at, size)
		}
	}
}

func TestAddSequenceWraps(t *testing.T) {
	for _, c := range []struct{ sequence, increment, want int32 }{
		{0, 0, 0}, {5, 3, 8}, {math.MaxInt32, 0, math.MaxInt32},
		{math.MaxInt32, 1, 0}, {math.MaxInt32 - 1, 3, 1}, {math.MaxInt32, math.MaxInt32, math.MaxInt32 - 1},
	} {
		if got := AddSequence(c.sequence, c.increment); got != c.want {
			t.Errorf("%d + %d = %d, want %d", c.sequence, c.increment, got, c.want)
		}
	}
}

func TestVarints(t *testing.T) {
	for _, c := range []struct {
		in    string
		value int64
		n     int
	}{
		{"\x00", 0, 1}, {"\x01", -1, 1}, {"\x02", 1, 1}, {"\x7e", 63, 1}, {"\x80\x01", 64, 2},
		{"\x7f", -64, 1}, {"\x81\x01", -65, 2}, {"\xd8\x04", 300, 2}, {"\x80\x00", 0, 2},
		{"\xfe\xff\xff\xff\x0f", math.MaxInt32, 5}, {"\xff\xff\xff\xff\x0f", math.MinInt32, 5},
		{"", 0, 0}, {"\x80", 0, 0}, {"\xff\xff\xff\xff\x8f\x01", 0, -1},
	} {
		if v, n := varint([]byte(c.in)); int64(v) != c.value || n != c.n {
			t.Errorf("varint(%x) = %d, %d; want %d, %d", c.in, v, n, c.value, c.n)
		}
	}
	for _, c := range []struct {
		in    string
		value int64
		n     int
	}{
		{"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", math.MaxInt64, 10},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", math.MinInt64, 10},
		{strings.Repeat("\xff", 10), 0, -1}, {strings.Repeat("\xff", 9), 0, 0},
	} {
		if v, n := varlong([]byte(c.in)); v != c.value || n != c.n {
			t.Errorf("varlong(%x) = %d, %d; want %d, %d", c.in, v, n, c.value, c.n)
		}
	}
}
