// Package lookup walks the path that a broker walks from an offset or a
// timestamp to a record: it chooses a segment, searches the index, and scans
// the log from there. It tells every step, so that its counts are what the
// broker pays.
//
// The steps for an offset (UnifiedLog.read, LocalLog.read,
// LogSegment.translateOffset):
//
//   - below the log start offset there is nothing;
//   - the segment is the one with the greatest base offset ≤ the target;
//   - its .index gives the largest entry ≤ the target, or none: position 0;
//   - from there the first batch is taken whose last offset ≥ the target;
//   - if the segment has none, the next segment is asked.
//
// The steps for a timestamp (UnifiedLog.fetchOffsetByTimestamp,
// LogSegment.findOffsetByTimestamp, FileRecords.searchForTimestamp):
//
//   - the segment is the first whose largest timestamp ≥ the target; one
//     without timestamps counts with the file's modification time;
//   - its .timeindex gives the largest entry ≤ the target, or none;
//   - its .index gives the position for that entry's offset, or for the log
//     start offset if that is larger;
//   - from there the first record ≥ the target is taken, at or above the log
//     start offset, in the order of the log: timestamps need not be.
//
// A broker believes its indexes. This package does not: an entry has to lead
// to a batch that begins at or below its offset, or the scan starts at 0 and
// the entry is reported. So the answer is right whatever the indexes hold.
// Only pages of the index and headers of the batches scanned are read, and the
// one batch that the record is in.
package lookup
