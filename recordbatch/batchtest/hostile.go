package batchtest

import (
	"bytes"
	"math"
)

// HostileDamages puts batches in the place of a data batch whose checksum is
// right and whose content claims what is not there. For [LogDamages]'s kind of
// segments.
func HostileDamages() []Damage {
	const malformed, decompress, limit = "record-malformed", "batch-decompress-failed", "batch-decompress-limit"
	const count, trailing, lastOffset = "batch-count-mismatch", "batch-trailing-bytes", "batch-last-offset-mismatch"
	raw := func(name string, records []byte, codes ...string) Damage {
		return hostile(name, func(b Batch) Batch { b.RawRecords = records; return b }, codes...)
	}
	record := func(body ...byte) []byte { return append(AppendVarint(nil, int64(len(body))), body...) }
	longest := bytes.Repeat([]byte{0xff}, 9)
	header := func(fields ...byte) []byte { return record(append([]byte{0, 0, 0, 1, 1}, fields...)...) }
	huge := AppendVarint(nil, math.MaxInt32)

	damages := []Damage{
		raw("record length 2^31-1", append(bytes.Clone(huge), 0, 0, 0), malformed),
		raw("record length negative", []byte{0x01}, malformed),
		raw("record length zero", []byte{0}, malformed),
		raw("record length past the batch", []byte{0x7e, 0, 0, 0, 1, 1, 0}, malformed),
		raw("varint without an end", bytes.Repeat([]byte{0xff}, 64), malformed),
		raw("varint of five bytes that goes on", []byte{0xff, 0xff, 0xff, 0xff, 0x8f, 0}, malformed),
		raw("varlong of ten bytes that goes on", record(append(append([]byte{0}, longest...), 0xff, 0)...), malformed),
		raw("varint cut off by the end", []byte{0x80}, malformed),
		raw("key length 2^31-1", record(append([]byte{0, 0, 0}, huge...)...), malformed),
		raw("key longer than the record", record(0, 0, 0, 0x20, 1, 0), malformed),
		raw("value length 2^31-1", record(append([]byte{0, 0, 0, 1}, huge...)...), malformed),
		raw("record longer than its fields", record(0, 0, 0, 1, 1, 0, 0xaa, 0xbb), malformed),
		raw("header count 2^31-1", header(huge...), malformed),
		raw("header count negative", header(1), malformed),
		raw("header key null", header(2, 1, 1), malformed),
		raw("header key past the record", header(2, 0x40), malformed),
		raw("header value 2^31-1", header(append([]byte{2, 0}, huge...)...), malformed),
		raw("offset delta negative", record(0, 0, 1, 1, 1, 0), "record-offset-not-increasing", malformed, lastOffset),
		raw("offset delta past the last offset", record(0, 0, 0x7e, 1, 1, 0), lastOffset, malformed),
		raw("records without bytes", []byte{}, count, malformed),
		raw("one record, then bytes", append(Record{}.Append(nil), 1, 2, 3), trailing),
		hostile("count 2^31-1 without bytes", func(b Batch) Batch { b.Count, b.Payload = new(int32(math.MaxInt32)), []byte{}; return b }, count, malformed),
		hostile("count -2^31", func(b Batch) Batch { b.Count = new(int32(math.MinInt32)); return b }, count, malformed),
		hostile("count zero with records", func(b Batch) Batch { b.Count = new(int32(0)); return b }, trailing, count),
		hostile("the same offset twice", func(b Batch) Batch {
			b.Records, b.LastOffsetDelta = []Record{{}, {}}, 1
			return b
		}, "record-offset-not-increasing"),
		hostile("control key too short", func(b Batch) Batch {
			b.Records[0].Key = []byte{0, 0}
			return b.WithAttributes(AttrControl)
		}, "control-malformed"),
		hostile("marker value too short", func(b Batch) Batch {
			b.Records[0] = ControlRecord(ControlCommit, []byte{0, 0})
			return b.WithAttributes(AttrControl|AttrTransactional).WithProducer(5, 0, -1)
		}, "control-malformed"),
	}
	for _, codec := range Codecs[1:] {
		damages = append(damages,
			hostile(codec.String()+" of noise", func(b Batch) Batch {
				b.Payload = Noise(uint64(codec), 300)
				return b.WithCodec(codec, Compression{})
			}, decompress, malformed, limit),
			hostile(codec.String()+" cut off", func(b Batch) Batch {
				b.Payload = Compression{}.Append(nil, codec, bytes.Repeat(Record{Value: Noise(9, 500)}.Append(nil), 3))
				b.Payload = b.Payload[:len(b.Payload)/2]
				return b.WithCodec(codec, Compression{})
			}, decompress, malformed, count),
			hostile(codec.String()+" without bytes", func(b Batch) Batch {
				b.Payload = []byte{}
				return b.WithCodec(codec, Compression{})
			}, decompress, malformed, count),
		)
	}
	return damages
}

// BombDamages puts batches that expand to n bytes in the place of a batch.
func BombDamages(n int64) []Damage {
	codes := []string{"batch-decompress-limit", "batch-decompress-failed", "record-malformed"}
	var damages []Damage
	for _, codec := range Codecs[1:] {
		size := n
		if codec == Snappy {
			size = min(n, 64<<20) // it does not compress to less than a twentieth
		}
		damages = append(damages, ReplaceBatch(codec.String()+" bomb", third, func(b *Content) Entry {
			return Bomb(codec, b.BaseOffset, size)
		}, codes...))
	}
	return append(damages,
		ReplaceBatch("gzip wrapper bomb", third, func(b *Content) Entry { return WrapperBomb(1, Gzip, b.LastOffset, n) }, codes...),
		ReplaceBatch("snappy claims 4 GiB", third, func(b *Content) Entry { return SnappyClaim(b.BaseOffset, math.MaxUint32) }, codes...),
		ReplaceBatch("wrappers nested a thousand times", third, func(b *Content) Entry { return NestedWrappers(b.LastOffset, 1000) },
			"record-malformed", "batch-decompress-failed", "batch-bad-codec"),
	)
}

// hostile replaces a batch by one that stands at the same offset and starts
// out with one record.
func hostile(name string, change func(Batch) Batch, codes ...string) Damage {
	return ReplaceBatch(name, third, func(c *Content) Entry {
		return change(NewBatch(c.BaseOffset, c.BaseTimestamp, Record{}).WithEpoch(c.LeaderEpoch))
	}, codes...)
}
