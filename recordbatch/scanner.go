package recordbatch

import (
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/kafsck/kafsck/internal/blocks"
)

// Options say how a Scanner reads a log.
type Options struct {
	// File is named in errors.
	File string
	// From and To bound the scan, in bytes; From is the start of a batch. To
	// = 0 stands for the size of the file. A batch that crosses To counts as
	// cut there.
	From, To int64
	// Base is the base offset of the segment, for judging what could be a
	// batch where framing is lost; 0 is always right.
	Base int64
	// FramingOnly leaves checksums out where the framing is beyond doubt: where
	// a plausible header is followed by another one that begins with the next
	// offset. Such a batch comes with Checked false, so Valid says no. Everywhere
	// else, as at gaps in the offsets, at the end of a file and around any
	// damage, checksums are computed and judged as ever.
	FramingOnly bool
}

// Scanner walks the entries of a log file: sequentially, in big reads, in
// constant memory. Where the framing breaks it says what is broken, looks for
// the next position at which a plausible header has a matching checksum, and
// goes on there: one damaged batch never hides the next.
type Scanner struct {
	r       io.ReaderAt
	options Options
	end     int64
	judge   *judge
}

// NewScanner scans size bytes of r. It reads nothing yet. Where r has a method
//
//	NextData(position int64) (int64, error)
//
// that gives the first position from the given one on that may hold something
// else than zeros, as a sparse file knows it, what lies before isn't read.
func NewScanner(r io.ReaderAt, size int64, options Options) *Scanner {
	end := size
	if options.To > 0 && options.To < size {
		end = options.To
	}
	return &Scanner{
		r: r, options: options, end: end,
		judge: &judge{r: r, end: end, base: options.Base, soundFrom: -1},
	}
}

// Item is one step of a scan: a batch, with or without damage, or damage of
// bytes that belong to no batch, for which Batch.Size is 0.
type Item struct {
	Batch Batch
	Err   *CorruptError
}

// IsBatch says whether the item holds a batch.
func (i *Item) IsBatch() bool { return i.Batch.Size > 0 }

// Chunk is a run of consecutive items together with the bytes they lie in.
// It belongs to the consumer until Release.
type Chunk struct {
	Items  []Item
	buffer *blocks.Buffer
}

// Release gives the chunk's memory back. Nothing of it may be used after.
func (c *Chunk) Release() {
	if c == nil {
		return
	}
	buffer := c.buffer
	c.buffer = nil
	if buffer != nil {
		buffer.Release()
	}
	c.Items = c.Items[:0]
	chunkPool.Put(c)
}

var chunkPool = sync.Pool{New: func() any { return new(Chunk) }}

// Batches yields every batch in order, each with the damage found in its
// header or checksum, if any. Damage outside of batches comes with a nil
// batch. Both are *CorruptError; any other error is of reading the file and
// ends the scan. A batch and its Data are valid until the next step.
func (s *Scanner) Batches() iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		for chunk, err := range s.Chunks() {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range chunk.Items {
				item := &chunk.Items[i]
				var batch *Batch
				if item.IsBatch() {
					batch = &item.Batch
				}
				var damage error
				if item.Err != nil {
					damage = item.Err
				}
				if !yield(batch, damage) {
					chunk.Release()
					return
				}
			}
			chunk.Release()
		}
	}
}

// Chunks yields the same as Batches in runs of about a megabyte, for
// consumers that hand them to several workers. The consumer releases each. An
// error is of reading the file and ends the scan.
func (s *Scanner) Chunks() iter.Seq2[*Chunk, error] {
	return func(yield func(*Chunk, error) bool) {
		reader := blocks.New(s.r, s.options.From, s.end)
		defer reader.Stop()
		position := s.options.From // of the next entry
		var need int64             // how many bytes it takes, as far as is known
		var carry []byte           // bytes from position on that the last block ended with
		var carried *blocks.Buffer
		defer func() { carried.Release() }()
		for position < s.end {
			var err error
			at := blocks.Block{Position: position, Data: carry, Buffer: carried}
			if need != inHand {
				at, err = reader.Next(carry, position, need)
				carried.Release()
			}
			carry, carried = nil, nil
			if err != nil {
				yield(nil, s.ioError(err))
				return
			}
			chunk := chunkPool.Get().(*Chunk)
			chunk.buffer = at.Buffer
			next, rest, wanted, err := s.frame(chunk, at.Data, position)
			if err != nil {
				chunk.Release()
				yield(nil, s.ioError(err))
				return
			}
			position, need = next, wanted
			if len(rest) > 0 {
				carry, carried = rest, at.Buffer.Retain()
			}
			if len(chunk.Items) == 0 {
				chunk.Release()
				continue
			}
			if !yield(chunk, nil) {
				return
			}
		}
	}
}

func (s *Scanner) ioError(err error) error {
	if s.options.File == "" {
		return err
	}
	return fmt.Errorf("%s: %w", s.options.File, err)
}

const (
	// maxLoaded is the largest batch that is read into memory before its
	// checksum has proved it. Kafka's default limit for a batch is 1 MiB.
	maxLoaded = 16 << 20
	// inHand stands for the need of an entry that is in memory already: the
	// chunk was full.
	inHand = -1
	// maxDamaged is how many damaged items a chunk holds. What is known of
	// damage takes more memory than the bytes of a small batch.
	maxDamaged = 512
)

// frame cuts data, which starts at position, into items. It returns the
// position of the next entry, the part of data from there on, and how many
// bytes that entry needs.
func (s *Scanner) frame(chunk *Chunk, data []byte, position int64) (next int64, rest []byte, need int64, err error) {
	damaged := 0
	for {
		left := s.end - position
		if left <= 0 {
			return position, nil, 0, nil
		}
		if int64(len(data)) < min(left, maxHeader) {
			return position, data, maxHeader, nil
		}
		n := len(chunk.Items)
		if n < cap(chunk.Items) {
			chunk.Items = chunk.Items[:n+1]
		} else {
			chunk.Items = append(chunk.Items, Item{})
		}
		item := &chunk.Items[n]
		item.Err = nil
		b := &item.Batch
		sound, needs := s.sound(b, data, position)
		if sound {
			position += b.Size
			data = data[b.Size:]
			continue
		}
		if needs > int64(len(data)) {
			chunk.Items = chunk.Items[:n]
			return position, data, needs, nil
		}
		if *item, err = s.judge.settled(position); err != nil {
			chunk.Items = chunk.Items[:n]
			return position, nil, 0, err
		}
		if item.Err != nil {
			item.Err.File = s.options.File
		}
		step := item.Batch.Size
		if !item.IsBatch() {
			step = item.Err.EndPosition - position
		} else if item.Batch.Data == nil {
			if step <= int64(len(data)) {
				item.Batch.Data = data[:step:step]
			} else if step <= maxLoaded {
				chunk.Items = chunk.Items[:n]
				return position, data, step, nil
			}
		}
		position += step
		data = data[min(step, int64(len(data))):]
		if damaged++; damaged >= maxDamaged && len(data) > 0 {
			return position, data, inHand, nil
		}
	}
}

// sound parses the entry at the start of data and says whether all of it is
// there and right: by its checksum, or by its framing where that is enough. It
// says how many bytes it needs to see for that, where these aren't in data.
func (s *Scanner) sound(b *Batch, data []byte, position int64) (sound bool, needs int64) {
	if len(data) < minHeader {
		return false, 0
	}
	parseHeader(b, data[:min(len(data), maxHeader)], position)
	if !s.judge.fits(b) || b.Size > maxLoaded || (s.judge.tired(b) && !s.promises(b, data)) {
		return false, 0
	}
	if b.Size > int64(len(data)) {
		return false, b.Size
	}
	b.Data = data[:b.Size:b.Size]
	if s.options.FramingOnly && plausible(b, data[:min(len(data), maxHeader)]) && s.end-b.EndPosition() >= maxHeader {
		next := data[b.Size:]
		if len(next) < maxHeader {
			return false, b.Size + maxHeader
		}
		if follows(b, next[:maxHeader]) {
			return true, 0
		}
	}
	b.ComputedCRC, b.Checked = checksum(b.Magic, b.Data), true
	if b.CRC != b.ComputedCRC {
		s.judge.direct += b.Size
		return false, 0
	}
	return true, 0
}

// promises says whether the entry that data begins with is worth being read: by
// what sound will go by, without reading all of it.
func (s *Scanner) promises(b *Batch, data []byte) bool {
	var next [maxHeader]byte
	if s.options.FramingOnly && plausible(b, data[:min(len(data), maxHeader)]) && s.end-b.EndPosition() >= maxHeader &&
		(blocks.ReadFull(s.r, next[:], b.EndPosition()) != nil || follows(b, next[:])) {
		return true
	}
	s.judge.position = b.Position
	sound, err := s.judge.soundAtPosition(b.Position)
	return sound || err != nil
}

// follows says whether head is a plausible header of the batch behind b: a
// length that spans the next batch as well leaves a gap.
func follows(b *Batch, head []byte) bool {
	var next Batch
	parseHeader(&next, head, b.EndPosition())
	return plausible(&next, head) && next.Offset == b.LastOffset()+1
}
