package blocks_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/kafsck/kafsck/internal/blocks"
)

// file counts the reads that are under way.
type file struct {
	data    []byte
	bad     int64 // reads beyond this position fail; 0 none do
	reading atomic.Int32
}

var errBad = errors.New("bad block")

func (f *file) ReadAt(p []byte, position int64) (int, error) {
	f.reading.Add(1)
	defer f.reading.Add(-1)
	if f.bad > 0 && position+int64(len(p)) > f.bad {
		return 0, errBad
	}
	return bytes.NewReader(f.data).ReadAt(p, position)
}

func random(n int, seed uint64) []byte {
	data := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(seed)})
	_, _ = r.Read(data)
	return data
}

// A user steps through a file as it likes, with what the last block ended with
// in hand: it always gets the bytes of the file, as many as it needs.
func TestBytesAreThoseOfTheFile(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 7))
		// Below two blocks nothing is read ahead.
		f := &file{data: random(int(seed)*3*blocks.Size/2+rng.IntN(blocks.Size), seed)}
		largest := []int64{1 << 10, 100 << 10, 200 << 10, blocks.Size, 3 << 20, 6 << 20}[seed%6]
		end := int64(len(f.data))
		r := blocks.New(f, 0, end)
		position := int64(0)
		var held *blocks.Buffer // somebody else still looks at it
		var heldData, heldWant []byte
		var carry []byte
		var carried *blocks.Buffer
		for position < end {
			need := min(int64(len(carry))+1+rng.Int64N(largest), end-position)
			if need <= int64(len(carry)) {
				break // all of the rest is in hand
			}
			block, err := r.Next(carry, position, need)
			if err != nil {
				t.Fatal(err)
			}
			carried.Release()
			carry, carried = nil, nil
			if block.Position != position || len(block.Data) == 0 || !bytes.Equal(block.Data, f.data[position:][:len(block.Data)]) {
				t.Fatalf("seed %d: position %d: not the bytes of the file", seed, position)
			}
			if int64(len(block.Data)) < need {
				// A block alone may be short of it: it comes back as what is in hand.
				carry, carried = block.Data, block.Buffer
				continue
			}
			if rng.IntN(4) == 0 {
				if !bytes.Equal(heldData, heldWant) {
					t.Fatalf("seed %d: position %d: bytes changed while somebody had them", seed, position)
				}
				held.Release()
				held, heldData, heldWant = block.Buffer.Retain(), block.Data, bytes.Clone(block.Data)
			}
			switch step := rng.Int64N(int64(len(block.Data)) + 1); {
			case rng.IntN(20) == 0:
				position += step + rng.Int64N(8*blocks.Size) // far ahead
				block.Buffer.Release()
			default:
				position += step
				carry, carried = block.Data[step:], block.Buffer
			}
			if position > end {
				break
			}
			if beyond := position - block.Position - int64(len(block.Data)); beyond >= 0 {
				carried.Release()
				carry, carried = nil, nil
			}
		}
		carried.Release()
		held.Release()
		r.Stop()
		if n := f.reading.Load(); n > 0 {
			t.Errorf("seed %d: %d reads go on after Stop", seed, n)
		}
	}
}

// What can't be read is an error where it is needed, and not before.
func TestErrorsOfReading(t *testing.T) {
	f := &file{data: random(5*blocks.Size, 1), bad: 3*blocks.Size + 10}
	r := blocks.New(f, 0, int64(len(f.data)))
	defer r.Stop()
	for position := int64(0); ; {
		block, err := r.Next(nil, position, 1)
		if err != nil {
			if !errors.Is(err, errBad) || position < 2*blocks.Size {
				t.Errorf("position %d: %v", position, err)
			}
			return
		}
		position += int64(len(block.Data))
		block.Buffer.Release()
	}
}

// A file that has become shorter is an error too, as is one that says nothing.
func TestShorterFile(t *testing.T) {
	for _, size := range []int{10, 3 * blocks.Size} {
		f := &file{data: random(size, 2)}
		r := blocks.New(f, 0, int64(size)+1)
		var err error
		for position := int64(0); err == nil; {
			var block blocks.Block
			if block, err = r.Next(nil, position, 1); err == nil {
				position += int64(len(block.Data))
				block.Buffer.Release()
			}
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: %v", size, err)
		}
		r.Stop()
	}
}
