package batchtest

import "math"

// third is the batch that most damages of the table hit.
var third = Data(3)

// half is the middle of a batch.
func half(size int) int { return size / 2 }

// LogDamages is what happens to logs. It is for segments with at least eight
// uncompressed v2 data batches of two or more records, as [Plain] generates.
func LogDamages() []Damage {
	return concat(framingDamages(), contentDamages(), zeroDamages(), tornDamages(), foreignDamages(), orderDamages())
}

func concat(lists ...[]Damage) []Damage {
	var all []Damage
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func named(name string, d Damage) Damage {
	d.Name = name
	return d
}

// framingDamages hit fields that no checksum covers.
func framingDamages() []Damage {
	lost := []string{"batch-bad-size", "batch-crc-mismatch", "log-garbage"}
	size := []string{"batch-bad-size", "log-garbage"}
	magic := []string{"batch-bad-magic"}
	set := func(name string, f Field, v func(int64) int64, codes ...string) Damage {
		return named(name, SetField(third, f, false, v, codes...))
	}
	return []Damage{
		set("length past the end of the file", FieldLength, to(0x7fffff00), size...),
		set("length 2^31-1", FieldLength, to(math.MaxInt32), size...),
		set("length negative", FieldLength, to(-5), size...),
		set("length -2^31", FieldLength, to(math.MinInt32), size...),
		set("length zero", FieldLength, to(0), size...),
		set("length below a v2 header", FieldLength, to(30), lost...),
		set("length one more", FieldLength, plus(1), lost...),
		set("length one less", FieldLength, plus(-1), lost...),
		set("length 200 more", FieldLength, plus(200), lost...),
		set("magic 7", FieldMagic, to(7), magic...),
		set("magic 3", FieldMagic, to(3), magic...),
		set("magic negative", FieldMagic, to(-1), magic...),
		set("magic 1 in place of 2", FieldMagic, to(1), "batch-bad-magic", "batch-crc-mismatch", "record-malformed"),
		set("base offset back", FieldBaseOffset, plus(-40), "offset-not-increasing", "offset-below-base"),
		set("base offset negative", FieldBaseOffset, to(-7), "offset-not-increasing", "offset-below-base"),
		set("base offset past what a segment may hold", FieldBaseOffset, plus(3_000_000_000), "offset-overflow"),
		unplaced(set("base offset ahead by a bit", FieldBaseOffset, plus(1<<20), "offset-not-increasing")),
		unplaced(set("leader epoch from nowhere", FieldLeaderEpoch, to(99), "epoch-unknown", "epoch-decreased")),
	}
}

// unplaced leaves open which batch is named: of two that contradict each other.
func unplaced(d Damage) Damage {
	apply := d.Apply
	d.Apply = func(data []byte, l *Layout) ([]byte, Expect) {
		out, what := apply(data, l)
		what.At = -1
		return out, what
	}
	return d
}

// contentDamages are seen by the checksum, or would be if it were not right.
func contentDamages() []Damage {
	crc := []string{"batch-crc-mismatch"}
	flip := func(b []byte) { b[len(b)/2] ^= 0x10 }
	bad := func(name string, f Field, v func(int64) int64) Damage {
		return named(name, SetField(third, f, false, v, crc...))
	}
	fixed := func(name string, f Field, v func(int64) int64, codes ...string) Damage {
		return named(name, SetField(third, f, true, v, codes...))
	}
	count := []string{"batch-count-mismatch", "record-malformed"}
	scramble := func(batch []byte) (int, int) {
		for i := PosRecords; i < len(batch); i++ {
			batch[i] ^= 0x5a
		}
		FixCRC(batch)
		return PosCRC, len(batch)
	}
	return []Damage{
		changeBatch("bit flipped in a payload", third, crc, func(b []byte) (int, int) { flip(b[PosRecords:]); return PosRecords, len(b) }),
		changeBatch("bit flipped in the first batch", Nth(0), crc, func(b []byte) (int, int) { flip(b[PosRecords:]); return PosRecords, len(b) }),
		changeBatch("last byte of the log", Nth(-1), crc, func(b []byte) (int, int) { b[len(b)-1]++; return len(b) - 1, len(b) }),
		bad("stored checksum changed", FieldCRC, plus(1)),
		bad("stored checksum zero", FieldCRC, to(0)),
		bad("attributes changed", FieldAttributes, plus(1<<4)),
		bad("count changed", FieldCount, plus(1)),
		bad("max timestamp changed", FieldMaxTimestamp, plus(1)),
		bad("producer id changed", FieldProducerID, plus(77)),

		fixed("count too large, checksum right", FieldCount, plus(3), count...),
		fixed("count 2^31-1, checksum right", FieldCount, to(math.MaxInt32), count...),
		fixed("count negative, checksum right", FieldCount, to(-1), count...),
		fixed("count too small, checksum right", FieldCount, plus(-1), "batch-trailing-bytes", "batch-count-mismatch"),
		fixed("last offset delta too small, checksum right", FieldLastOffsetDelta, plus(-1), "batch-last-offset-mismatch"),
		fixed("last offset delta negative, checksum right", FieldLastOffsetDelta, to(-1), "batch-last-offset-mismatch"),
		unplaced(fixed("last offset delta too large, checksum right", FieldLastOffsetDelta, plus(1), "batch-last-offset-mismatch", "offset-not-increasing")),
		fixed("unknown codec, checksum right", FieldAttributes, plus(6), "batch-bad-codec"),
		fixed("codec says gzip, checksum right", FieldAttributes, plus(1), "batch-decompress-failed"),
		fixed("codec says zstd, checksum right", FieldAttributes, plus(4), "batch-decompress-failed"),
		fixed("unknown attribute, checksum right", FieldAttributes, plus(1<<9), "batch-unknown-attributes"),
		fixed("max timestamp too small, checksum right", FieldMaxTimestamp, to(99), "batch-max-timestamp-mismatch"),
		fixed("max timestamp too large, checksum right", FieldMaxTimestamp, plus(1e12), "batch-max-timestamp-mismatch"),
		changeBatch("payload scrambled, checksum right", third, []string{"record-malformed", "batch-count-mismatch", "batch-trailing-bytes"}, scramble),
	}
}
