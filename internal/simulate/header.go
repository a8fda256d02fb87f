package simulate

import "github.com/kafsck/kafsck/recordbatch"

// BatchOf is what the rules need to know of a batch; last is the last offset of
// the batch in front of it, −1 none. A wrapper of old messages names its last
// offset alone: it is taken to begin behind last.
func BatchOf(b *recordbatch.Batch, last int64) Batch {
	batch := Batch{Size: b.Size, FirstOffset: b.Offset, LastOffset: b.LastOffset(), MaxTimestamp: b.MaxTimestamp}
	if b.IsLegacy() && b.Codec() != recordbatch.CodecNone && last >= 0 {
		batch.FirstOffset = min(last+1, b.Offset)
	}
	return batch
}
