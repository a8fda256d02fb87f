// Package transactions tells of the transactions in a partition's log: which
// are open, committed or aborted, where its last stable offset is, and what
// holds it there.
//
// It replays the log as a broker does (package producerstate), but goes on
// behind damage, and begins without a snapshot: what the log itself shows. A
// producer snapshot is compared with that afterwards. What it alone says is
// either a transaction that began before the log does, which counts, or a
// ghost: a transaction that the log contradicts, which a broker nevertheless
// believes in after a clean stop, because it trusts the snapshot.
package transactions
