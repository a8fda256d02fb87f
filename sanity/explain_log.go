package sanity

// The steps that many faults of a log have in common. What recovery would cut
// is looked at first, the copy comes second, and only then may a broker start.
var (
	stepRecovery = Step{"see what the broker's next start would cut or delete, before it starts", "kafsck recovery DIR"}
	stepSalvage  = Step{"copy every intact batch, also those behind the damage, to another disk", "kafsck salvage DIR --out-dir OUT"}
	stepLook     = Step{"look at the damaged batches byte by byte", "kafsck dump --hex --only-damaged FILE"}
	stepReplica  = Step{"compare with the same partition of another replica, if there is one", "kafsck compare DIR OTHER-DIR"}
	stepRefetch  = Step{Do: "where another replica is whole and leads the partition: stop this broker, move the partition directory away (don't delete it), and start; the broker fetches the partition anew"}
)

var logExplanations = []Explanation{
	{
		Code:    LogTornTail,
		Title:   "the log ends inside a batch",
		Meaning: "The last bytes of the file are the beginning of a batch, and the rest of it isn't there: the file ends inside the header or before the length in the header is reached. No sound batch was found behind it.",
		Cause:   "A machine or a disk failed while a batch was being written, a file was copied while a broker wrote to it, or somebody truncated it. A broker that is only killed does not leave this behind: what it wrote is in the page cache.",
		Broker:  "Readers of all versions stop quietly before the torn batch. After an unclean stop recovery cuts it off; if the segment isn't the newest one, every later segment is renamed to .deleted too, whatever is in it. After a clean stop nothing looks at it, and later appends land behind the torn bytes.",
		Legal:   "While a broker holds the log dir's .lock, the newest segment may be caught in the middle of a write: that is only info.",
		Rule:    "warning on the newest segment of a partition that wasn't closed cleanly; info there while a process holds .lock",
		Next: []Step{
			stepRecovery, stepSalvage, stepReplica, stepRefetch,
		},
	},
	{
		Code:    LogZeroTail,
		Title:   "the log ends in zero bytes",
		Meaning: "From a position on, behind a whole batch, the file holds nothing but zeros.",
		Cause:   "The size of the file reached the disk before its data when the machine lost power; or the topic has preallocated segments (log.preallocate) and the broker was killed, which leaves the segment at its full size.",
		Broker:  "Up to 17 zeros are passed over. From 18 on, brokers since 0.10.2 fail on them with CorruptRecordException (record size 0 is smaller than 14), and a start with a clean-shutdown marker dies of it. After an unclean stop recovery cuts the file where the zeros begin, and removes all later segments. Brokers up to 0.10.1 take zeros for the end of the log.",
		Legal:   "The newest segment of a running broker with preallocated segments always looks like this: info while a process holds .lock.",
		Rule:    "warning on the newest segment of a partition, but for one behind a clean stop with --kafka-version since 0.10.2; info there while a process holds .lock",
		Next: []Step{
			stepRecovery, stepSalvage, stepRefetch,
		},
	},
	{
		Code:    LogZeroHole,
		Title:   "zero bytes in the middle of the log",
		Meaning: "A run of zero bytes stands where a batch should begin, and sound batches follow behind it.",
		Cause:   "Pages that never reached the disk before a power loss, a file system that lost blocks, a copy that skipped unreadable sectors, or a restored sparse file.",
		Broker:  "Nobody gets past the zeros: a read that reaches them fails with CorruptRecordException, so consumers and followers stop there. After an unclean stop recovery cuts the file where the zeros begin and removes all later segments: the intact batches behind are lost. After a clean stop nothing is noticed until somebody reads there.",
		Legal:   "Never.",
		Next: []Step{
			stepSalvage, stepRecovery, stepReplica, stepRefetch,
		},
	},
	{
		Code:    LogGarbage,
		Title:   "bytes that are no batch",
		Meaning: "Where a batch should begin there are bytes that make no sense as one; endPosition is where the next sound batch begins, or the end of the file.",
		Cause:   "Blocks of another file after a file system repair, bytes put in or taken out by a careless copy or editor, damage that took the header of a batch with it.",
		Broker:  "It takes the bytes for a header. A length below 14 is a CorruptRecordException; one that leads past the end of the file makes everything behind it vanish without a word. After an unclean stop recovery cuts the file here and removes all later segments.",
		Legal:   "Never.",
		Next: []Step{
			stepLook, stepSalvage, stepRecovery, stepReplica, stepRefetch,
		},
	},
	{
		Code:    LogTooLarge,
		Title:   "the log is larger than a segment can be",
		Meaning: "The file has more than 2147483647 bytes. Positions in an index and in the broker's own reading have 31 bits; what lies behind is out of reach. The file is checked all the same.",
		Cause:   "An early 0.8 broker with segment.bytes close to the limit (KAFKA-1670); files that were joined by hand; a restored sparse file with a wrong size.",
		Broker:  "Opening the segment throws KafkaException (\"larger than the maximum allowed segment size\"). It is thrown while the log dir is loaded, after a clean stop too, and the broker does not start.",
		Legal:   "Never.",
		Next: []Step{
			stepLook, stepSalvage, stepRecovery, stepRefetch,
		},
	},
}
