package sanity

var txnIndexExplanations = []Explanation{
	{
		Code:    TxnIndexSize,
		Title:   "the size of a .txnindex isn't a number of entries",
		Meaning: "The file's length is no multiple of 34 bytes, so its last entry is cut.",
		Cause:   "A file that was truncated or copied incompletely, or a crash while an entry was written.",
		Broker:  "It ignores the cut entry without a word: if that was an aborted transaction, its data is served to consumers that read committed data only.",
		Legal:   "Never.",
		Next:    []Step{stepIndexEntries, {"see the transactions as the log has them", "kafsck transactions DIR"}, stepRebuildDry, stepRebuild},
	},
	{
		Code:    TxnIndexVersion,
		Title:   "an entry of a .txnindex has an unknown version",
		Meaning: "The version in front of the entry is one that Kafka refuses; all its releases write 0.",
		Cause:   "A changed bit, or a file that is something else.",
		Broker:  "The load of the partition fails with a KafkaException, after a clean stop too: the log dir goes offline, or the broker doesn't start.",
		Legal:   "Never. Brokers up to 4.3 look at the first of the two version bytes only: a version that is 0 there passes.",
		Rule:    "warning with --kafka-version before 4.4 where the first byte is 0",
		Next:    []Step{stepIndexEntries, stepRebuildDry, stepRebuild},
	},
	{
		Code:    TxnIndexNotIncreasing,
		Title:   "entries of a .txnindex aren't in order",
		Meaning: "The last offset of an entry isn't larger than that of the one before, or its last stable offset is smaller.",
		Cause:   "A changed bit, or an index of another segment.",
		Broker:  "An entry that ends below the segment's base makes the start run the recovery of the segment. Otherwise it goes unnoticed, and a fetch may stop its search for aborted transactions too early.",
		Legal:   "Never.",
		Next:    []Step{stepIndexEntries, {"see the transactions as the log has them", "kafsck transactions DIR"}, stepRebuildDry, stepRebuild},
	},
	{
		Code:    TxnIndexMismatch,
		Title:   "an entry of a .txnindex isn't true",
		Meaning: "There is no abort marker of that producer at the entry's last offset, or the transaction began elsewhere, or the last stable offset cannot have been that.",
		Cause:   "A changed bit, an index of another segment, a log that was changed behind its index.",
		Broker:  "Consumers that read committed data leave out what the index calls aborted: wrong entries hide committed records or let aborted ones through.",
		Legal:   "First and last stable offset are compared only where the log still has the start of the transaction. A marker that compaction took away needs no entry and contradicts none.",
		Next:    []Step{stepIndexEntries, {"see the transactions as the log has them", "kafsck transactions DIR"}, stepRebuildDry, stepRebuild},
	},
	{
		Code:    TxnIndexEntryMissing,
		Title:   "an aborted transaction isn't in the .txnindex",
		Meaning: "The log has an abort marker and data of that transaction, and no entry says so.",
		Cause:   "The index was deleted or cut. Brokers of 1.1 and 2.2, for two, don't make it anew at a clean start.",
		Broker:  "The aborted data is served to consumers that read committed data only.",
		Legal:   "An abort marker of a transaction without data, or whose data was compacted away, needs no entry. No .txnindex at all is what a segment without aborted transactions has.",
		Next:    []Step{{"see the transactions as the log has them", "kafsck transactions DIR"}, stepRebuildDry, stepRebuild},
	},
}

// stepRemoveSnapshot is what a broker does by itself with a bad snapshot.
var stepRemoveSnapshot = Step{Do: "nothing has to be done: the broker deletes it and replays the log instead. On a large log that takes time; keep a copy of the file if you want to know how it came about"}

var snapshotExplanations = []Explanation{
	{
		Code:    SnapshotCRCMismatch,
		Title:   "a producer snapshot's checksum is wrong",
		Meaning: "The CRC-32C in the file isn't that of the bytes behind it, up to the end of the file.",
		Cause:   "A changed bit; or bytes of a longer file behind the end of the new one, because it was written over without being cut.",
		Broker:  "It skips the snapshot with a warning, deletes it, and replays the log from an older one. 0.11.0 could fail to start (KAFKA-5747).",
		Legal:   "Never.",
		Next:    []Step{{"see the entries", "kafsck dump FILE"}, stepRemoveSnapshot},
	},
	{
		Code:    SnapshotVersion,
		Title:   "a producer snapshot has an unknown version",
		Meaning: "The first two bytes are not 1, the only version that any release of Kafka writes.",
		Cause:   "A changed bit, or a file that is something else.",
		Broker:  "It skips the snapshot with a warning, deletes it, and replays the log from an older one.",
		Legal:   "Never.",
		Next:    []Step{{"see what is there", "kafsck dump FILE"}, stepRemoveSnapshot},
	},
	{
		Code:    SnapshotSize,
		Title:   "a producer snapshot is too short or too long",
		Meaning: "The file's length isn't that of as many entries as it says (10 bytes, and 46 for each entry).",
		Cause:   "A file that was truncated or copied incompletely, or is empty after a crash.",
		Broker:  "It skips the snapshot with a warning, deletes it, and replays the log from an older one. 0.11.0 could fail to start (KAFKA-5747).",
		Legal:   "A snapshot without entries has 10 bytes.",
		Next:    []Step{{"see the entries", "kafsck dump FILE"}, stepRemoveSnapshot},
	},
	{
		Code:    SnapshotMismatch,
		Title:   "a producer snapshot doesn't say what the log says",
		Meaning: "A producer whose transaction was open at that offset is missing in the snapshot, or has another epoch, sequence or offset than the log shows.",
		Cause:   "A snapshot of another time, restored from a backup or copied; or a fault in a broker.",
		Broker:  "It trusts the snapshot: producers may be refused as out of order or accepted twice, and the last stable offset may be wrong.",
		Legal:   "Producers that expired are missing rightly. Fields are compared only without compaction, with the producer's state known from its start, and with no damage before; timestamps never (1.1 and 2.2 do not take those of markers).",
		Next: []Step{
			{"see the entries", "kafsck dump FILE"},
			{"see the producer's batches in the log", "kafsck dump --producer-id ID DIR"},
			{Do: "with the broker stopped, move the snapshot away: the broker replays the log instead"},
		},
	},
}
