// Package batchtest writes the files of a Kafka partition for tests: sound
// ones, odd but legal ones, and damaged ones.
//
// It is a writer of its own: it encodes from its own small structs and does
// not import package recordbatch, so that the decoder and the encoder judge
// each other. Whatever is written comes with what a reader must find in it
// ([Content]) and, for damage, with where it lies ([Expect]).
//
// The parts:
//
//   - [Batch], [Record], [Message], [Wrapper]: one batch, every field settable.
//   - [Segment]: batches one behind the other, with their positions ([Layout]).
//   - [Partition]: a directory with segments, indexes, snapshots, checkpoints.
//   - [Generate], [GeneratePartition]: wild but legal ones from a seed number.
//   - [Repeat]: segments of many gigabytes, streamed or virtual or sparse.
//   - [Damage]: named mutations of logs, indexes, snapshots, text files:
//     [LogDamages], [HostileDamages], [BombDamages], [IndexDamages],
//     [TimeIndexDamages], [TxnIndexDamages], [SnapshotDamages], [TextDamages],
//     and [FlipBit], [Truncate] and their like for any place.
//
// In names and comments a position is a count of bytes in a file, an offset
// is a Kafka offset. Integers are big-endian. Timestamps are milliseconds.
//
// Apart from [Partition.Write], [LogDir.Write] and [Repeat.WriteSparse], which write
// where the test tells them to, nothing here touches the file system. The
// package is for tests and fixture generators: a value that cannot be encoded
// at all panics.
package batchtest
