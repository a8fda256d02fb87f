// Package loader models the start of a broker: what it does with the files of
// a log directory before anything is served, and what is lost by it. It reads
// and changes nothing: a partition directory is copied as names and sizes, and
// the steps of the loader are made on that copy. Contents are read where a
// broker reads them.
//
//	start, err := loader.Dir(dir, options)
//	for loaded := range start.Plans(ctx) {
//		loaded.Plan.Loads, loaded.Plan.Decisions, loaded.Plan.Lost …
//	}
//
// The model follows LogManager.loadLogs, UnifiedLog.create, LogLoader.load,
// LogSegment, ProducerStateManager and LocalLog.splitOverflowedSegment:
//
//  1. leader-epoch-checkpoint is read, and snapshots are listed by name
//  2. *.deleted and *.cleaned go, and *.swap at or above the lowest *.cleaned
//  3. what a .log.swap covers goes, and .swap files get their names
//  4. segments are opened in the order of their names: indexes without a log
//     go, a segment without .index or with a bad .txnindex is recovered
//  5. after an unclean stop, segments from the recovery point on are recovered
//     until one is cut; later ones go
//  6. a log that ends below its start offset goes as a whole
//  7. leader epochs outside of the log go, snapshots without a segment too, and
//     the state of the producers is replayed up to the end
//  8. the first unstable offset is looked up, and partition.metadata is read
//
// Quirks are kept: a cut by step 4 leaves later segments alone, so that a hole
// remains; an offset that goes back is noticed only where an index entry is
// due; each recovery of a segment deletes the snapshots above it; what an index
// says on a clean start decides where the log ends.
//
// An exception that a broker does not catch is a value of the plan. What this
// program can't read is an error.
//
// Releases differ, and the model follows them by version: before 3.0 in what
// .swap files are, up to 2.2 by a check of indexes when a segment is loaded,
// before 2.0 by offsets that don't fit. Each of 0.8.1 to 3.9 was asked whether it
// does what is said of it (TestEarlierKafkaLoads). Not modelled:
// the expiry of producers (it decides no outcome since 2.3), tiered storage
// (whether a topic is tiered stands in no file), strays (the cluster's metadata
// decides), snapshots of the controllers' log, and what releases before 0.10.2
// do with a heap that is too small for what a length claims.
package loader
