package sanity

// batchConsequence says what follows from a fault inside a batch whose
// checksum is right. Recovery looks at nothing but size and checksum: it
// keeps such a batch, and whoever reads its records fails (LogSegment.recover,
// DefaultRecordBatch).
var batchConsequence = map[Code]string{
	BatchBadCodec:             "recovery keeps the batch; consumers fail with \"Unknown compression type\" and stay where they are",
	BatchUnknownAttributes:    "ignored: Kafka looks at the low seven bits",
	BatchCRCMismatch:          "brokers and consumers look at the wrapper's checksum alone: the message is served as it is",
	BatchDecompressFailed:     "recovery keeps the batch; consumers fail to decompress it and stay where they are",
	BatchDecompressLimit:      "not checked: it decompresses to more than the limit",
	BatchCountMismatch:        "recovery keeps the batch; consumers fail with InvalidRecordException and stay where they are",
	BatchTrailingBytes:        "recovery keeps the batch; consumers fail with InvalidRecordException and stay where they are",
	BatchLastOffsetMismatch:   "recovery keeps the batch; lookups of its last offsets end in the batch behind it",
	BatchMaxTimestampMismatch: "lookups by time and retention go by the header: they pass over the batch, or find nothing in it",
	RecordMalformed:           "recovery keeps the batch; consumers fail to read it and stay where they are",
	RecordOffsetNotIncreasing: "recovery keeps the batch; consumers see records twice, or not at all",
	ControlMalformed:          "a broker that recovers the log, or replays a marker for its producers, fails here and does not start, and recovery cuts off what is behind; consumers that read committed records only fail here",
}
