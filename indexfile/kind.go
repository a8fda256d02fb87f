package indexfile

// Kind is one of the three index files.
type Kind uint8

// The kinds, named as in output.
const (
	Offset Kind = iota // .index
	Time               // .timeindex
	Txn                // .txnindex
)

// Entry sizes in bytes; doc.go has the fields.
const (
	OffsetEntrySize = 8
	TimeEntrySize   = 12
	TxnEntrySize    = 34
)

// WarmBytes is the size of the section at the end of an index which Kafka
// searches first (AbstractIndex.warmEntries).
const WarmBytes = 8192

// TxnVersion is the one version of entries in a .txnindex. Kafka 4.4.0 refuses
// all others. Releases up to 4.3 look at the first byte of the two only, and
// refuse it above 0: they take 0x0001 for 0.
const TxnVersion = 0

// NoTimestamp is what a time lookup gives where no entry is early enough.
const NoTimestamp = -1

var kinds = [...]struct {
	name, suffix string
	entrySize    int
}{
	Offset: {"offset", ".index", OffsetEntrySize},
	Time:   {"time", ".timeindex", TimeEntrySize},
	Txn:    {"txn", ".txnindex", TxnEntrySize},
}

// String returns "offset", "time" or "txn".
func (k Kind) String() string { return kinds[k].name }

// Suffix returns the end of the file's name, with its dot.
func (k Kind) Suffix() string { return kinds[k].suffix }

// EntrySize returns the bytes of an entry.
func (k Kind) EntrySize() int { return kinds[k].entrySize }

// WarmFirstSlot returns the slot with which the warm section of an index of
// so many entries begins; 0 if all of it is warm.
func (k Kind) WarmFirstSlot(entries int) int {
	return max(0, entries-1-WarmBytes/k.EntrySize())
}
