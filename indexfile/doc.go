// Package indexfile reads and builds the three index files that a Kafka broker
// keeps beside a segment's .log: .index, .timeindex and .txnindex. It knows
// nothing about the .log itself: what an entry points at, and whether that is
// true, is for a caller that reads both.
//
// # Words
//
// A position counts bytes in a file. An offset numbers a record in a
// partition. A relative offset is an offset minus the base offset of the
// segment, the number in the file's name. A slot is the place of an entry in
// its file: slot n begins at position n × entry size. All integers are signed
// and big-endian.
//
// # Layouts
//
// None of the files has a header, a count or a checksum: a file is its
// entries, one behind the other.
//
// Offset index, .index, 8 bytes an entry (Kafka's OffsetIndex):
//
//	at  size  field
//	 0     4  relative offset
//	 4     4  position of a batch in the .log, bytes
//
// Time index, .timeindex, 12 bytes an entry (Kafka's TimeIndex):
//
//	at  size  field
//	 0     8  timestamp, milliseconds since 1970: the largest so far
//	 8     4  relative offset of the batch (before 3.8: or record) that has it
//
// Transaction index, .txnindex, 34 bytes an entry, aborted transactions only
// (Kafka's TransactionIndex and AbortedTxn):
//
//	at  size  field
//	 0     2  version, 0
//	 2     8  producer ID
//	10     8  first offset of the transaction, may lie in an earlier segment
//	18     8  last offset: that of the abort marker, in this segment
//	26     8  last stable offset when the marker was written
//
// # Sparse
//
// The offset index and the time index don't list every record. The broker
// adds an entry when more than index.interval.bytes of batches have gone by
// since the entry before, so a lookup ends in a scan of the .log from the
// nearest entry at or before the target. Nothing before the first entry is
// lost: a lookup without an entry starts at position 0. Hence a real offset
// entry has neither position 0 nor relative offset 0, and a segment smaller
// than the interval has an empty .index. Offsets strictly increase, positions
// too. Timestamps strictly increase, their offsets don't decrease, and -1 (no
// timestamp) is never stored. Aborted transactions are in order of last
// offset.
//
// # Preallocation
//
// Kafka's AbstractIndex creates .index and .timeindex at their largest size,
// segment.index.bytes (10 MiB) rounded down to whole entries, filled with
// zeros, and cuts them to the used entries when the segment is rolled, closed
// or recovered. Until then, and for good after a crash, the tail of the file is
// zeros; a broker which maps such a file counts every zero slot as an entry.
// [Reader.Layout] tells used slots, the zero tail and zero holes apart. Zero
// slots in front of used ones are not preallocation: an appending broker
// leaves none. One exception: a record with timestamp 0 in the first place of
// a segment gives a time entry of twelve zero bytes in slot 0; only the .log
// can tell. After a truncation by a follower the slots behind the cut keep
// their old bytes (a stale tail); only the .log can tell these either.
//
// The .txnindex is not preallocated. It is absent or empty when nothing was
// aborted.
//
// # Search and the warm section
//
// A plain binary search over a large mapped file touches pages that nobody
// else does. Since 2.1 the broker therefore searches the end of the file
// first: with n entries of size s the warm section begins at slot
// max(0, n-1-8192/s). If the entry there is smaller than the target, the
// search stays behind it; else entry 0 is asked whether anything is small
// enough, and then the part before is searched. [OffsetReader.Lookup] and its
// siblings read the same slots in the same order, and say which.
//
// # Memory and errors
//
// Readers take an [io.ReaderAt] and a size and keep at most 16 pages of 4 KiB,
// allocated as lookups need them; they never load a file, and passes over a file use one buffer. What the
// bytes claim sizes no allocation. Any bytes make entries: odd ones are values
// to judge, not errors. Errors are about reading ([ReadError]), about what
// Kafka would refuse ([AppendError], [VersionError], [SizeError]) or what its
// own check would say ([KafkaError]).
package indexfile
