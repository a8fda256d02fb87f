package transactions

// State is what became of a transaction.
type State string

// The states.
const (
	Open      State = "open"
	Committed State = "committed"
	Aborted   State = "aborted"
)

// Transaction is one transaction of a producer in a partition.
type Transaction struct {
	Type          string `json:"type"` // transaction
	Partition     string `json:"partition"`
	ProducerID    int64  `json:"producerId"`
	ProducerEpoch int16  `json:"producerEpoch"`
	FirstOffset   int64  `json:"firstOffset"`
	// LastOffset is that of the marker; of an open transaction, of the last
	// data seen.
	LastOffset int64 `json:"lastOffset"`
	State      State `json:"state"`
	// AgeMs is how long before the largest timestamp of the log it began;
	// null where its beginning has no time.
	AgeMs *int64 `json:"ageMs"`
	// CoordinatorEpoch is that of the marker, −1 without one.
	CoordinatorEpoch int32 `json:"coordinatorEpoch"`
	Batches          int64 `json:"batches"` // of data
	Records          int64 `json:"records"`
	// FromSnapshot names the snapshot that alone knows of it: it began before
	// the log does.
	FromSnapshot *string `json:"fromSnapshot"`
	// Abort is the command that ends it, of an open transaction.
	Abort *string `json:"abort"`
}

// Ghost is a transaction that is open in a producer snapshot alone, and that
// the log contradicts.
type Ghost struct {
	Type          string `json:"type"` // ghost
	Partition     string `json:"partition"`
	File          string `json:"file"`
	ProducerID    int64  `json:"producerId"`
	ProducerEpoch int16  `json:"producerEpoch"`
	FirstOffset   int64  `json:"firstOffset"`
	Message       string `json:"message"`
}

// Producer is the state of a producer at the end of the log.
type Producer struct {
	Type                  string `json:"type"` // producer
	Partition             string `json:"partition"`
	ProducerID            int64  `json:"producerId"`
	ProducerEpoch         int16  `json:"producerEpoch"`
	CoordinatorEpoch      int32  `json:"coordinatorEpoch"`
	FirstSequence         int32  `json:"firstSequence"` // of the last batch
	LastSequence          int32  `json:"lastSequence"`
	LastOffset            int64  `json:"lastOffset"`
	LastTimestamp         int64  `json:"lastTimestamp"`
	CurrentTxnFirstOffset int64  `json:"currentTxnFirstOffset"`
}

// Summary ends the report of a partition.
type Summary struct {
	Type             string `json:"type"` // transactions-summary
	Partition        string `json:"partition"`
	LogEndOffset     int64  `json:"logEndOffset"`
	LastStableOffset int64  `json:"lastStableOffset"`
	// BlockedBy is the producer whose transaction holds the last stable
	// offset; null where none does.
	BlockedBy        *int64 `json:"blockedBy"`
	Open             int64  `json:"open"`
	Committed        int64  `json:"committed"`
	Aborted          int64  `json:"aborted"`
	Ghosts           int64  `json:"ghosts"`
	Producers        int64  `json:"producers"`
	LargestTimestamp int64  `json:"largestTimestamp"`
	Damaged          bool   `json:"damaged"` // markers may be missing
}

// Options say what is told of a partition.
type Options struct {
	// Visit gets the open transactions by first offset; with Ended, before
	// them the ended ones in the order of their markers. That takes a second
	// pass over the log.
	Visit func(*Transaction) error
	Ended bool
	// Ghost gets what a snapshot alone says, Producer the state of each
	// producer at the end, where not nil.
	Ghost    func(*Ghost) error
	Producer func(*Producer) error
	// Refused is told what a broker would not replay; it is damage.
	Refused func(file string, position, offset int64, thrown error) error
}
