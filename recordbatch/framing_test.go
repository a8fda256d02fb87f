package recordbatch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/internal/blocks"
	"github.com/kafsck/kafsck/internal/fixture"
)

// framing lists the items of a scan by what doesn't depend on checksums that
// nobody asked for, and counts the batches whose checksum was left out.
func framing(t *testing.T, data []byte, only bool) (items []string, unchecked int) {
	t.Helper()
	for b, err := range NewScanner(bytes.NewReader(data), int64(len(data)), Options{FramingOnly: only}).Batches() {
		var corrupt *CorruptError
		if err != nil && !errors.As(err, &corrupt) {
			t.Fatal(err)
		}
		item := "no batch"
		if b != nil {
			if !b.Checked {
				unchecked++
			}
			plain := *b
			plain.Data, plain.Checked, plain.ComputedCRC = nil, false, 0
			item = fmt.Sprintf("%+v %d", plain, len(b.Data))
		}
		items = append(items, fmt.Sprintf("%s: %v", item, corrupt))
	}
	return items, unchecked
}

// On sound logs a scan by framing alone finds the same batches, and leaves the
// checksums of nearly all of them out.
func TestFramingOnlyFindsTheSameBatches(t *testing.T) {
	for _, file := range []string{
		"kafka-4.4.0/closed/many-0", "kafka-4.4.0/closed/codec-none-0", "kafka-4.4.0/closed/codec-lz4-0", "kafka-4.4.0/closed/txn-0",
	} {
		data := fixture.ReadFile(t, file+"/00000000000000000000.log")
		want, _ := framing(t, data, false)
		got, unchecked := framing(t, data, true)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the batches differ", file)
		}
		if unchecked < len(want)/2 || unchecked == len(want) {
			t.Errorf("%s: %d of %d batches without a checksum", file, unchecked, len(want))
		}
	}
	data := repeated(t, "kafka-4.4.0/closed/many-0/00000000000000000000.log", 3*blocks.Size) // headers across blocks
	want, _ := framing(t, data, false)
	if got, _ := framing(t, data, true); !slices.Equal(got, want) {
		t.Error("the batches of several blocks differ")
	}
}

// Whatever bit of the fields that make the framing is wrong: the verdict is the
// one that the checksums give. Of other bits at most the verdict is missing.
func TestFramingOnlyJudgesFramingAlike(t *testing.T) {
	original := fixture.ReadFile(t, "kafka-4.4.0/closed/codec-lz4-0/00000000000000000000.log")
	all := extents(original)[:6]
	original = original[:all[5].position+all[5].size]
	e := all[2]
	for bit := range 8 * HeaderSize {
		data := slices.Clone(original)
		data[int(e.position)+bit/8] ^= 1 << (bit % 8)
		want, _ := framing(t, data, false)
		got, _ := framing(t, data, true)
		if slices.Equal(got, want) {
			continue
		}
		if bit/8 < crcStart-4 {
			t.Errorf("bit %d of byte %d:\n%q, by checksums\n%q", bit%8, bit/8, got, want)
		}
		for i := range got {
			if len(got) != len(want) || got[i] != want[i] && i != 2 {
				t.Errorf("bit %d of byte %d: item %d is\n%s, by checksums\n%s", bit%8, bit/8, i, got[i], want[i])
			}
		}
	}
}

// Damage that isn't one of a payload is found by the framing too.
func TestFramingOnlyFindsDamage(t *testing.T) {
	original := fixture.ReadFile(t, "kafka-4.4.0/closed/many-0/00000000000000000000.log")
	all := extents(original)
	k := len(all) / 2
	e, next := all[k], all[k+1]
	for name, damage := range map[string]func(d []byte) []byte{
		"a length that spans the next batch": func(d []byte) []byte {
			binary.BigEndian.PutUint32(d[e.position+8:], uint32(e.size+next.size-LogOverhead))
			return d
		},
		"zeros":             func(d []byte) []byte { clear(d[e.position : e.position+e.size]); return d },
		"an inserted byte":  func(d []byte) []byte { return slices.Insert(d, int(e.position), 0xff) },
		"a missing byte":    func(d []byte) []byte { return slices.Delete(d, int(e.position)+70, int(e.position)+71) },
		"a zero tail":       func(d []byte) []byte { return append(d, make([]byte, 5000)...) },
		"a torn tail":       func(d []byte) []byte { return d[:len(d)-3] },
		"bits of the last":  func(d []byte) []byte { d[len(d)-3] ^= 8; return d },
		"a batch left out":  func(d []byte) []byte { return slices.Delete(d, int(e.position), int(next.position)) },
		"a batch twice":     func(d []byte) []byte { return slices.Insert(d, int(e.position), d[e.position:next.position]...) },
		"a batch of zeros+": func(d []byte) []byte { clear(d[e.position+HeaderSize : next.position+100]); return d },
	} {
		data := damage(slices.Clone(original))
		want, _ := framing(t, data, false)
		if got, _ := framing(t, data, true); !slices.Equal(got, want) {
			t.Errorf("%s: by framing %d items, by checksums %d", name, len(got), len(want))
		}
	}
}
