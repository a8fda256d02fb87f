package batchtest

// fileDamage makes a damage of a file that is neither a log nor an index.
func fileDamage(name, file string, change func(data []byte) []byte, codes ...string) Damage {
	return Damage{Name: name, File: file, Apply: func(data []byte, l *Layout) ([]byte, Expect) {
		out := change(append([]byte{}, data...))
		what := Expect{
			End: int64(len(out)), At: -1, Slot: -1, LastSlot: -1, Batch: -1,
			FirstOffset: -1, LastOffset: -1, Codes: codes,
		}
		for i := range l.Batches {
			what.Intact = append(what.Intact, Intact{i, l.Batches[i].Position})
		}
		return out, what
	}}
}

// SnapshotDamages is what happens to a .snapshot with at least one producer.
func SnapshotDamages() []Damage {
	const file, crc, size = ".snapshot", "snapshot-crc-mismatch", "snapshot-size"
	fixed := func(change func(b []byte)) func([]byte) []byte {
		return func(b []byte) []byte {
			change(b)
			FixSnapshotCRC(b)
			return b
		}
	}
	return []Damage{
		fileDamage("bit flipped in a producer", file, func(b []byte) []byte { b[20] ^= 1; return b }, crc),
		fileDamage("stored checksum changed", file, func(b []byte) []byte { b[3]++; return b }, crc),
		fileDamage("stale tail of a longer snapshot", file, func(b []byte) []byte { return append(b, b[10:]...) }, crc, size),
		fileDamage("cut", file, func(b []byte) []byte { return b[:len(b)-7] }, size, crc),
		fileDamage("empty", file, func([]byte) []byte { return nil }, size),
		fileDamage("unknown version", file, func(b []byte) []byte { b[1] = 9; return b }, "snapshot-version"),
		fileDamage("count 2^31-1, checksum right", file, fixed(func(b []byte) { be.PutUint32(b[6:], 1<<31-1) }), size),
		fileDamage("count negative, checksum right", file, fixed(func(b []byte) { be.PutUint32(b[6:], 1<<31) }), size),
	}
}

// TextDamages is what happens to the text files of a partition.
func TextDamages() []Damage {
	const epochs, malformed = "leader-epoch-checkpoint", "checkpoint-malformed"
	text := func(s string) func([]byte) []byte { return func([]byte) []byte { return []byte(s) } }
	const metadata, bad = "partition.metadata", "partition-metadata-malformed"
	return []Damage{
		fileDamage("no numbers", epochs, text("0\n1\nzero zero\n"), malformed),
		fileDamage("fewer lines than counted", epochs, text("0\n3\n0 0\n1 5\n"), malformed),
		fileDamage("more lines than counted", epochs, text("0\n1\n0 0\n1 5\n"), malformed),
		fileDamage("unknown version", epochs, text("7\n1\n0 0\n"), malformed, "unsupported"),
		fileDamage("count 2^31-1", epochs, text("0\n2147483647\n0 0\n"), malformed),
		fileDamage("zeros", epochs, func(b []byte) []byte { return make([]byte, len(b)) }, malformed),
		fileDamage("epochs fall", epochs, text("0\n2\n1 9\n0 5\n"), "checkpoint-epoch-order"),
		fileDamage("offsets fall", epochs, text("0\n3\n0 0\n2 100\n3 50\n"), "checkpoint-epoch-order"),
		fileDamage("never written", epochs, text("")),
		fileDamage("no topic id", metadata, text("version: 0\n"), bad),
		fileDamage("topic id zero", metadata, text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA"), bad),
		fileDamage("topic id cut", metadata, func(b []byte) []byte { return b[:len(b)-3] }, bad),
		fileDamage("empty", metadata, text(""), bad),
	}
}
