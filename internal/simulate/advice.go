package simulate

// Advice is a word on an interval.
type Advice uint8

// The words.
const (
	Balanced    Advice = iota
	TooSparse          // a lookup scans more than a megabyte on average
	NoEntries          // the log is smaller than the interval: every lookup scans from its start
	EveryBatch         // nearly every batch has an entry: no lookup gets faster by more
	IndexTooBig        // larger than segment.index.bytes: the broker rolls before the segment is full
)

// sparseScan is the mean scan in bytes above which an interval is too sparse:
// a read of so much takes as long as a seek of a disk.
const sparseScan = 1 << 20

// Advice is what to think of the interval.
func (s *Simulation) Advice() Advice {
	switch {
	case s.EarlyRolls > 0 || s.LargestIndexBytes > s.MaxIndexBytes:
		return IndexTooBig
	case s.ScanBytesMean > sparseScan:
		return TooSparse
	case s.Entries == 0:
		return NoEntries
	case s.Batches > 8 && s.Entries*10 > s.Batches*9:
		return EveryBatch
	}
	return Balanced
}
