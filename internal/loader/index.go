package loader

import (
	"bytes"
	"math"

	"github.com/kafsck/kafsck/indexfile"
)

// offsets is an offset index that a recovery or a split wrote. Of a long one
// only the last entry is kept, if that can't change the answer of any lookup:
// where the offsets in the log rise from batch to batch, a scan that begins
// earlier ends at the same batch.
type offsets struct {
	bytes   []byte // all entries, or nil
	entries int
	last    indexfile.OffsetEntry
}

// keepIndex is the size up to which a rebuilt index is kept whole.
const keepIndex = 64 << 10

func newOffsets(b *indexfile.OffsetBuilder, base int64, rising bool) *offsets {
	o := &offsets{entries: b.Entries(), last: indexfile.OffsetEntry{Offset: base}}
	data := b.Bytes()
	if o.entries > 0 {
		o.last, _ = indexfile.ParseOffsetEntry(data[len(data)-indexfile.OffsetEntrySize:], base)
	}
	if !rising || len(data) <= keepIndex {
		o.bytes = bytes.Clone(data)
	}
	return o
}

// indexSize is what a new index file is given.
func (l *load) indexSize(kind indexfile.Kind) (int64, error) {
	size := l.options.MaxIndexSize
	if size < kind.EntrySize() {
		return 0, throw(classIllegalArg, "Invalid max index size: %d", size)
	}
	return int64(size - size%kind.EntrySize()), nil
}

// index is the file of the offset or time index, made where it is missing.
func (s *segment) index(kind indexfile.Kind) (*file, error) {
	name := s.name(kind.Suffix())
	if f := s.l.dir.files[name]; f != nil {
		return f, nil
	}
	size, err := s.l.indexSize(kind)
	if err != nil {
		return nil, err
	}
	return s.l.dir.create(name, size), nil
}

// sizedIndexes are the indexes that the release makes for every segment.
func (l *load) sizedIndexes() []indexfile.Kind {
	if l.options.Version.Before(0, 10, 1) {
		return []indexfile.Kind{indexfile.Offset}
	}
	return []indexfile.Kind{indexfile.Offset, indexfile.Time}
}

// makeIndexes makes the offset and the time index where they are missing.
func (s *segment) makeIndexes() error {
	for _, kind := range s.l.sizedIndexes() {
		if _, err := s.index(kind); err != nil {
			return err
		}
	}
	return nil
}

// read calls use with a reader of an offset index on disk and the number of its
// entries: every slot of the file.
func (s *segment) read(f *file, use func(r *indexfile.OffsetReader, entries int) error) error {
	if f.size > math.MaxInt32 {
		return throw(classIllegalArg, "Size exceeds Integer.MAX_VALUE")
	}
	r, closeFile, err := s.l.open(f)
	if err != nil {
		return err
	}
	defer closeFile()
	reader := indexfile.NewOffsetReader(r, f.size, s.base)
	reader.File = f.source
	return use(reader, reader.Slots())
}

// lastIndexed is the offset of the last entry, or the base offset
// (OffsetIndex.lastOffset).
func (s *segment) lastIndexed() (offset int64, err error) {
	f, err := s.index(indexfile.Offset)
	if err != nil {
		return 0, err
	}
	if f.index != nil {
		return f.index.last.Offset, nil
	}
	offset = s.base
	err = s.read(f, func(r *indexfile.OffsetReader, entries int) error {
		if entries == 0 {
			return nil
		}
		e, err := r.Entry(entries - 1)
		offset = e.Offset
		return err
	})
	return offset, err
}

// lookup is the position from which an offset is searched.
func (s *segment) lookup(target int64) (position int64, err error) {
	f, err := s.index(indexfile.Offset)
	if err != nil {
		return 0, err
	}
	if f.index != nil {
		return f.index.lookup(target, s.base)
	}
	err = s.read(f, func(r *indexfile.OffsetReader, entries int) error {
		found, err := r.Lookup(target, entries, nil)
		position = int64(found.Entry.Position)
		return err
	})
	return position, err
}

func (o *offsets) lookup(target, base int64) (position int64, err error) {
	if o.bytes == nil {
		if o.entries > 0 && o.last.Offset <= target {
			return int64(o.last.Position), nil
		}
		return 0, nil
	}
	r := indexfile.NewOffsetReader(bytes.NewReader(o.bytes), int64(len(o.bytes)), base)
	found, err := r.Lookup(target, r.Slots(), nil)
	return int64(found.Entry.Position), err
}

// truncateTo drops the entries from an offset on. Of an index of which only
// the last entry is kept, all of them go: lookups then scan from 0.
func (o *offsets) truncateTo(offset, base int64) *offsets {
	left := &offsets{last: indexfile.OffsetEntry{Offset: base}}
	for data := o.bytes; len(data) >= indexfile.OffsetEntrySize; data = data[indexfile.OffsetEntrySize:] {
		e, _ := indexfile.ParseOffsetEntry(data, base)
		if e.Offset >= offset {
			break
		}
		left.bytes = indexfile.AppendOffsetEntry(left.bytes, e)
		left.last, left.entries = e, left.entries+1
	}
	return left
}
