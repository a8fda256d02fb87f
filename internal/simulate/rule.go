package simulate

import (
	"math"

	"github.com/kafsck/kafsck/indexfile"
)

// MaxIndexBytes is Kafka's default of segment.index.bytes.
const MaxIndexBytes = 10 << 20

// Batch is what the rules need to know of a batch.
type Batch struct {
	Size         int64
	FirstOffset  int64
	LastOffset   int64
	MaxTimestamp int64 // −1 none
}

// Rule are the settings of a broker, in bytes.
type Rule struct {
	Interval int64 // index.interval.bytes
	// SegmentBytes is segment.bytes; 0: the segment is as it is and never
	// rolled.
	SegmentBytes int64
	// MaxIndexBytes is segment.index.bytes; 0 stands for Kafka's default.
	MaxIndexBytes int64
}

// Appender appends batches to segments as a broker does. It keeps no batch.
type Appender struct {
	rule Rule

	open        bool
	base        int64 // base offset of the segment
	size        int64
	since       int64 // bytes since the last entry
	entries     int64
	timeEntries int64
	maxTime     int64
	lastTime    int64 // of the last time entry
}

// NewAppender starts with an empty partition.
func NewAppender(rule Rule) *Appender {
	if rule.MaxIndexBytes <= 0 {
		rule.MaxIndexBytes = MaxIndexBytes
	}
	return &Appender{rule: rule}
}

// Roll says why a segment was rolled.
type Roll uint8

// The reasons.
const (
	NotRolled Roll = iota
	RolledBySize
	RolledByOffset // its relative offset would not fit 31 bits
	RolledByIndex  // an index is full: earlier than segment.bytes asks for
)

// Placed says where a batch went.
type Placed struct {
	Roll       Roll // a new segment was begun for it
	BaseOffset int64
	Position   int64 // in the segment
	Entry      bool  // it got an index entry: (its last offset, Position)
}

// Append places the next batch.
func (a *Appender) Append(b Batch) Placed {
	p := Placed{}
	if a.open && a.size > 0 {
		p.Roll = a.shouldRoll(b)
	}
	if !a.open || p.Roll != NotRolled {
		a.begin(b.FirstOffset)
	}
	p.BaseOffset, p.Position = a.base, a.size
	a.maxTime = max(a.maxTime, b.MaxTimestamp)
	if a.since > a.rule.Interval {
		p.Entry = true
		a.entries++
		if a.maxTime > a.lastTime {
			a.timeEntries++
			a.lastTime = a.maxTime
		}
		a.since = 0
	}
	a.since += b.Size
	a.size += b.Size
	return p
}

func (a *Appender) begin(base int64) {
	*a = Appender{rule: a.rule, open: true, base: base, maxTime: -1, lastTime: -1}
}

func (a *Appender) shouldRoll(b Batch) Roll {
	switch {
	case a.rule.SegmentBytes <= 0:
		return NotRolled
	case a.size > a.rule.SegmentBytes-b.Size:
		return RolledBySize
	case a.entries >= a.rule.MaxIndexBytes/indexfile.OffsetEntrySize,
		a.timeEntries >= a.rule.MaxIndexBytes/indexfile.TimeEntrySize-1:
		return RolledByIndex
	case b.LastOffset-a.base > math.MaxInt32:
		return RolledByOffset
	}
	return NotRolled
}
