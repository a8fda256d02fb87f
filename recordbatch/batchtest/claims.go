package batchtest

import "bytes"

// ClaimLogs are logs made to be dear to read: nearly every header in them claims
// many bytes that are there, and none of these claims is true. By name.
var ClaimLogs = map[string]func(size, claim int) []byte{
	// False headers, nothing else, and a batch at the end.
	"alone": func(size, claim int) []byte {
		log := bytes.Repeat(falseHeader(0, claim), size/PosRecords)
		return tiny(int64(size)).Append(log)
	},
	// Each is followed by a batch, so that each is a damage of its own.
	"between batches": func(size, claim int) []byte {
		return claimLog(size, func(i int64, _ int) []byte { return falseHeader(i, claim) })
	},
	// What is behind a claim is another such claim, on and on.
	"in ladders": func(size, claim int) []byte {
		return claimLog(size, func(i int64, _ int) []byte { return falseHeader(i, claim-claim%claimStride) })
	},
	// The same, but no ladder is so long that it would be believed.
	"in short ladders": func(size, claim int) []byte {
		return claimLog(size, func(i int64, at int) []byte {
			if at%(50*claim) < claim {
				return falseHeader(i, 2*size)
			}
			return falseHeader(i, claim-claim%claimStride)
		})
	},
	// What is behind a claim is a batch of the log.
	"to batches": func(size, claim int) []byte {
		return claimLog(size, func(i int64, _ int) []byte { return falseHeader(i-1, claim-claim%claimStride+PosRecords) })
	},
	// Smaller and smaller claims that all end at the same place.
	"to one end": func(size, claim int) []byte {
		return claimLog(size, func(i int64, at int) []byte { return falseHeader(i, claim-at%claim+PosRecords) })
	},
	// Claims of the formats in turn, and of one that doesn't exist.
	"of all magics": func(size, claim int) []byte {
		return claimLog(size, func(i int64, _ int) []byte {
			b := falseHeader(i, claim)
			switch b[PosMagic] = byte(i % 4); i % 4 {
			case 0:
				copy(b[17:], "\x00\xff\xff\xff\xff") // no key
			case 1:
				copy(b[17:], "\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff")
			}
			return b
		})
	},
	"between zeros": func(size, claim int) []byte {
		return claimLog(size, func(i int64, _ int) []byte { return append(make([]byte, 40), falseHeader(i, claim)...) })
	},
	// Claims that end behind the end of the log.
	"past the end": func(size, _ int) []byte {
		return claimLog(size, func(i int64, _ int) []byte { return falseHeader(i, size+1<<20) })
	},
	// The next batch is as far as the claim of some says; until there are
	// headers whose lengths are right.
	"of nothing": func(size, claim int) []byte {
		var log []byte
		for i := int64(0); len(log) < size; i++ {
			for end := len(log) + claim; len(log) < end; i++ {
				log = append(log, falseHeader(i, PosRecords)...)
			}
			log = tiny(i).Append(log)
		}
		return log
	},
	// A header of a legacy message at two positions of three.
	"everywhere": func(size, _ int) []byte {
		period := bytes.Repeat([]byte{2}, 18)
		period = append(append(period, bytes.Repeat([]byte{1}, 18)...), make([]byte, 18)...)
		log := bytes.Repeat(period, size/len(period))
		return tiny(int64(size)).Append(log)
	},
}

// claimStride is how far the false headers of a claimLog are apart that is made
// of those alone.
var claimStride = PosRecords + len(tiny(0).Encode())

// claimLog is a log of about size bytes in which every batch but the first is
// preceded by what head gives for its number and position.
func claimLog(size int, head func(i int64, at int) []byte) []byte {
	log := make([]byte, 0, size+4096)
	log = tiny(0).Append(log)
	for i := int64(1); len(log) < size; i++ {
		log = append(log, head(i, len(log))...)
		log = tiny(i).Append(log)
	}
	return log
}

func tiny(offset int64) Batch { return NewBatch(offset, 1000, Record{}) }

// falseHeader is the header of a batch of size bytes with a wrong checksum.
func falseHeader(offset int64, size int) []byte {
	b := tiny(offset)
	b.Payload, b.Length, b.CRC = []byte{}, new(int32(size-logOverhead)), new(uint32(0x600df00d))
	return b.Encode()
}
