// Package producerstate models what a broker remembers of the producers of a
// partition, as far as files show it: ProducerStateManager, ProducerStateEntry
// and ProducerAppendInfo of Kafka, in the mode in which a broker replays a log
// (AppendOrigin.REPLICATION).
//
// A State begins empty, or with a producer snapshot (Load), and is fed every
// batch of format v2 in the order of the log (Append). It knows which
// transactions are open, and yields each one that a marker completes together
// with the last stable offset: exactly what a broker writes into a
// transaction index.
//
//	state := producerstate.New(kafkaversion.Latest, baseOffset)
//	state.Load(snapshot.Entries, snapshotOffset)
//	for each batch {
//		outcome, err := state.Append(batch)
//		if outcome.Completed && outcome.Txn.Aborted {
//			txnIndex.Append(outcome.Txn.IndexEntry())
//		}
//	}
//
// # Rules
//
//   - A data batch of a producer (id ≥ 0) sets epoch, sequence, last offset,
//     timestamp; another epoch drops what was known of the last batch. Neither
//     sequences nor epochs are checked in a replay: only producing clients are
//     held to them.
//   - A transactional batch of a producer without an open transaction opens
//     one at the batch's base offset. A batch that isn't transactional while a
//     transaction is open is InvalidTxnStateException: a broker that meets it
//     does not load the log.
//   - An ABORT or COMMIT marker completes the producer's transaction. Without
//     an open one it completes nothing (up to 2.7: an empty transaction of its
//     own offset, which an ABORT wrote into the index). A control batch
//     without records, left by compaction, changes nothing.
//   - The last stable offset of a completed transaction is the first offset of
//     the oldest transaction of another producer that is still open, or else
//     the offset behind the marker.
//   - A broker drops producers that were silent for producer.id.expiration.ms
//     when it loads a snapshot, unless in a transaction. That is not modelled: it
//     depends on the clock, and decides nothing about transactions.
//
// A broker keeps the last five batches of a producer to recognise duplicates
// of clients; a replay needs the last one only, and so does a snapshot. The
// memory of a State is one entry for each producer.
package producerstate
