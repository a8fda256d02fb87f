//go:build kafka

package oracle

// Pairs is an offset index (absolute offset, position) or a time index
// (timestamp, absolute offset).
type Pairs struct {
	Exists bool  `json:"exists"`
	Size   int64 `json:"size"`
	// OpenError is set where the class would not open the file; nothing below
	// is then known.
	OpenError           *Error     `json:"openError"`
	EntriesTotal        int        `json:"entriesTotal"`
	TrailingZeroEntries int        `json:"trailingZeroEntries"`
	Sanity              Check      `json:"sanity"`
	Entries             [][2]int64 `json:"entries"`
	EntriesLeftOut      int        `json:"entriesLeftOut"`
}

// TxnIndex is a transaction index.
type TxnIndex struct {
	Exists    bool         `json:"exists"`
	Size      int64        `json:"size"`
	Sanity    Check        `json:"sanity"`
	Entries   []AbortedTxn `json:"entries"`
	ReadError *Error       `json:"readError"`
}

// AbortedTxn is an entry of a transaction index.
type AbortedTxn struct {
	ProducerID       int64 `json:"producerId"`
	FirstOffset      int64 `json:"firstOffset"`
	LastOffset       int64 `json:"lastOffset"`
	LastStableOffset int64 `json:"lastStableOffset"`
}

// Check is the verdict of a sanityCheck method.
type Check struct {
	OK    bool   `json:"ok"`
	Error *Error `json:"error"`
}

// Snapshot is a producer state snapshot.
type Snapshot struct {
	Logged
	Name      string     `json:"name"`
	Size      int64      `json:"size"`
	Producers []Producer `json:"producers"`
	ReadError *Error     `json:"readError"`
}

// Producer is one producer's state.
type Producer struct {
	ProducerID            int64           `json:"producerId"`
	ProducerEpoch         int16           `json:"producerEpoch"`
	CoordinatorEpoch      int32           `json:"coordinatorEpoch"`
	LastTimestamp         int64           `json:"lastTimestamp"`
	CurrentTxnFirstOffset *int64          `json:"currentTxnFirstOffset"`
	Batches               []ProducerBatch `json:"batches"`
}

// ProducerBatch is one of the (at most five) batches remembered of a producer.
type ProducerBatch struct {
	FirstSeq    int32 `json:"firstSeq"`
	LastSeq     int32 `json:"lastSeq"`
	FirstOffset int64 `json:"firstOffset"`
	LastOffset  int64 `json:"lastOffset"`
	Timestamp   int64 `json:"timestamp"`
}

// Indexes is what lies beside one log file.
type Indexes struct {
	Logged
	Base        int64    `json:"base"`
	OffsetIndex Pairs    `json:"offsetIndex"`
	TimeIndex   Pairs    `json:"timeIndex"`
	TxnIndex    TxnIndex `json:"txnIndex"`
	// Snapshot is nil where no such file exists.
	Snapshot *Snapshot `json:"snapshot"`
	// SegmentSanity is all that a loader checks after a clean stop; nil
	// without a log file.
	SegmentSanity *Check `json:"segmentSanity"`
}

// Indexes reads the index files of the segment with this base offset.
func (c *Client) Indexes(dir string, base int64, opts LogOpts) *Indexes {
	c.tb.Helper()
	x := new(Indexes)
	c.must("indexes", map[string]any{"dir": dir, "base": base}, opts, x)
	return x
}

// Snapshot reads a .snapshot file.
func (c *Client) Snapshot(file string) *Snapshot {
	c.tb.Helper()
	s := new(Snapshot)
	c.must("snapshot", map[string]any{"file": file}, nil, s)
	return s
}

// LookupOpts tells how to open and read the segment.
type LookupOpts struct {
	LogOpts
	// KeepZeroTail shows what the classes make of the preallocated tail of a
	// live index; it is cut off (in a copy) otherwise.
	KeepZeroTail bool `json:"-"`
	// MaxBytes of each read; the first batch is always read whole.
	MaxBytes int `json:"maxBytes,omitempty"`
}

// Lookup holds the answers in the order of the questions.
type Lookup struct {
	Logged
	Base               int64          `json:"base"`
	OffsetIndexEntries int            `json:"offsetIndexEntries"`
	TimeIndexEntries   int            `json:"timeIndexEntries"`
	ByOffset           []OffsetAnswer `json:"byOffset"`
	ByTime             []TimeAnswer   `json:"byTime"`
}

// IndexEntry is where a lookup starts to scan.
type IndexEntry struct {
	Offset   int64 `json:"offset"`
	Position int64 `json:"position"`
}

// OffsetAnswer says where the segment finds an offset.
type OffsetAnswer struct {
	Offset     int64      `json:"offset"`
	IndexEntry IndexEntry `json:"indexEntry"`
	// Found is the first batch whose last offset is at least the target, nil
	// if there is none.
	Found *struct {
		BatchBaseOffset int64 `json:"batchBaseOffset"`
		Position        int64 `json:"position"`
		BatchSize       int32 `json:"batchSize"`
	} `json:"found"`
	// Read is what a fetch from the target gets.
	Read *struct {
		Position             int64 `json:"position"`
		Bytes                int32 `json:"bytes"`
		BatchBaseOffset      int64 `json:"batchBaseOffset"`
		BatchLastOffset      int64 `json:"batchLastOffset"`
		FirstRecordAtOrAfter *struct {
			Offset    int64 `json:"offset"`
			Timestamp int64 `json:"timestamp"`
		} `json:"firstRecordAtOrAfter"`
	} `json:"read"`
	Error *Error `json:"error"`
}

// TimeAnswer says what the segment finds at or after a timestamp.
type TimeAnswer struct {
	Timestamp int64 `json:"timestamp"`
	// TimeIndexEntry has timestamp -1 for a target below the first entry.
	TimeIndexEntry struct {
		Timestamp int64 `json:"timestamp"`
		Offset    int64 `json:"offset"`
	} `json:"timeIndexEntry"`
	IndexEntry IndexEntry `json:"indexEntry"`
	Found      *struct {
		Timestamp   int64  `json:"timestamp"`
		Offset      int64  `json:"offset"`
		LeaderEpoch *int32 `json:"leaderEpoch"`
	} `json:"found"`
	Error *Error `json:"error"`
}

// Lookup asks one segment, with the index files it has, for offsets and
// timestamps.
func (c *Client) Lookup(dir string, base int64, offsets, timestamps []int64, opts LookupOpts) *Lookup {
	c.tb.Helper()
	l := new(Lookup)
	c.must("lookup", map[string]any{"dir": dir, "base": base, "offset": offsets, "timestamp": timestamps,
		"trimIndexes": !opts.KeepZeroTail}, opts, l)
	return l
}
