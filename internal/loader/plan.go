package loader

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
)

// Options say which broker starts, and what it knows of the partition.
type Options struct {
	Version kafkaversion.Version
	// Interval is index.interval.bytes, MaxIndexSize segment.index.bytes.
	Interval     int64
	MaxIndexSize int
	// Clean: the log directory has a clean-shutdown marker.
	Clean bool
	// RecoveryPoint and LogStart are the checkpointed offsets, or 0.
	RecoveryPoint, LogStart int64
	// Reading, where not nil, is put between the model and each log and index
	// that it reads. Several goroutines use what it returns.
	Reading func(io.ReaderAt) io.ReaderAt
}

// Action is what a broker does with a file.
type Action string

// The actions, in rising order of what they do to a segment.
const (
	Keep         Action = "keep"          // not looked at, or not worth a word
	Recover      Action = "recover"       // scanned to its end; the indexes are written anew
	RebuildIndex Action = "rebuild-index" // scanned because an index is missing or bad
	Split        Action = "split"         // divided, because offsets don't fit
	Truncate     Action = "truncate"      // cut at a position
	Empty        Action = "empty"         // cut at its start
	Delete       Action = "delete"        // the whole segment goes
	Remove       Action = "remove"        // a file that is not, or no longer, part of the log goes
	Rename       Action = "rename"        // a .swap file is put in its place
	Rewrite      Action = "rewrite"       // a snapshot is made anew, a checkpoint loses entries
)

func (a Action) rank() int {
	return slices.Index([]Action{Keep, Recover, RebuildIndex, Rename, Split, Truncate, Empty, Remove, Delete}, a)
}

// Loss is what is gone afterwards. Zero bytes up to the end of a log are none.
type Loss struct {
	Batches, Records, Bytes int64
	// FirstOffset and LastOffset, FirstTime and LastTime bound what is lost, as
	// far as it can be told; −1 unknown. Times are epoch milliseconds.
	FirstOffset, LastOffset int64
	FirstTime, LastTime     int64
	// IntactBatches and IntactRecords are those of sound checksum.
	IntactBatches, IntactRecords int64
}

func noLoss() Loss { return Loss{FirstOffset: -1, LastOffset: -1, FirstTime: -1, LastTime: -1} }

// Any says whether anything is lost.
func (x *Loss) Any() bool { return x.Batches > 0 || x.Bytes > 0 }

// Add adds another loss.
func (x *Loss) Add(o Loss) {
	x.Batches += o.Batches
	x.Records += o.Records
	x.Bytes += o.Bytes
	x.IntactBatches += o.IntactBatches
	x.IntactRecords += o.IntactRecords
	x.offsets(o.FirstOffset, o.LastOffset)
	x.times(o.FirstTime, o.LastTime)
}

func (x *Loss) offsets(first, last int64) { widen(&x.FirstOffset, &x.LastOffset, first, last) }

func (x *Loss) times(first, last int64) { widen(&x.FirstTime, &x.LastTime, first, last) }

func widen(low, high *int64, first, last int64) {
	if first >= 0 && (*low < 0 || first < *low) {
		*low = first
	}
	*high = max(*high, last)
}

// Decision is what becomes of one file.
type Decision struct {
	File       string // as reached from the argument
	BaseOffset int64  // of a segment's file; −1 of others
	Action     Action
	SizeBefore int64
	SizeAfter  int64
	// Position is where a log is cut, or where its load fails; −1 elsewhere.
	Position int64
	// Reason is the code of a finding where one fits, or a word of this
	// package. Text says it in words where there is more to say.
	Reason, Text string
	Lost         Loss
}

// Segment is a segment of the loaded log.
type Segment struct{ BaseOffset, Size int64 }

// Plan is what a broker does with a partition.
type Plan struct {
	Path      string
	Partition string // the topic and partition, without marker
	Marker    logdir.Marker
	Options   Options

	Loads   bool
	Failure *indexfile.KafkaError // nil where it loads

	LogStart, LogEnd int64
	RecoveryPoint    int64 // the new one
	Segments         []Segment
	Decisions        []Decision
	Lost             Loss
	// Behind is what stays in the newest segment at or behind LogEnd: fetches
	// from there fail, and new records get the same offsets.
	Behind Loss
	// Epochs are the leader epochs afterwards, EpochsBefore the number before.
	Epochs       []statefile.EpochEntry
	EpochsBefore int
	// Metadata says that this is the controllers' own log.
	Metadata bool

	// Removed and Added are the names that were there before and not after, and
	// the other way round, before deferred deletions.
	Removed, Added []string
}

// The reasons that aren't codes of findings.
const (
	reasonLeftover   = "file-leftover"
	reasonOrphan     = "file-orphan"
	reasonUnflushed  = "not-flushed"        // the stop was unclean, and it lies above the recovery point
	reasonBehindCut  = "behind-damage"      // an earlier segment was cut
	reasonBelowStart = "end-below-start"    // the log ends below its start offset
	reasonReplaced   = "replaced-by-swap"   // its content is in a .swap file
	reasonOfSegment  = "of-deleted-segment" // its segment goes
	reasonFails      = "load-fails"
	reasonSwap       = "swap-complete"
	reasonRebuilt    = "snapshot-rebuilt"
)

// Partition says what a broker does with the partition listed. The error is
// about what keeps this program from saying so: a file that can't be read, the
// context. Beside a running broker the plan is made of a picture of the partition,
// and made anew where what was read contradicts itself, as a log that is cut does.
func Partition(ctx context.Context, p *logdir.Partition, o Options) (*Plan, error) {
	for try := 1; ; try++ {
		picture, err := p.Hold((*logdir.Partition).Files)
		if err != nil {
			return nil, err
		}
		plan, err := planOf(ctx, picture, o)
		picture.Close()
		changed := errors.Is(err, fs.ErrNotExist) || errors.Is(err, errShrunk) || errors.As(err, new(*indexfile.KafkaError))
		if !changed || ctx.Err() != nil || try == logdir.MostTries || !logdir.HeldAround(p.Path) {
			return plan, err
		}
		if p, err = p.Again(); err != nil {
			return nil, err
		}
	}
}

func planOf(ctx context.Context, picture *logdir.Picture, o Options) (*Plan, error) {
	p := picture.Partition
	for _, issue := range p.Issues {
		if issue.Kind == logdir.Unreadable || issue.Kind == logdir.Vanished {
			return nil, issue
		}
	}
	if o.Version.Before(0, 11) {
		o.LogStart = 0 // there is no such checkpoint
	}
	l := &load{
		ctx: ctx, options: o, picture: picture, partition: partitionOf(p), dir: newDirectory(p), logs: make(map[string]*logPlan),
		deleting: strings.HasSuffix(baseOf(p.Path), "-delete"),
		plan: &Plan{
			Path: p.Path, Partition: partitionOf(p), Options: o, Lost: noLoss(), Behind: noLoss(),
			Metadata: p.HasName && p.Dir.Topic == logdir.MetadataTopic,
		},
	}
	if p.HasName {
		l.plan.Marker = p.Dir.Marker
	}
	for _, name := range l.dir.names() {
		if strings.HasSuffix(strings.TrimSuffix(name, sufSwap), extLog) {
			base, thrown := offsetOf(name)
			if thrown != nil {
				base = -1
			}
			size := l.dir.files[name].size
			l.logs[name] = &logPlan{Decision: Decision{File: l.dir.abs(name), BaseOffset: base, Action: Keep, SizeBefore: size, Position: -1, Lost: noLoss()}}
		}
	}
	err := l.run()
	var thrown *indexfile.KafkaError
	if err != nil && !errors.As(err, &thrown) {
		return nil, err
	}
	l.plan.Failure, l.plan.Loads = renamed(thrown, o.Version), err == nil
	if err := errors.Join(l.account(), l.behindEnd()); err != nil {
		return nil, err
	}
	return l.plan, nil
}

// Failed says what the exception means for the broker: an IOException takes the
// log directory offline, any other one stops the broker. Before 1.0 there is
// only the latter (KIP-112).
func (p *Plan) Failed() (logDirOffline bool) {
	return p.Failure != nil && !p.Options.Version.Before(1) && isIO(p.Failure)
}
