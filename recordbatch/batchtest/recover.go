package batchtest

import "hash/crc32"

// ValidBytes is how much of a log Kafka's LogSegment.recover keeps, going by
// lengths and checksums: it walks from batch to batch (FileLogInputStream) and
// stops at the first whose checksum is wrong, whose size is below 14, or which
// the file does not hold whole. Offsets, counts and contents play no part, nor
// does a magic above 2.
//
// Recovery can end otherwise where offsets go back or leave the segment's
// range, or where a control record is malformed.
func ValidBytes(log []byte) int64 {
	position := 0
	for {
		n := validBatch(log[position:])
		if n == 0 {
			return int64(position)
		}
		position += n
	}
}

// validBatch is the size of the sound batch at the start of log, or 0.
func validBatch(log []byte) int {
	if len(log) <= PosMagic+1 {
		return 0
	}
	size, magic := logOverhead+int64(int32(be.Uint32(log[PosLength:]))), int8(log[PosMagic])
	switch {
	case size < logOverhead+14 || size > int64(len(log)) || magic < 0:
		return 0
	case magic < 2:
		if be.Uint32(log[logOverhead:]) != crc32.ChecksumIEEE(log[PosMagic:size]) {
			return 0
		}
	case size < PosRecords || be.Uint32(log[PosCRC:]) != crc32.Checksum(log[posCRCStart:size], castagnoli):
		return 0
	}
	return int(size)
}

// checksumRight says whether a batch of a known magic stands at the start of
// log whose length and checksum agree.
func checksumRight(log []byte) bool {
	return validBatch(log) > 0 && log[PosMagic] <= 2
}
