// Package indexview judges the entries of index files against the log beside
// them: what each entry points at, and whether what it says is true.
//
// The rules hold for every Kafka release that wrote such files:
//
//   - An entry of an .index is true where a batch begins at its position, all
//     batches before it end below its offset, and its offset lies between the
//     base offset of that batch and the last offset of what stands before the
//     next entry's position. Up to 1.1 the entry names the first offset, from
//     2.0 on the last one: of the batch, or of everything appended with it.
//   - An entry of a .timeindex is true where the batch that holds its offset
//     has its timestamp as the largest, and all earlier batches smaller ones.
//     Messages of format v0 have no time: nothing can be said against them.
//   - An entry of a .txnindex is true where its last offset is an abort marker
//     of its producer. Compaction may have removed the marker.
//
// Entries have to rise from one to the next.
//
// Headers are read once, whatever the entries say. Entries behind the log's
// end in a file that was never trimmed may be what a truncation left there: a
// stale tail, no damage. It is taken for damage where an entry was still due
// before the log's end, so that the tail must have been written over.
package indexview
