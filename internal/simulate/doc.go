// Package simulate tells what indexes a broker would build on given batches
// with another index.interval.bytes or segment.bytes, and what lookups would
// cost then.
//
// The rules are those of an appending broker since 4.0.1 (LogSegment.append,
// LogSegment.shouldRoll, UnifiedLog.roll), one batch an append:
//
//   - A batch gets an index entry, with its last offset and its position, if
//     more than the interval of bytes was appended since the entry before, or
//     since the segment began. Exactly the interval is not enough.
//   - The segment is rolled before a batch that would make it larger than
//     segment.bytes; before a batch whose last offset can't be told relative
//     to the base offset; and when an index is full. An empty segment is never
//     rolled: a batch larger than segment.bytes stands alone.
//   - A .timeindex gets an entry with each of the .index if the largest
//     timestamp has grown, and one at the roll, for which its last slot is kept.
//
// The cost of a lookup is the search in the .index, as package indexfile makes
// it, and the scan of the log from the entry found to the end of the batch with
// the offset.
package simulate
