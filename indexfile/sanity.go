package indexfile

import (
	"fmt"
	"math"
)

// maxMapped is the most that Java maps of a file.
const maxMapped = math.MaxInt32

// KafkaSanity is the check that Kafka 4.4.0 makes of an .index
// (OffsetIndex.sanityCheck), also behind `kafka-dump-log --index-sanity-check`.
// A failed check is a [KafkaError] with the text that names path, which should
// be absolute; a [ReadError] means that nothing could be checked.
//
// It is a weak check: only the offset in the last slot and the file's length
// are looked at. Brokers since 2.3 no longer make it when they load a log. The
// dump tool prints "is empty." for an .index without a slot and checks nothing.
func (r *OffsetReader) KafkaSanity(path string) error {
	if err := r.mappable(); err != nil {
		return err
	}
	if r.slots > 0 {
		last, err := r.Entry(r.slots - 1)
		if err != nil {
			return err
		}
		if last.Offset < r.base {
			return corrupt("Corrupt index found, index file %s has non-zero size but the last offset is %d which is less than the base offset %d", path, last.Offset, r.base)
		}
	}
	if r.Remainder() != 0 {
		return corrupt("Index file %s is corrupt, found %d bytes which is neither positive nor a multiple of %d", path, r.size, OffsetEntrySize)
	}
	return nil
}

// KafkaSanity is TimeIndex.sanityCheck; see [OffsetReader.KafkaSanity]. It
// fails for each healthy preallocated .timeindex with an entry: the last slot
// is a zero of the preallocation, and 0 is less than the first timestamp.
func (r *TimeReader) KafkaSanity(path string) error {
	if err := r.mappable(); err != nil {
		return err
	}
	if r.slots > 0 {
		last, err := r.Entry(r.slots - 1)
		if err != nil {
			return err
		}
		first, err := r.Entry(0)
		if err != nil {
			return err
		}
		if last.Timestamp < first.Timestamp {
			return corrupt("Corrupt time index found, time index file (%s) has non-zero size but the last timestamp is %d which is less than the first timestamp %d", path, last.Timestamp, first.Timestamp)
		}
		if last.Offset < r.base {
			return corrupt("Corrupt time index found, time index file (%s) has non-zero size but the last offset is %d which is less than the first offset %d", path, last.Offset, r.base)
		}
	}
	if r.Remainder() != 0 {
		return corrupt("Time index file %s is corrupt, found %d bytes which is neither positive nor a multiple of %d", path, r.size, TimeEntrySize)
	}
	return nil
}

// KafkaSanity is TransactionIndex.sanityCheck of 4.4.0, which brokers make at each
// load: an abort marker below the base offset makes them recover the segment,
// an unknown version fails the load. A cut last entry passes.
func (r *TxnReader) KafkaSanity(path string) error {
	slot := 0
	for e, err := range r.Entries() {
		if err != nil {
			return err
		}
		if e.Version != TxnVersion {
			return (&VersionError{Slot: slot, Version: e.Version}).Kafka(path)
		}
		if e.LastOffset < r.base {
			return corrupt("Last offset of aborted transaction AbortedTxn(producerId=%d, firstOffset=%d, lastOffset=%d, lastStableOffset=%d) in index %s is less than start offset %d",
				e.ProducerID, e.FirstOffset, e.LastOffset, e.LastStableOffset, path, r.base)
		}
		slot++
	}
	return nil
}

// mappable refuses what FileChannel.map refuses.
func (r *Reader[E]) mappable() error {
	if r.size > maxMapped {
		return &KafkaError{classIllegalArgument, "Size exceeds Integer.MAX_VALUE"}
	}
	return nil
}

func corrupt(format string, args ...any) error {
	return &KafkaError{classCorruptIndex, fmt.Sprintf(format, args...)}
}
