package salvage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/internal/place"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// wreck changes a log at random places: bits, runs of zeros and noise, bytes
// lost and added.
func wreck(r *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	for range r.IntN(6) {
		if len(data) < 100 {
			break
		}
		at := r.IntN(len(data))
		n := min(1+r.IntN(400), len(data)-at)
		switch r.IntN(6) {
		case 0, 1:
			data[at] ^= 1 << r.IntN(8)
		case 2:
			clear(data[at : at+n])
		case 3:
			copy(data[at:], batchtest.Noise(r.Uint64(), n))
		case 4:
			data = append(data[:at:at], data[at+n:]...)
		case 5:
			data = append(data[:at:at], append(batchtest.Noise(r.Uint64(), n), data[at:]...)...)
		}
	}
	return data
}

// Whatever happens to one or several replicas, a salvage makes a log that a
// recovering broker leaves as it is (or it would be an error), of nothing but
// batches that are there, in order; and each batch that is whole in some
// replica is among them.
func TestRandomDamage(t *testing.T) {
	profiles := []batchtest.Profile{batchtest.Plain(), batchtest.Transactional(), batchtest.Compacted(), batchtest.Wild(), batchtest.Legacy()}
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			p := batchtest.GeneratePartition(seed, profiles[seed%5], 1+r.IntN(3))
			p.Topic, p.TopicID = "t", [16]byte{1}
			var request Request
			var sources []byte
			for i := range 1 + r.IntN(3) {
				p.Files = map[string][]byte{}
				for _, s := range p.Segments {
					data := wreck(r, s.Data)
					p.Files[batchtest.FileName(s.Layout.BaseOffset, ".log")] = data
					sources = append(sources, data...)
				}
				dir, err := p.Write(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					request.Paths = []string{dir}
				} else {
					request.From = append(request.From, dir)
				}
			}
			result := salvage(t, request, Options{SegmentBytes: 1 + r.Int64N(100_000), Interval: 4096, MaxIndexSize: 10 << 20})
			kept := map[string]bool{}
			for _, b := range batches(t, result.dir) {
				kept[string(b)] = true
				if !bytes.Contains(sources, b) {
					t.Fatalf("a batch of %d bytes from nowhere", len(b))
				}
			}
			missing := 0
			for _, s := range p.Segments {
				for i := range s.Layout.Batches {
					if b := s.Layout.Bytes(s.Data, i); bytes.Contains(sources, b) && !kept[string(b)] {
						missing++
					}
				}
			}
			if missing > 0 {
				t.Errorf("%d whole batches are missing", missing)
			}
			for _, dir := range append(request.Paths, request.From...) {
				checkAccount(t, dir, &result)
			}
		})
	}
}

var errStop = errors.New("stop")

// An interrupted run leaves nothing of the partition that it was in.
func TestInterrupted(t *testing.T) {
	p := batchtest.GeneratePartition(3, batchtest.Plain(), 3)
	p.Topic = "t"
	dir, err := p.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	request := Request{Paths: []string{dir}}
	for at := 1; ; at++ {
		jobs, _, err := Plan(&request)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Join(t.TempDir(), "out")
		out, err := place.Open(base, place.Options{Sources: request.Sources(), Own: Owns(jobs)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		o := DefaultOptions()
		n := 0
		o.Tell = func(any) error {
			if n++; n == at {
				if at%2 == 0 {
					cancel()
				} else {
					return errStop
				}
			}
			return nil
		}
		_, err = Run(ctx, &jobs[0], out, o)
		cancel()
		_ = out.Close()
		entries, readErr := os.ReadDir(base)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err == nil {
			if len(entries) != 2 {
				t.Errorf("done, with %v", entries)
			}
			if n < at {
				return
			}
			continue // cancelled too late to matter
		}
		if len(entries) != 0 {
			t.Errorf("stopped at object %d (%v): %v is left", at, err, entries)
		}
	}
}
