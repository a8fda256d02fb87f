package batchtest

import (
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"math/rand/v2"
	"sort"
)

// Repeat is a log of any size that is made of one template over and over and
// held nowhere: every round has the template's batches with the base offsets
// moved on. It can be read at any position, so a test looks things up in 10 GB
// without storing them. Reading is safe from several goroutines.
type Repeat struct {
	template *Segment
	step     int64 // added to timestamps each round
	stride   int64 // added to offsets each round
	rounds   int64 // whole ones
	extra    int   // batches of the last, partial round
	shifts   []crcShift
}

// NewRepeat returns a log of as many whole batches of the template as fit
// into size bytes. The template may not hold v0 wrappers, as their inner
// offsets are absolute, nor raw bytes. Timestamps of v2 batches grow by
// timestampStep each round; the checksums follow.
func NewRepeat(template *Segment, size, timestampStep int64) *Repeat {
	l := &template.Layout
	r := &Repeat{template: template, step: timestampStep, stride: l.NextOffset() - l.BaseOffset, rounds: size / l.Size}
	for position := int64(0); r.extra < len(l.Batches); r.extra++ {
		b := &l.Batches[r.extra]
		if b.Position != position {
			panic(fmt.Sprintf("template: no batch at position %d", position))
		}
		if position = b.End(); position > size%l.Size {
			break
		}
	}
	for i := range l.Batches {
		r.shifts = append(r.shifts, newCRCShift(l.Batches[i].Size-PosRecords))
	}
	return r
}

// Uniform returns a log of about size bytes whose batches are of about
// batchSize bytes before compression, with text that compresses to about a
// half, as if produced at one batch a second.
func Uniform(size int64, batchSize int, codec Codec) *Repeat {
	const batches, valueSize = 16, 100
	rng := rand.New(rand.NewPCG(uint64(batchSize), uint64(codec)))
	template := NewSegment(0)
	for i := range batches {
		var records []Record
		for n := 0; n < batchSize; n += valueSize + 20 {
			records = append(records, Record{
				TimestampDelta: int64(len(records)), Key: fmt.Appendf(nil, "key-%08d", rng.IntN(1e8)), Value: text(rng, valueSize),
			})
		}
		base := template.Layout.NextOffset()
		template.Add(NewBatch(base, 1600000000000+int64(1000*i), records...).WithCodec(codec, Compression{}))
	}
	return NewRepeat(template, size, 1000*batches)
}

// text returns n bytes of 16 different letters: four bits of surprise a byte.
func text(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	bits := uint64(0)
	for i := range b {
		if i%16 == 0 {
			bits = rng.Uint64()
		}
		b[i] = 'a' + byte(bits&15)
		bits >>= 4
	}
	return b
}

// Size is the size of the log in bytes.
func (r *Repeat) Size() int64 {
	return r.rounds*r.template.Layout.Size + r.extraSize()
}

func (r *Repeat) extraSize() int64 {
	if r.extra == 0 {
		return 0
	}
	return r.template.Layout.Batches[r.extra-1].End()
}

// Len is the number of batches.
func (r *Repeat) Len() int64 { return r.rounds*int64(len(r.template.Layout.Batches)) + int64(r.extra) }

// Batch is what a reader must find in batch i.
func (r *Repeat) Batch(i int64) Content {
	c, round, n := r.header(i)
	if c.Magic == 2 {
		var head [PosRecords]byte
		r.head(head[:], round, n)
		c.CRC = be.Uint32(head[PosCRC:])
	}
	time := c.MaxTimestamp - r.template.Layout.Batches[n].MaxTimestamp
	for _, record := range r.template.Layout.Batches[n].Records {
		record.Offset += round * r.stride
		record.Timestamp += time
		c.Records = append(c.Records, record)
	}
	return c
}

// header returns batch i without its records and with the template's CRC; and
// its round and its number in the template.
func (r *Repeat) header(i int64) (c Content, round int64, n int) {
	l := &r.template.Layout
	round, n = i/int64(len(l.Batches)), int(i%int64(len(l.Batches)))
	c = l.Batches[n]
	c.Records = nil
	c.Position += round * l.Size
	c.BaseOffset += round * r.stride
	c.LastOffset += round * r.stride
	if c.Magic == 2 {
		c.BaseTimestamp += round * r.step
		c.MaxTimestamp += round * r.step
	}
	return c, round, n
}

// headers yields every batch as header does.
func (r *Repeat) headers() iter.Seq[*Content] {
	return func(yield func(*Content) bool) {
		for i := range r.Len() {
			if c, _, _ := r.header(i); !yield(&c) {
				return
			}
		}
	}
}

// RebuiltIndexes returns the entries that Kafka builds for the log, see
// [Layout.RebuiltIndexes]. Positions past 2^31-1 do not fit into an index.
func (r *Repeat) RebuiltIndexes(interval int64) ([]IndexEntry, []TimeEntry) {
	return rebuild(r.template.Layout.BaseOffset, r.headers(), interval)
}

// head writes the first bytes of a batch, at most those before the records,
// and returns how many.
func (r *Repeat) head(dst []byte, round int64, batch int) int {
	c := &r.template.Layout.Batches[batch]
	n := copy(dst[:min(PosRecords, c.Size)], r.template.Data[c.Position:])
	be.PutUint64(dst, be.Uint64(dst)+uint64(round*r.stride))
	if c.Magic == 2 && r.step != 0 && round != 0 {
		for _, field := range []int{PosBaseTimestamp, PosMaxTimestamp} {
			be.PutUint64(dst[field:], be.Uint64(dst[field:])+uint64(round*r.step))
		}
		before := crc32.Checksum(r.template.Data[c.Position+posCRCStart:][:PosRecords-posCRCStart], castagnoli)
		after := crc32.Checksum(dst[posCRCStart:PosRecords], castagnoli)
		be.PutUint32(dst[PosCRC:], c.CRC^r.shifts[batch].apply(before^after))
	}
	return n
}

// ReadAt reads as [io.ReaderAt].
func (r *Repeat) ReadAt(p []byte, position int64) (int, error) {
	l := &r.template.Layout
	n := 0
	for size := r.Size(); n < len(p); {
		at := position + int64(n)
		if at < 0 || at >= size {
			return n, io.EOF
		}
		round, in := at/l.Size, at%l.Size
		i := sort.Search(len(l.Batches), func(i int) bool { return l.Batches[i].End() > in })
		c := &l.Batches[i]
		skip := in - c.Position
		if skip >= PosRecords {
			n += copy(p[n:], r.template.Data[in:c.End()])
			continue
		}
		var head [PosRecords]byte
		headSize := r.head(head[:], round, i)
		n += copy(p[n:], head[skip:headSize])
	}
	return n, nil
}

// WriteTo streams the whole log.
func (r *Repeat) WriteTo(w io.Writer) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{w}, io.NewSectionReader(r, 0, r.Size()), make([]byte, 1<<20))
}
