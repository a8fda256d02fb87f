package sanity

const brokerTrustsTimes = "Since 2.3 no broker checks it when it loads. "

// stepTimeLookup is the lookup that a faulty time index spoils.
var stepTimeLookup = Step{"see whether a lookup by time goes wrong because of it", "kafsck lookup DIR --timestamp TIME --verify"}

var timeIndexExplanations = []Explanation{
	{
		Code:    TimeIndexMissing,
		Title:   "a segment has no .timeindex",
		Meaning: "Beside a .log with timestamps there is no time index.",
		Cause:   "Somebody deleted it, or a copy left it out.",
		Broker:  "It creates an empty one at its next start, and doesn't rebuild it (unless the .index is missing too). Then the segment has no largest timestamp: lookups by time and retention go by the time at which the file was last written.",
		Legal:   "Beside logs without timestamps (magic 0), empty ones, and those of 0.10.0, which wrote none; also where a .timeindex.swap of it is there.",
		Rule:    "info where there are only messages of magic 0, or the log is empty",
		Next:    []Step{stepRebuildDry, stepRebuild},
	},
	{
		Code:    TimeIndexSize,
		Title:   "the size of a .timeindex isn't a number of entries",
		Meaning: "The file's length is no multiple of 12 bytes, so its last entry is cut.",
		Cause:   "A file that was truncated or copied incompletely.",
		Broker:  brokerTrustsTimes + "Up to 2.2 it was rebuilt at a start. " + brokerUnclean,
		Legal:   "Never.",
		Next:    []Step{stepIndexEntries, stepRebuildDry, stepRebuild},
	},
	{
		Code:    TimeIndexNotIncreasing,
		Title:   "entries of a .timeindex aren't in order",
		Meaning: "The timestamp of an entry isn't larger than that of the entry before, or its offset is smaller.",
		Cause:   "A changed bit, or an index of another segment.",
		Broker:  brokerTrustsTimes + "Lookups by time search by halving and find a wrong place. The last entry decides when retention deletes the segment. " + brokerUnclean,
		Legal:   "Equal offsets with rising timestamps are legal. Behind the last true entry of a newest segment's untrimmed file, old entries may remain: see timeindex-stale-tail.",
		Next:    []Step{stepIndexEntries, stepTimeLookup, stepRebuildDry, stepRebuild},
	},
	{
		Code:    TimeIndexOffsetOutOfRange,
		Title:   "an entry of a .timeindex names an offset that the segment doesn't have",
		Meaning: "The entry's offset is below the segment's base or above the last offset of its log.",
		Cause:   "A changed bit, an index of another segment, a log that was cut while its index wasn't.",
		Broker:  brokerTrustsTimes + "Lookups of times at or above the entry's begin at the wrong place, and may find nothing. " + brokerUnclean,
		Legal:   "In a newest segment's untrimmed file behind the last true entry: see timeindex-stale-tail.",
		Next:    []Step{stepIndexEntries, stepTimeLookup, stepRebuildDry, stepRebuild},
	},
	{
		Code:    TimeIndexMismatch,
		Title:   "an entry of a .timeindex isn't true",
		Meaning: "The entry says that a timestamp is the largest one up to an offset, and the log says otherwise: the batch with that offset has another largest timestamp, or a batch before it has one as large.",
		Cause:   "A changed bit, an index of another time, a tool that builds indexes by a rule of its own.",
		Broker:  brokerTrustsTimes + "Lookups by time skip records or begin too early. If it is the last entry, retention deletes the segment too early or keeps it. " + brokerUnclean,
		Legal:   "The offset may be that of the record (leaders of 0.10.1 to 3.6) or the last one of its batch: both are accepted. Entries for messages of magic 0 cannot be checked, since these carry no time.",
		Next:    []Step{stepIndexEntries, stepTimeLookup, stepRebuildDry, stepRebuild},
	},
	{
		Code:    TimeIndexZeroHole,
		Title:   "zero entries among the entries of a .timeindex",
		Meaning: "A run of zero entries stands before or between used ones.",
		Cause:   "Pages of the index that never reached the disk in a power loss, or blocks that a file system lost.",
		Broker:  brokerTrustsTimes + "A search by time that hits the hole takes the wrong half. " + brokerUnclean,
		Legal:   "Never between entries.",
		Next:    []Step{stepIndexEntries, stepTimeLookup, stepRebuildDry, stepRebuild},
	},
	{
		Code:    TimeIndexPreallocated,
		Title:   "a .timeindex has its full size, with zeros behind its entries",
		Meaning: "The file was allocated for a segment that is written to, and not cut to its entries.",
		Cause:   "The segment is the newest one of a broker that runs or was killed, or one in a directory whose indexes are not cut at shutdown (the metadata log, -delete, -stray). 0.10.1 left such files beside old segments too.",
		Broker:  "Nothing for the newest segment of a broker that runs or was killed: it is cut at the next roll, or rebuilt. In an older one, and in any behind a clean stop (the machine failed just after it), the last slot reads as time 0, so that retention deletes the segment long before its time (KAFKA-10207).",
		Legal:   "On a newest segment, if there is no .kafka_cleanshutdown or it is the metadata log's. Kafka's own sanity check calls it corrupt; it isn't.",
		Rule:    "warning with --kafka-version before 2.3, which rebuilds it in an older segment or behind a clean stop",
		Next:    []Step{{Do: "nothing for a newest segment without a .kafka_cleanshutdown"}, {"for another one: with the broker stopped, replace it", "kafsck rebuild-index --in-place DIR"}},
	},
	{
		Code:    TimeIndexStaleTail,
		Title:   "old entries behind the last true entry of a .timeindex",
		Meaning: "In the newest segment's preallocated file, entries that all lie past the log's end, often with times that go back, follow the true ones, then zeros.",
		Cause:   "A follower truncated its log and was killed later. Truncation moves the end of the index without clearing what is behind it.",
		Broker:  "After the unclean stop, which this needs, the index is rebuilt.",
		Legal:   "Always in the untrimmed file of a newest segment that was not closed cleanly. It is damage where an entry was still due between the last true one and the log's end.",
		Next:    []Step{stepIndexEntries},
	},
	{
		Code:    TimeIndexLastEntryMissing,
		Title:   "a .timeindex doesn't end with the segment's largest timestamp",
		Meaning: "The log has a larger timestamp than the last entry says.",
		Cause:   "The entry is written when a segment is rolled or closed, and only if the broker had its largest timestamp at hand (since 2.6). It is missing in a segment that is written to, and after an unclean stop.",
		Broker:  "After a start it takes the last entry for the segment's largest timestamp: retention by time goes by that, and lookups of later times don't look into this segment.",
		Legal:   "Always on a newest segment; also on older ones that were closed without it.",
		Next:    []Step{stepRebuildDry},
	},
}
