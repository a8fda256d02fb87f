// Package statefile decodes the small files that a Kafka broker keeps beside
// its segments: producer snapshots, offset and leader epoch checkpoints,
// partition.metadata, meta.properties, .kafka_cleanshutdown and quorum-state.
//
// Every reader takes an io.ReaderAt and the size of the file, reads nothing
// else and writes nothing. It returns what could be read, also of a damaged
// file, together with an *Error that says where the fault is, what kind it is
// (test it with errors.Is against the Err… variables) and what a broker does
// when its own reader meets it. Errors of the underlying reader are not
// damage: they come back wrapped in an *Error whose kind is ErrRead.
//
// What brokers do with a malformed file differs from file to file:
//
//   - producer snapshot: deleted with a warning, the next older one is taken
//     and the log replayed from there (ProducerStateManager.loadFromSnapshot)
//   - recovery-point-offset-checkpoint, log-start-offset-checkpoint: an
//     IOException is logged and every partition of the directory counts as 0;
//     a NumberFormatException of an entry is not caught and ends the start
//   - leader-epoch-checkpoint, partition.metadata: loading the log fails
//   - meta.properties: the log directory fails, or the broker does not start
//   - .kafka_cleanshutdown: its presence alone counts, the content is ignored
//   - quorum-state: the controller does not start
package statefile
