package indexfile

// OffsetBuilder makes the bytes of an .index by Kafka's rules (OffsetIndex.
// append). A refused entry changes nothing.
type OffsetBuilder struct {
	// Wrap stores offsets that don't fit in 32 bits without their upper bits, as
	// releases before 2.0 did (KAFKA-6264), instead of refusing them.
	Wrap bool

	base     int64
	capacity int
	last     int64
	bytes    []byte
}

// NewOffsetBuilder starts an empty index of at most maxIndexSize bytes
// (segment.index.bytes), or gives a [SizeError] if that is less than an entry.
func NewOffsetBuilder(baseOffset int64, maxIndexSize int) (*OffsetBuilder, error) {
	if maxIndexSize < OffsetEntrySize {
		return nil, &SizeError{Offset, maxIndexSize}
	}
	return &OffsetBuilder{base: baseOffset, last: baseOffset, capacity: maxIndexSize / OffsetEntrySize}, nil
}

// Append adds an entry, or gives an [AppendError]: the index is full, the
// offset isn't above the last one, or it doesn't fit. Positions aren't
// compared, by Kafka neither.
func (b *OffsetBuilder) Append(offset int64, position int32) error {
	switch {
	case b.IsFull():
		return &AppendError{Kind: Offset, Entries: b.Entries(), Err: ErrFull}
	case b.Entries() > 0 && offset <= b.last:
		return &AppendError{Kind: Offset, Entries: b.Entries(), Field: "offset", Value: offset, Last: b.last, Err: ErrNotIncreasing}
	}
	e, err := NewOffsetEntry(b.base, offset, position)
	if err != nil && b.Wrap {
		e, err = OffsetEntry{Offset: offset, RelativeOffset: int32(offset - b.base), Position: position}, nil
	}
	if err != nil {
		return &AppendError{Kind: Offset, Entries: b.Entries(), Field: "offset", Value: offset, Last: b.base, Err: err}
	}
	b.bytes = AppendOffsetEntry(b.bytes, e)
	b.last = offset
	return nil
}

// Entries returns how many entries there are.
func (b *OffsetBuilder) Entries() int { return len(b.bytes) / OffsetEntrySize }

// Capacity returns how many entries fit.
func (b *OffsetBuilder) Capacity() int { return b.capacity }

// IsFull says whether the next Append fails; a broker rolls the segment then.
func (b *OffsetBuilder) IsFull() bool { return b.Entries() >= b.capacity }

// LastOffset returns the offset appended last, or the base offset.
func (b *OffsetBuilder) LastOffset() int64 { return b.last }

// Bytes returns the trimmed file. It belongs to the builder and is valid until
// the next Append or Reset.
func (b *OffsetBuilder) Bytes() []byte { return b.bytes }

// Reset empties the index for another use with the same base offset.
func (b *OffsetBuilder) Reset() { b.bytes, b.last = b.bytes[:0], b.base }

// TimeBuilder makes the bytes of a .timeindex by Kafka's rules (TimeIndex.
// maybeAppend). A refused entry changes nothing.
type TimeBuilder struct {
	Wrap bool // as in OffsetBuilder

	base     int64
	capacity int
	last     TimeEntry
	bytes    []byte
}

// NewTimeBuilder starts an empty index of at most maxIndexSize bytes
// (segment.index.bytes), or gives a [SizeError] if that is less than an entry.
func NewTimeBuilder(baseOffset int64, maxIndexSize int) (*TimeBuilder, error) {
	if maxIndexSize < TimeEntrySize {
		return nil, &SizeError{Time, maxIndexSize}
	}
	b := &TimeBuilder{base: baseOffset, capacity: maxIndexSize / TimeEntrySize}
	b.Reset()
	return b, nil
}

// MaybeAppend adds an entry if the timestamp is larger than the last one, and
// says whether it did. It gives an [AppendError] if the index is full, if
// offset or timestamp is smaller than the last one, or if the offset doesn't
// fit. The last slot is kept for the entry that closes a segment: only
// skipFullCheck lets an entry into it.
func (b *TimeBuilder) MaybeAppend(timestamp, offset int64, skipFullCheck bool) (bool, error) {
	n := b.Entries()
	switch {
	case !skipFullCheck && b.IsFull():
		return false, &AppendError{Kind: Time, Entries: n, Err: ErrFull}
	case n > 0 && offset < b.last.Offset:
		return false, &AppendError{Kind: Time, Entries: n, Field: "offset", Value: offset, Last: b.last.Offset, Err: ErrNotIncreasing}
	case n > 0 && timestamp < b.last.Timestamp:
		return false, &AppendError{Kind: Time, Entries: n, Field: "timestamp", Value: timestamp, Last: b.last.Timestamp, Err: ErrNotIncreasing}
	case timestamp <= b.last.Timestamp:
		return false, nil
	case n >= b.capacity: // skipFullCheck, and the reserved slot is taken
		return false, &AppendError{Kind: Time, Entries: n, Err: ErrFull, hard: true}
	}
	e, err := NewTimeEntry(b.base, timestamp, offset)
	if err != nil && b.Wrap {
		e, err = TimeEntry{Timestamp: timestamp, Offset: offset, RelativeOffset: int32(offset - b.base)}, nil
	}
	if err != nil {
		return false, &AppendError{Kind: Time, Entries: n, Field: "offset", Value: offset, Last: b.base, Err: err}
	}
	b.bytes = AppendTimeEntry(b.bytes, e)
	b.last = e
	return true, nil
}

// Entries returns how many entries there are.
func (b *TimeBuilder) Entries() int { return len(b.bytes) / TimeEntrySize }

// Capacity returns how many entries fit, the reserved one included.
func (b *TimeBuilder) Capacity() int { return b.capacity }

// IsFull says whether only the reserved slot is left (or none); a broker rolls
// the segment then. An index of one slot is full from the start.
func (b *TimeBuilder) IsFull() bool { return b.Entries() >= b.capacity-1 }

// Last returns the entry appended last, or (-1, base offset).
func (b *TimeBuilder) Last() TimeEntry { return b.last }

// Bytes returns the trimmed file. It belongs to the builder and is valid until
// the next MaybeAppend or Reset.
func (b *TimeBuilder) Bytes() []byte { return b.bytes }

// Reset empties the index for another use with the same base offset.
func (b *TimeBuilder) Reset() {
	b.bytes = b.bytes[:0]
	b.last = TimeEntry{Timestamp: NoTimestamp, Offset: b.base}
}

// TxnBuilder makes the bytes of a .txnindex by Kafka's rule
// (TransactionIndex.append), which knows neither base offset nor maximum size.
// The zero value is an empty index.
type TxnBuilder struct {
	last  int64
	bytes []byte
}

// Append adds an entry, or gives an [AppendError] if its last offset isn't
// above that of the entry before. The version is stored as given.
func (b *TxnBuilder) Append(e TxnEntry) error {
	if n := b.Entries(); n > 0 && e.LastOffset <= b.last {
		return &AppendError{Kind: Txn, Entries: n, Field: "offset", Value: e.LastOffset, Last: b.last, Err: ErrNotIncreasing}
	}
	b.bytes = AppendTxnEntry(b.bytes, e)
	b.last = e.LastOffset
	return nil
}

// Entries returns how many entries there are.
func (b *TxnBuilder) Entries() int { return len(b.bytes) / TxnEntrySize }

// Bytes returns the file. It belongs to the builder and is valid until the
// next Append or Reset.
func (b *TxnBuilder) Bytes() []byte { return b.bytes }

// Reset empties the index for another use.
func (b *TxnBuilder) Reset() { b.bytes = b.bytes[:0] }
