// Package salvage copies every intact batch of a partition, also those behind
// damage, into new segments that a broker loads.
//
// # What is intact
//
// A batch is intact where its checksum is right: all bytes that a producer
// wrote are there. The checksum doesn't cover the base offset, so a batch also
// has to stand where its offsets fit between those of its neighbours. One that
// doesn't is listed and left: nothing is ever put at an offset that was
// guessed. Batches are copied byte for byte.
//
// # How it reads
//
// Each replica is a stream of batches in the order of its files. A window of
// the next batches decides which of them are out of place: the longest series
// of rising offsets is believed. Several streams are merged by offset. Where
// they differ, the leader epochs decide, as they do when a follower truncates
// its log to that of a leader; where these don't, the replica that was named
// first. Memory depends on the size of batches and the number of producers,
// not on the size of the logs.
//
// # What it writes
//
// Through package place: NAME.partial, which becomes NAME when it is complete,
// with segments, their indexes, producer snapshots, leader-epoch-checkpoint
// and partition.metadata; and a manifest beside it that tells of every range
// of every source whether it was kept, and why not. Each finished segment is
// read again by the rules of a recovering broker: what that would cut or
// refuse is an error, not a result.
package salvage
