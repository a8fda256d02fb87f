package batchtest

import (
	"fmt"
	"iter"
)

// Segment is a log that is built by adding entries. Data and Layout are
// always up to date.
type Segment struct {
	Data   []byte
	Layout Layout
}

// Layout says what lies where in a log.
type Layout struct {
	BaseOffset int64 // as in the file name
	Size       int64 // bytes of the whole log
	Batches    []Content
}

// NewSegment returns an empty segment with this base offset, holding entries.
func NewSegment(baseOffset int64, entries ...Entry) *Segment {
	s := &Segment{Layout: Layout{BaseOffset: baseOffset}}
	s.Add(entries...)
	return s
}

// Add appends entries to the log.
func (s *Segment) Add(entries ...Entry) {
	for _, e := range entries {
		position := len(s.Data)
		s.Data = e.Append(s.Data)
		s.Layout.Size = int64(len(s.Data))
		c, ok := e.Content()
		if !ok {
			continue
		}
		c.Position, c.Size = int64(position), len(s.Data)-position
		crc := position + PosCRC
		if c.Magic < 2 {
			crc = position + logOverhead
		}
		c.CRC = be.Uint32(s.Data[crc:])
		s.Layout.Batches = append(s.Layout.Batches, c)
	}
}

// NextOffset is the offset that follows the last batch.
func (l *Layout) NextOffset() int64 {
	if len(l.Batches) == 0 {
		return l.BaseOffset
	}
	return l.Batches[len(l.Batches)-1].LastOffset + 1
}

// All yields the batches in order. What it yields is not to be changed.
func (l *Layout) All() iter.Seq[*Content] {
	return func(yield func(*Content) bool) {
		for i := range l.Batches {
			if !yield(&l.Batches[i]) {
				return
			}
		}
	}
}

// Records is the number of records of all batches.
func (l *Layout) Records() int {
	n := 0
	for i := range l.Batches {
		n += len(l.Batches[i].Records)
	}
	return n
}

// Covering is the index of the batch that holds the byte at position, or -1.
func (l *Layout) Covering(position int64) int {
	for i := range l.Batches {
		if b := &l.Batches[i]; b.Position <= position && position < b.End() {
			return i
		}
	}
	return -1
}

// Bytes returns the bytes of batch i of data.
func (l *Layout) Bytes(data []byte, i int) []byte {
	b := &l.Batches[i]
	return data[b.Position:b.End()]
}

// FileName is the name Kafka gives to a file of a segment: the offset as 20
// digits and the suffix, such as ".log".
func FileName(offset int64, suffix string) string { return fmt.Sprintf("%020d%s", offset, suffix) }
