package recordbatch

// Span is what a batch covers: its first and last offset, and how many records
// it holds as far as its header tells. Only a legacy wrapper is looked into,
// for the offset of its first message; where that can't be decoded, it is
// taken for the last one.
func (d *Decoder) Span(b *Batch) (first, last, records int64) {
	first, last = b.BaseOffset(), b.LastOffset()
	switch {
	case !b.IsLegacy():
		return first, last, int64(b.Count)
	case b.Codec() == CodecNone:
		return first, last, 1
	}
	in, err := d.Inspect(b)
	if err != nil || in.FirstOffset < 0 || in.FirstOffset > last {
		return first, last, max(1, int64(in.Count))
	}
	return in.FirstOffset, last, int64(in.Count)
}
