package batchtest

import (
	"testing"
)

// Where Kafka's own LogSegment.recover cut these logs.
func TestValidBytesEqualsKafkas(t *testing.T) {
	s := fourBatches()
	const first, second, third, all = 118, 217, 354, 434
	flip := func(position int64, bit int) Damage { return FlipBit(".log", position, bit) }
	for _, c := range []struct {
		name string
		d    Damage
		want int64
	}{
		{"zero tail", ZeroTail(4096), all},
		{"short zero tail", ZeroTail(17), all},
		{"payload bit", flip(200, 3), first},
		{"length huge", Overwrite(".log", first+PosLength, []byte{0x7f}), first},
		{"length negative", Overwrite(".log", first+PosLength, []byte{0xff, 0xff, 0xff, 0xff}), first},
		{"length one less", Overwrite(".log", first+PosLength+3, []byte{99 - 12 - 1}), first},
		{"magic negative", flip(second+PosMagic, 7), second},
		{"magic 1", Overwrite(".log", second+PosMagic, []byte{1}), second},
		{"last batch torn", Truncate(".log", all-5), third},
		{"cut in a header", Truncate(".log", second+40), second},
		{"all zeros", ZeroRange(".log", 0, all), 0},
		{"zeros in front", Insert(".log", 0, make([]byte, 512)), 0},
		{"epoch 99", Overwrite(".log", first+PosLeaderEpoch, []byte{0, 0, 0, 99}), all},
		{"magic 7", Overwrite(".log", second+PosMagic, []byte{7}), all},
		{"offsets back", RepeatBatch(Nth(1), false), all + second - first},
	} {
		out, _ := c.d.Apply(s.Data, &s.Layout)
		if got := ValidBytes(out); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// Everything generated is valid to the end.
func TestGeneratedIsValid(t *testing.T) {
	for name, p := range profiles() {
		s := Generate(7, p)
		if got := ValidBytes(s.Data); got != s.Layout.Size {
			t.Errorf("%s: %d of %d bytes", name, got, s.Layout.Size)
		}
	}
}
