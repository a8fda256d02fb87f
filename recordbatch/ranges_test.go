package recordbatch

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

const (
	spent     = math.MaxInt64 / 2 // of a credit: nothing is read through any more
	unlimited = -spent
)

// verdicts lists all that a scan says, with the credit for reading through that
// has been spent so far.
func verdicts(t testing.TB, data []byte, direct int64, options Options) []string {
	t.Helper()
	var items []string
	scanner := NewScanner(bytes.NewReader(data), int64(len(data)), options)
	scanner.judge.direct = direct
	for b, err := range scanner.Batches() {
		var corrupt *CorruptError
		if err != nil && !errors.As(err, &corrupt) {
			t.Fatal(err)
		}
		item := "no batch"
		if b != nil {
			plain := *b
			plain.Data = nil
			item = fmt.Sprintf("%+v %08x", plain, crc32.ChecksumIEEE(b.Data))
		}
		if corrupt != nil {
			item += fmt.Sprintf(" %+v", *corrupt)
		}
		items = append(items, item)
	}
	return items
}

// sameVerdicts checks that it makes no difference how checksums are computed.
func sameVerdicts(t testing.TB, name string, data []byte) {
	t.Helper()
	for _, options := range []Options{{}, {FramingOnly: true}} {
		want, got := verdicts(t, data, unlimited, options), verdicts(t, data, spent, options)
		for i := range max(len(want), len(got)) {
			if i >= len(want) || i >= len(got) || want[i] != got[i] {
				t.Fatalf("%s: %d items, %d from sums; they differ from item %d on:\n%.600q\n%.600q",
					name, len(want), len(got), i, want[min(i, len(want)):], got[min(i, len(got)):])
			}
		}
	}
}

func TestVerdictsFromSumsAreTheSame(t *testing.T) {
	size, claim := 300_000, 40_000
	if testing.Short() {
		size = 100_000
	}
	for name, log := range batchtest.ClaimLogs {
		sameVerdicts(t, name, log(size, claim))
		sameVerdicts(t, name+", short", log(size/10, 300))
		sameVerdicts(t, name+", of many parts", log(size, 2000))
	}
	original := fixture.ReadFile(t, "kafka-4.4.0/closed/many-0/00000000000000000000.log")
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		data := slices.Clone(original)
		for range 1 + i/4 {
			switch at := rng.IntN(len(data) - 100); rng.IntN(4) {
			case 0:
				data[at] ^= 1 << rng.IntN(8)
			case 1:
				copy(data[at:], "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01")
			case 2:
				data = slices.Delete(data, at, at+1+rng.IntN(90))
			case 3:
				clear(data[at : at+rng.IntN(100)])
			}
		}
		sameVerdicts(t, fmt.Sprint("random damage ", i), data)
	}
}

// A batch larger than what is loaded before it is proved is one, and its inside
// isn't searched, however its checksum is computed.
func TestLargeBatchFromSums(t *testing.T) {
	inner := batchtest.ClaimLogs["between batches"](maxLoaded+(1<<20), 1<<20)
	b := batchtest.NewBatch(5, 1000)
	b.Payload = inner
	log := b.Append(batchtest.NewBatch(0, 1000, batchtest.KV("k", "v")).Encode())
	log = batchtest.NewBatch(6, 1000, batchtest.KV("k", "v")).Append(log)
	if got := verdicts(t, log, spent, Options{}); len(got) != 3 {
		t.Fatalf("%d items", len(got))
	}
	log[len(log)/2] ^= 1
	if got := len(verdicts(t, log, spent, Options{})); got != 3 {
		t.Fatalf("%d items where its checksum is wrong", got)
	}
}

// withHole is zeros from one position to another, and knows so.
type withHole struct {
	*bytes.Reader
	from, to int64
}

func (h withHole) NextData(position int64) (int64, error) {
	if position >= h.from && position < h.to {
		return h.to, nil
	}
	return position, nil
}

// FuzzRangeChecksum: the checksum of any range computed from sums is that of its
// bytes, whatever was asked for before.
func FuzzRangeChecksum(f *testing.F) {
	f.Add([]byte("kafka"), uint32(0), uint32(5), uint32(1), uint32(3), true)
	f.Add(batchtest.Noise(1, 9000), uint32(100), uint32(8999), uint32(2000), uint32(3030), false)
	f.Add(batchtest.Noise(2, 1), uint32(1<<20), uint32(3<<20), uint32(1<<20-1), uint32(2<<20+7), true)
	f.Fuzz(func(t *testing.T, seed []byte, a, b, c, d uint32, sparse bool) {
		const most = 4 << 20
		if len(seed) == 0 {
			return
		}
		data := bytes.Repeat(seed, 1+3*smallestStep/len(seed))
		size := int64(min(most, max(len(data), int(a%most), int(b%most))))
		data = append(data, make([]byte, max(0, size-int64(len(data))))...)[:size]
		hole := withHole{Reader: bytes.NewReader(data), from: int64(len(data)) / 3, to: int64(len(data)) / 2}
		var r io.ReaderAt = hole.Reader
		if sparse {
			clear(data[hole.from:hole.to])
			r = hole
		}
		j := judge{r: r, end: size, direct: spent}
		positions := []int64{int64(a) % (size + 1), int64(b) % (size + 1), int64(c) % (size + 1), int64(d) % (size + 1)}
		j.position = slices.Min(positions[:3])
		for _, from := range positions {
			for _, to := range positions {
				for _, p := range []*polynomial{crc32C, crc32IEEE} {
					got, err := j.checksum(p, from, to)
					if err != nil {
						t.Fatal(err)
					}
					if want := crc32.Checksum(data[from:max(from, to)], p.table); from < to && got != want {
						t.Fatalf("from %d to %d of %d: %08x, want %08x", from, to, size, got, want)
					}
				}
			}
		}
	})
}

// A scan behind what the sums cover starts them anew, and what they were made
// of may change.
func TestSumsFollowTheScan(t *testing.T) {
	data := batchtest.Noise(3, 3<<20)
	j := judge{r: bytes.NewReader(data), end: int64(len(data)), direct: spent}
	check := func(from, to int64) {
		t.Helper()
		got, err := j.checksum(crc32C, from, to)
		if want := crc32.Checksum(data[from:to], castagnoli); err != nil || got != want {
			t.Fatalf("from %d to %d: %08x, want %08x, %v", from, to, got, want, err)
		}
	}
	check(10, 5000)
	j.position = 2<<20 + 5
	check(2<<20+7, 3<<20)
	if start := j.ranges.sums[0].start; start != j.position {
		t.Errorf("the sums start at %d", start)
	}
	check(1, 3<<20) // before them: never asked for by a scan, and right all the same
	data[2<<20+9] ^= 1
	j.forget()
	check(2<<20+7, 3<<20)
}

func BenchmarkClaims(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(batchtest.ClaimLogs)) {
		b.Run(name, func(b *testing.B) {
			claim := 3 << 20
			if name == "in short ladders" {
				claim = 20_000 // fifty of them fit
			}
			log := batchtest.ClaimLogs[name](8<<20, claim)
			b.SetBytes(int64(len(log)))
			items := 0
			for b.Loop() {
				for range NewScanner(bytes.NewReader(log), int64(len(log)), Options{}).Batches() {
					items++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(items), "ns/item")
		})
	}
}
