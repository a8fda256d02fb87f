// Package recovery models what a broker does when it recovers a segment:
// LogSegment.recover, with the walk of FileLogInputStream and the only check
// that it makes of a batch, ensureValid. It reads a .log and yields what would
// be there afterwards: how many bytes stay, where and why the rest goes, the
// three indexes, leader epochs, and the state of the producers.
//
// It models Kafka and doesn't judge the log: what Kafka accepts is accepted
// here (a magic of 3, a wrong record count, records that can't be decoded),
// what Kafka throws is a value of the result.
//
//	result, err := recovery.Segment(file, size, recovery.Options{BaseOffset: 0, Interval: 4096, …})
//
// # The walk
//
// At each position (FileLogInputStream.nextBatch, since 2.0):
//
//	17 bytes or fewer are left      the end, silently
//	length below 14                 CorruptRecordException
//	the batch would end past the    the end, silently
//	file
//	magic below 2, also negative    a message of v0 or v1
//	magic above 1, also 3 to 127    a batch of v2
//
// Then ensureValid: a v2 batch has at least 61 bytes, and the checksum is
// right. The last offset lies in 0…2³¹−1 above the base offset, or
// LogSegmentOffsetOverflowException is thrown. CorruptRecordException and
// InvalidRecordException are caught: the log is cut at the start of that batch
// (of the next one, where a marker could not be decoded). Anything else is
// not: the log fails to load.
//
// # Index entries
//
// A batch gets an entry when its position is more than index.interval.bytes
// above the position of the last batch that got one, or above 0. The entry
// names the last offset of the batch (before 2.0: the first one). The time
// index then gets the largest timestamp so far with the last offset of the
// first batch that has it, if it is larger than in the entry before; and once
// more at the end.
//
// Segment holds one buffer; its memory depends on the batches' size, at most
// 16 MiB, not on the log's, and on the number of index entries.
package recovery
