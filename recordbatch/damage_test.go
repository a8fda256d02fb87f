package recordbatch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
)

// extent is a batch of the undamaged log.
type extent struct{ position, size int64 }

// scanAll lists what a scan finds: sound batches as the bytes they have, and
// the damage.
func scanAll(t testing.TB, data []byte) (sound [][]byte, damage []*CorruptError) {
	t.Helper()
	end := int64(0)
	for b, err := range NewScanner(bytes.NewReader(data), int64(len(data)), Options{}).Batches() {
		var corrupt *CorruptError
		if err != nil && !errors.As(err, &corrupt) {
			t.Fatal(err)
		}
		from, to := int64(0), int64(0)
		if b != nil {
			from, to = b.Position, b.EndPosition()
			if corrupt == nil {
				sound = append(sound, slices.Clone(b.Data))
			}
		} else {
			from, to = corrupt.Position, corrupt.EndPosition
		}
		if corrupt != nil {
			damage = append(damage, corrupt)
		}
		if from != end || to <= from || to > int64(len(data)) {
			t.Fatalf("item from %d to %d, the one before ended at %d of %d: %v", from, to, end, len(data), err)
		}
		end = to
	}
	if end != int64(len(data)) {
		t.Fatalf("the scan ended at %d of %d", end, len(data))
	}
	return sound, damage
}

func extents(data []byte) []extent {
	var all []extent
	for at := int64(0); at < int64(len(data)); {
		size := int64(binary.BigEndian.Uint32(data[at+8:])) + LogOverhead
		all = append(all, extent{at, size})
		at += size
	}
	return all
}

func fixCRC(data []byte, e extent) {
	sum := crc32.Checksum(data[e.position+crcStart:e.position+e.size], castagnoli)
	binary.BigEndian.PutUint32(data[e.position+17:], sum)
}

// One damage: it is named, at its place, and every other batch is still found.
func TestDamageHidesNothingElse(t *testing.T) {
	for _, file := range []string{
		"kafka-4.4.0/closed/codec-none-0", "kafka-4.4.0/closed/codec-lz4-0", "kafka-4.4.0/closed/many-0",
	} {
		original := fixture.ReadFile(t, file+"/00000000000000000000.log")
		all := extents(original)
		k := len(all) / 2
		e, next := all[k], all[k+1]
		put := func(at int64, value uint32) func([]byte) []byte {
			return func(d []byte) []byte {
				binary.BigEndian.PutUint32(d[e.position+at:], value)
				return d
			}
		}
		incidents := []struct {
			name   string
			damage func(d []byte) []byte
			cause  error
			at     int64
			lost   []int // batches
		}{
			{"one bit of a payload", func(d []byte) []byte { d[e.position+70] ^= 4; return d }, ErrChecksum, e.position, []int{k}},
			{"one bit of the stored checksum", func(d []byte) []byte { d[e.position+18] ^= 1; return d }, ErrChecksum, e.position, []int{k}},
			{"a magic of the future", func(d []byte) []byte { d[e.position+16] = 7; return d }, ErrBadMagic, e.position, []int{k}},
			{"a magic of the past", func(d []byte) []byte { d[e.position+16] = 0; return d }, ErrBadMagic, e.position, []int{k}},
			{"a tiny length", put(8, 10), ErrBadSize, e.position, []int{k}},
			{"a negative length", put(8, 0xfffffffb), ErrBadSize, e.position, []int{k}},
			{"a length past the end", put(8, 0x7fffff00), ErrBadSize, e.position, []int{k}},
			{"a length one too large", put(8, uint32(e.size-LogOverhead+1)), ErrBadSize, e.position, []int{k}},
			{"a length that spans the next batch", put(8, uint32(e.size+next.size-LogOverhead)), ErrBadSize, e.position, []int{k}},
			{"a batch of zeros", func(d []byte) []byte { clear(d[e.position : e.position+e.size]); return d }, ErrZeroHole, e.position, []int{k}},
			{"inserted bytes", func(d []byte) []byte {
				return slices.Insert(d, int(e.position), bytes.Repeat([]byte{0xde, 0xad, 0xbe, 0xef, 0x01}, 9)...)
			}, ErrGarbage, e.position, nil},
			{"one inserted byte", func(d []byte) []byte { return slices.Insert(d, int(e.position), 0xff) }, ErrGarbage, e.position, nil},
			{"deleted bytes within a batch", func(d []byte) []byte { return slices.Delete(d, int(e.position)+30, int(e.position)+40) }, nil, e.position, []int{k}},
			{"a batch that isn't there", func(d []byte) []byte { return slices.Delete(d, int(e.position), int(e.position+e.size)) }, nil, -1, []int{k}},
			{"three batches in a row", func(d []byte) []byte {
				for _, e := range all[k : k+3] {
					d[e.position+66] ^= 0x80
				}
				return d
			}, ErrChecksum, e.position, []int{k, k + 1, k + 2}},
			{"zeros behind the last batch", func(d []byte) []byte { return append(d, make([]byte, 3000)...) }, ErrZeroTail, int64(len(original)), nil},
			{"a few zeros behind the last batch", func(d []byte) []byte { return append(d, 0, 0, 0) }, ErrZeroTail, int64(len(original)), nil},
			{"the last batch is cut", func(d []byte) []byte { return d[:len(d)-5] }, ErrTornTail, all[len(all)-1].position, []int{len(all) - 1}},
			{"the last batch is cut in its header", func(d []byte) []byte { return d[:all[len(all)-1].position+20] }, ErrTornTail, all[len(all)-1].position, []int{len(all) - 1}},
		}
		for _, in := range incidents {
			t.Run(file[len("kafka-4.4.0/closed/"):]+"/"+in.name, func(t *testing.T) {
				sound, damage := scanAll(t, in.damage(slices.Clone(original)))
				var want [][]byte
				for i, e := range all {
					if !slices.Contains(in.lost, i) {
						want = append(want, original[e.position:e.position+e.size])
					}
				}
				if len(sound) != len(want) {
					t.Fatalf("%d sound batches, want %d; damage: %v", len(sound), len(want), damage)
				}
				for i := range want {
					if !bytes.Equal(sound[i], want[i]) {
						t.Fatalf("sound batch %d differs", i)
					}
				}
				if in.at < 0 {
					return
				}
				if len(damage) == 0 || damage[0].Position != in.at || (in.cause != nil && !errors.Is(damage[0], in.cause)) {
					t.Fatalf("damage %v, want %v at %d", damage, in.cause, in.at)
				}
				if len(damage) > max(1, len(in.lost)) {
					t.Fatalf("%d findings for one damage: %v", len(damage), damage)
				}
			})
		}
	}
}

// Where the checksum is right again, the decoder is what notices.
func TestDecoderNamesDamage(t *testing.T) {
	original := fixture.ReadFile(t, "kafka-4.4.0/closed/codec-none-0/00000000000000000000.log")
	e := extents(original)[3]
	count := binary.BigEndian.Uint32(original[e.position+57:])
	for _, in := range []struct {
		name   string
		damage func(batch []byte)
		cause  error
	}{
		{"three records too many", func(b []byte) { binary.BigEndian.PutUint32(b[57:], count+3) }, ErrCount},
		{"2000000000 records", func(b []byte) { binary.BigEndian.PutUint32(b[57:], 2_000_000_000) }, ErrCount},
		{"-1 records", func(b []byte) { binary.BigEndian.PutUint32(b[57:], 0xffffffff) }, ErrCount},
		{"one record too few", func(b []byte) { binary.BigEndian.PutUint32(b[57:], count-1) }, ErrCount},
		{"no records", func(b []byte) { binary.BigEndian.PutUint32(b[57:], 0) }, ErrTrailingBytes},
		{"codec 6", func(b []byte) { b[22] = 6 }, ErrBadCodec},
		{"gzip that isn't", func(b []byte) { b[22] = 1 }, ErrDecompress},
		{"a huge record length", func(b []byte) { copy(b[61:], []byte{0xfe, 0xff, 0xff, 0xff, 0x0f}) }, ErrRecord},
		{"an endless varint", func(b []byte) { copy(b[61:], bytes.Repeat([]byte{0xff}, 9)) }, ErrRecord},
		{"a negative record length", func(b []byte) { b[61] = 1 }, ErrRecord},
	} {
		t.Run(in.name, func(t *testing.T) {
			data := slices.Clone(original)
			in.damage(data[e.position : e.position+e.size])
			fixCRC(data, e)
			var decoder Decoder
			var got error
			for b, err := range NewScanner(bytes.NewReader(data), int64(len(data)), Options{}).Batches() {
				if err != nil {
					t.Fatal(err)
				}
				if _, err := decoder.Inspect(b); err != nil {
					if b.Position != e.position || got != nil {
						t.Fatalf("position %d: %v", b.Position, err)
					}
					got = err
				}
			}
			if !errors.Is(got, in.cause) {
				t.Fatalf("got %v, want %v", got, in.cause)
			}
		})
	}
}

// A log cut at any length is whole batches and at most one torn tail.
func TestTruncationAtEveryLength(t *testing.T) {
	original := fixture.ReadFile(t, "kafka-4.4.0/closed/txn-0/00000000000000000000.log")
	all := extents(original)
	for n := range len(original) {
		whole := 0
		for whole < len(all) && all[whole].position+all[whole].size <= int64(n) {
			whole++
		}
		sound, damage := scanAll(t, original[:n])
		torn := whole < len(all) && all[whole].position < int64(n)
		if len(sound) != whole || (len(damage) == 1) != torn {
			t.Fatalf("cut at %d: %d batches of %d, damage %v", n, len(sound), whole, damage)
		}
	}
}

// Any flipped bit leaves every other batch readable.
func TestFlipOfEveryBit(t *testing.T) {
	original := fixture.ReadFile(t, "kafka-4.4.0/closed/txn-0/00000000000000000010.log")
	all := extents(original)[:12]
	original = original[:all[11].position+all[11].size]
	for at := range original {
		for bit := range 8 {
			data := slices.Clone(original)
			data[at] ^= 1 << bit
			sound, damage := scanAll(t, data)
			hit := slices.IndexFunc(all, func(e extent) bool { return int64(at) < e.position+e.size })
			field := int64(at) - all[hit].position
			// Not under the checksum: base offset and leader epoch.
			silent := field < 8 || (field >= 12 && field < 16)
			lost := len(all) - len(sound)
			if silent && (lost != 0 || len(damage) != 0) || !silent && (lost != 1 || len(damage) != 1) {
				t.Fatalf("bit %d of byte %d (%s of batch %d): %d batches lost, damage %v", bit, at, fmt.Sprint(field), hit, lost, damage)
			}
			if len(damage) == 1 && damage[0].Position != all[hit].position {
				t.Fatalf("bit %d of byte %d: %v, the batch is at %d", bit, at, damage[0], all[hit].position)
			}
		}
	}
}

// Damage that goes on and on takes time in proportion to the file, and the
// scan still says where each piece of it is.
func TestMuchDamage(t *testing.T) {
	original := fixture.ReadFile(t, "kafka-4.4.0/closed/txn-0/00000000000000000000.log")
	first := extents(original)[0]
	bad := slices.Clone(original[:first.size])
	bad[first.size-1] ^= 1
	const many = 60_000
	data := bytes.Repeat(bad, many)
	data = append(data, original...)
	sound, damage := scanAll(t, data)
	if len(sound) != len(extents(original)) || len(damage) != many {
		t.Fatalf("%d sound batches, %d damaged", len(sound), len(damage))
	}
	// A header that would fit anywhere, at every place.
	header := slices.Clone(original[:HeaderSize])
	binary.BigEndian.PutUint32(header[8:], 3<<20)
	data = append(bytes.Repeat(header, 80_000), original...)
	sound, _ = scanAll(t, data)
	if len(sound) != len(extents(original)) {
		t.Fatalf("%d sound batches behind false headers", len(sound))
	}
	// Zeros, then a batch, on and on.
	data = nil
	for range 200 {
		data = append(data, make([]byte, 100_001)...)
		data = append(data, original[:first.size]...)
	}
	sound, damage = scanAll(t, data)
	if len(sound) != 200 || len(damage) != 200 {
		t.Fatalf("%d sound batches between zeros, %d damages", len(sound), len(damage))
	}
}
