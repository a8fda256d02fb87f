//go:build kafka

package oracle

// Where the producer state of a recovery comes from.
const (
	// FromSnapshot takes the newest snapshot at or below the base offset.
	FromSnapshot = "snapshot"
	// FromReplay also replays the earlier segments, as the loader does.
	FromReplay = "replay"
	// FromNothing starts without producers.
	FromNothing = "none"
)

// RecoverOpts tells how to open and recover the segment.
type RecoverOpts struct {
	LogOpts
	// ProducerState is FromSnapshot if empty.
	ProducerState string `json:"producerState,omitempty"`
	// LogStartOffset is used by FromReplay.
	LogStartOffset int64 `json:"logStartOffset,omitempty"`
}

// Recovery is what LogSegment.recover did to a copy of one segment without its
// index files.
type Recovery struct {
	Logged
	OK bool `json:"ok"`
	// Failure is what recover threw; the rest is then the state at that point.
	Failure                *Error     `json:"failure"`
	Base                   int64      `json:"base"`
	ProducerStateAt        int64      `json:"producerStateAt"`
	ProducersBefore        int        `json:"producersBefore"`
	SizeBefore             int64      `json:"sizeBefore"`
	ValidBytes             int64      `json:"validBytes"`
	TruncatedBytes         int64      `json:"truncatedBytes"`
	NextOffset             int64      `json:"nextOffset"`
	LargestTimestamp       int64      `json:"largestTimestamp"`
	LargestRecordTimestamp *int64     `json:"largestRecordTimestamp"`
	Files                  []File     `json:"files"`
	OffsetIndex            Pairs      `json:"offsetIndex"`
	TimeIndex              Pairs      `json:"timeIndex"`
	TxnIndex               TxnIndex   `json:"txnIndex"`
	Producers              []Producer `json:"producers"`
	// LeaderEpochs holds (epoch, start offset).
	LeaderEpochs [][2]int64 `json:"leaderEpochs"`
}

// File is a file that a request left.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Recover recovers a copy of the segment with this base offset, index files
// absent; with OutDir the result is kept in OutDir/<topic>-<n>.
func (c *Client) Recover(dir string, base int64, opts RecoverOpts) *Recovery {
	c.tb.Helper()
	r := new(Recovery)
	c.must("recover", map[string]any{"dir": dir, "base": base}, opts, r)
	return r
}

// LoadOpts tells how the log was left.
type LoadOpts struct {
	LogOpts
	// Clean means that the clean-shutdown marker is there.
	Clean          bool  `json:"clean,omitempty"`
	RecoveryPoint  int64 `json:"recoveryPoint,omitempty"`
	LogStartOffset int64 `json:"logStartOffset,omitempty"`
}

// Loaded is what a starting broker makes of a copy of a partition directory,
// and, after that, an orderly stop.
type Loaded struct {
	Logged
	Partition string `json:"partition"`
	Loaded    bool   `json:"loaded"`
	// Failure is what the loader threw; with LogDirOffline and Changes it is
	// all there is.
	Failure       *Error `json:"failure"`
	LogDirOffline bool   `json:"logDirOffline"`

	LogStartOffset  int64           `json:"logStartOffset"`
	LogEndOffset    int64           `json:"logEndOffset"`
	Segments        []LoadedSegment `json:"segments"`
	ProducerStateAt int64           `json:"producerStateAt"`
	Producers       []Producer      `json:"producers"`
	DeferredTasks   []struct {
		Task    string `json:"task"`
		DelayMs int64  `json:"delayMs"`
	} `json:"deferredTasks"`
	// ChangesByLoad compares before and after the load, Changes before and
	// after the stop.
	ChangesByLoad Changes `json:"changesByLoad"`
	Changes       Changes `json:"changes"`
	Files         []File  `json:"files"`
}

// LoadedSegment is a segment of the loaded log.
type LoadedSegment struct {
	Base               int64  `json:"base"`
	Size               int64  `json:"size"`
	OffsetIndexEntries int    `json:"offsetIndexEntries"`
	TimeIndexEntries   int    `json:"timeIndexEntries"`
	AbortedTxns        int    `json:"abortedTxns"`
	NextOffset         int64  `json:"nextOffset"`
	LargestTimestamp   int64  `json:"largestTimestamp"`
	Error              *Error `json:"error"`
}

// Changes tells what happened to the files. A segment that the loader dropped
// appears as added *.deleted files: the deletion itself is deferred.
type Changes struct {
	Removed []string `json:"removed"`
	Added   []struct {
		Name string `json:"name"`
		Size int64  `json:"size"`
	} `json:"added"`
	Changed []struct {
		Name       string `json:"name"`
		SizeBefore int64  `json:"sizeBefore"`
		SizeAfter  int64  `json:"sizeAfter"`
	} `json:"changed"`
}

// Load loads a copy of a partition directory (named <topic>-<n>) the way a
// starting broker does.
func (c *Client) Load(dir string, opts LoadOpts) *Loaded {
	c.tb.Helper()
	l := new(Loaded)
	c.must("load", map[string]any{"dir": dir}, opts, l)
	return l
}
