// Package recordbatch reads the contents of .log and KRaft .checkpoint files:
// record batches of format v2, and the messages of v0 and v1.
//
// A log is a series of entries without a header of its own. All integers are
// big-endian. Every entry begins alike:
//
//	 0  offset   8 bytes
//	 8  length   4 bytes, of what follows these twelve bytes
//	16  magic    1 byte: 0, 1 or 2, at the same place in every format
//
// A v2 batch (since Kafka 0.11) has 61 bytes before its records:
//
//	 0  base offset             8
//	 8  length                  4
//	12  partition leader epoch  4
//	16  magic                   1   2
//	17  CRC-32C                 4   of everything from byte 21 on
//	21  attributes              2   see Attributes
//	23  last offset delta       4
//	27  base timestamp          8   or the delete horizon
//	35  max timestamp           8
//	43  producer id             8
//	51  producer epoch          2
//	53  base sequence           4
//	57  record count            4
//	61  records                     plain, or compressed as one
//
// The checksum covers neither the base offset, nor the length, the leader
// epoch or the magic: a broker may rewrite the first and third in place.
//
// A v0 or v1 message is an entry of one message, or a wrapper whose value is a
// compressed series of entries:
//
//	 0  offset      8   of a wrapper: that of its last message
//	 8  length      4
//	12  CRC-32      4   of everything from byte 16 on
//	16  magic       1   0 or 1
//	17  attributes  1
//	18  timestamp   8   v1 only
//	..  key length  4   −1 is null, then the key
//	..  value length 4  −1 is null, then the value
//
// # Words
//
// A position is a number of bytes from the start of a file. An offset is a
// Kafka offset. A delta is what is stored to be added to a base. The words are
// used like this in all packages, flags, messages and JSON fields.
//
// # Reading
//
// A Scanner walks the entries of a file and verifies their checksums; a
// Decoder yields the records of one entry. Both go on where something is
// damaged, as far as anything can be read, and tell the damage by a
// *CorruptError with its place. Lengths and counts are claims: none is used
// for memory before it is proved by the bytes that are there. A Scanner and a
// Decoder are each for one goroutine; the bytes they hand out are theirs and
// valid until the next step.
//
// The rules are those of FileLogInputStream, DefaultRecordBatch,
// DefaultRecord, LegacyRecord and AbstractLegacyRecordBatch.
package recordbatch
