package sanity

// The steps that many faults of an index have in common: an index holds
// nothing that its log doesn't, so it can always be made anew.
var (
	stepIndexEntries = Step{"see the entries, and what each of them points at", "kafsck index FILE"}
	stepRebuildDry   = Step{"see what a rebuilt index would look like; nothing is written", "kafsck rebuild-index DIR"}
	stepRebuild      = Step{"with the broker stopped, replace it; the old file stays beside it as a backup", "kafsck rebuild-index --in-place DIR"}
	stepLookup       = Step{"see whether a lookup goes wrong because of it", "kafsck lookup DIR --offset OFFSET --verify"}
)

const (
	brokerTrustsIndex = "Since 2.3 no broker checks it when it loads; those of 0.9 to 2.2 look at its size and its last entry, and rebuild it if these are wrong. "
	brokerUnclean     = "After an unclean stop the indexes of the segments from the recovery point on are rebuilt."
)

var indexExplanations = []Explanation{
	{
		Code:    IndexMissing,
		Title:   "a segment has no .index",
		Meaning: "Beside a .log with batches there is no offset index.",
		Cause:   "Somebody deleted the indexes, a copy left them out, or the segment is one of a broker before 2.3 that never rebuilt it.",
		Broker:  "At its next start, clean or not, a broker since 2.3 runs the whole recovery of that segment, which rebuilds all its indexes and takes a start as long as reading the segment takes. 0.9, 0.10.0 and 1.1 to 2.2 don't rebuild it at a clean start, and 0.8.0 doesn't start.",
		Legal:   "Beside an empty .log: indexes are made on first use. Also where a .index.swap of it is there, in the middle of a compaction.",
		Rule:    "error with --kafka-version before 0.8.1",
		Next:    []Step{stepRebuildDry, stepRebuild},
	},
	{
		Code:    IndexSize,
		Title:   "the size of an .index isn't a number of entries",
		Meaning: "The file's length is no multiple of 8 bytes, so its last entry is cut.",
		Cause:   "A file that was truncated or copied incompletely.",
		Broker:  brokerTrustsIndex + "The cut entry is ignored when the file is opened. " + brokerUnclean,
		Legal:   "Never.",
		Next:    []Step{stepIndexEntries, stepRebuildDry, stepRebuild},
	},
	{
		Code:    IndexNotIncreasing,
		Title:   "entries of an .index aren't in order",
		Meaning: "The offset or the position of an entry isn't larger than that of the entry before. Lookups search by halving, and lose their way in what isn't sorted.",
		Cause:   "A changed bit, a relative offset beyond 2147483647 stored as a negative one (KAFKA-4451), an index of another segment.",
		Broker:  brokerTrustsIndex + "Lookups may start far too early, which costs time, or behind what was asked for: consumers then skip records. " + brokerUnclean,
		Legal:   "Behind the last true entry of a newest segment's untrimmed file, old entries may remain: see index-stale-tail.",
		Next:    []Step{stepIndexEntries, stepLookup, stepRebuildDry, stepRebuild},
	},
	{
		Code:    IndexOffsetOutOfRange,
		Title:   "an entry of an .index names an offset that the segment doesn't have",
		Meaning: "The entry's offset is below the segment's base or above the last offset of its log.",
		Cause:   "A changed bit, an index of another segment, a log that was cut while its index wasn't.",
		Broker:  brokerTrustsIndex + "Lookups at or above the entry's offset begin at its position. " + brokerUnclean,
		Legal:   "In a newest segment's untrimmed file behind the last true entry: see index-stale-tail.",
		Next:    []Step{stepIndexEntries, stepLookup, stepRebuildDry, stepRebuild},
	},
	{
		Code:    IndexPositionOutOfRange,
		Title:   "an entry of an .index points behind the end of the log",
		Meaning: "The entry's position isn't inside the .log, or is below 0.",
		Cause:   "A changed bit; a log that lost its end, on a network disk for instance, while its index didn't.",
		Broker:  brokerTrustsIndex + "Fetches that follow the entry fail, with a header that cannot be read. " + brokerUnclean,
		Legal:   "In a newest segment's untrimmed file behind the last true entry: see index-stale-tail.",
		Next:    []Step{stepIndexEntries, stepLookup, stepRebuildDry, stepRebuild},
	},
	{
		Code:    IndexPositionNotABatch,
		Title:   "an entry of an .index points into the middle of a batch",
		Meaning: "No batch begins at the entry's position.",
		Cause:   "A changed bit, an index of another segment, bytes put into or taken out of the log.",
		Broker:  brokerTrustsIndex + "A fetch that follows the entry reads records as if they were a header, and fails or serves garbage. " + brokerUnclean,
		Legal:   "Never: in every version an entry points at the start of a batch.",
		Next:    []Step{stepIndexEntries, stepLookup, stepRebuildDry, stepRebuild},
	},
	{
		Code:    IndexOffsetMismatch,
		Title:   "an entry of an .index doesn't fit the batch that it points at",
		Meaning: "The position is that of a batch, but the offset is not one that any version of Kafka would have written for it, so that lookups go wrong.",
		Cause:   "A changed bit, an index of another time, a tool that builds indexes by a rule of its own.",
		Broker:  brokerTrustsIndex + "Lookups of offsets in between begin behind what was asked for, and consumers skip records; or they begin too early, which costs time. " + brokerUnclean,
		Legal:   "Which offset an entry names depends on the version: the first one of the batch up to 1.1, the last one of all that was appended at once from 2.0 on, that of the batch since 3.9.1. All are accepted, and so are entries of compacted segments that name the largest offset that was kept.",
		Next:    []Step{stepIndexEntries, stepLookup, stepRebuildDry, stepRebuild},
	},
	{
		Code:    IndexZeroHole,
		Title:   "zero entries among the entries of an .index",
		Meaning: "A run of zero entries stands before or between used ones.",
		Cause:   "Pages of the index that never reached the disk in a power loss, or blocks that a file system lost.",
		Broker:  brokerTrustsIndex + "A search that hits the hole takes the wrong half; lookups begin at position 0 or in a wrong place. " + brokerUnclean,
		Legal:   "Never. No entry of any version is at position 0, so zeros are never entries.",
		Next:    []Step{stepIndexEntries, stepLookup, stepRebuildDry, stepRebuild},
	},
	{
		Code:    IndexBeyondLog,
		Title:   "an .index goes on where its log has ended",
		Meaning: "All entries from a slot on lie behind the end of the .log: it had more in it when they were written.",
		Cause:   "A log that lost its end: writes lost by a disk, a truncated or incompletely copied file.",
		Broker:  brokerTrustsIndex + "Fetches that follow such an entry fail. New entries come behind the old ones, so that the index stays wrong. " + brokerUnclean,
		Legal:   "Where the log itself has a fault at its end, that explains it and is reported instead. For what a truncation leaves in the untrimmed file of a killed broker see index-stale-tail.",
		Next:    []Step{stepIndexEntries, {"see whether another replica has the missing end", "kafsck compare DIR OTHER-DIR"}, stepRebuildDry, stepRebuild},
	},
	{
		Code:    IndexPreallocated,
		Title:   "an .index has its full size, with zeros behind its entries",
		Meaning: "The file was allocated for a segment that is written to, and not cut to its entries.",
		Cause:   "The segment is the newest one of a broker that runs or was killed. Also the metadata log of a controller, and -delete and -stray directories, whose indexes are not cut at shutdown.",
		Broker:  "Nothing for the newest segment of a broker that runs or was killed. In an older segment, and in any behind a clean stop, the zeros count as entries: lookups go wrong or scan from the segment's start, retention may see the year 1970 in a time index (KAFKA-10207), and the next append to a file that looks full fails (KAFKA-19200).",
		Legal:   "On a newest segment, if there is no .kafka_cleanshutdown or it is the metadata log's. That marker doesn't promise that the file was cut: the machine may have failed just after it, and the next start trusts what is there.",
		Rule:    "warning with --kafka-version before 2.0, which rebuilds it in an older segment or behind a clean stop; error before 0.9",
		Next:    []Step{{Do: "nothing for a newest segment without a .kafka_cleanshutdown"}, {"for another one: with the broker stopped, replace it", "kafsck rebuild-index --in-place DIR"}},
	},
	{
		Code:    IndexStaleTail,
		Title:   "old entries behind the last true entry of an .index",
		Meaning: "In the newest segment's preallocated file, entries that all lie past the log's end follow the true ones, then zeros.",
		Cause:   "A follower truncated its log and was killed later. Truncation moves the end of the index without clearing what is behind it.",
		Broker:  "After the unclean stop, which this needs, the index is rebuilt.",
		Legal:   "Always in the untrimmed file of a newest segment that was not closed cleanly. It is damage where an entry was still due between the last true one and the log's end.",
		Next:    []Step{stepIndexEntries},
	},
	{
		Code:    IndexSparse,
		Title:   "an .index has fewer entries than its interval asks for",
		Meaning: "There are longer stretches of log without an entry than the usual distances in this index suggest.",
		Cause:   "Batches larger than the interval, appends of several batches (2.0 to 3.9 gave them one entry), compaction, a restart, which begins to count anew; or a larger index.interval.bytes.",
		Broker:  "Lookups in there read more of the log.",
		Legal:   "Always.",
		Next: []Step{
			{"see what other intervals would cost", "kafsck index --simulate 1024,4096,65536 DIR"},
			stepRebuildDry,
		},
	},
}
