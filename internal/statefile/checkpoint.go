package statefile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// checkpointVersion is the only version of the line-based checkpoints.
const checkpointVersion = 0

// CheckpointEntry is one line of an offset checkpoint.
type CheckpointEntry struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
	// Line is the number of the line in the file, from 1.
	Line int `json:"-"`
}

// OffsetCheckpoint is the content of recovery-point-offset-checkpoint,
// replication-offset-checkpoint (high watermarks), log-start-offset-checkpoint
// or cleaner-offset-checkpoint. Entries are in file order; of several for one
// partition a broker takes the last.
type OffsetCheckpoint struct {
	Entries []CheckpointEntry
}

// PartitionOffsets are the offsets that a broker takes from a checkpoint. The
// zero value has none.
type PartitionOffsets map[topicPartition]int64

type topicPartition struct {
	topic     string
	partition int32
}

// ByPartition makes the offsets ready to be looked up: a log directory may have
// thousands of partitions, each of which asks.
func (c OffsetCheckpoint) ByPartition() PartitionOffsets {
	offsets := make(PartitionOffsets, len(c.Entries))
	for i := range c.Entries {
		e := &c.Entries[i]
		offsets[topicPartition{e.Topic, e.Partition}] = e.Offset
	}
	return offsets
}

// Lookup returns the offset that a broker takes for a partition.
func (o PartitionOffsets) Lookup(topic string, partition int32) (offset int64, ok bool) {
	offset, ok = o[topicPartition{topic, partition}]
	return offset, ok
}

// ReadOffsetCheckpoint reads an offset checkpoint (CheckpointFile,
// OffsetCheckpointFile):
//
//	0              version
//	2              number of entries
//	topicA 0 15    topic, partition, offset
//	topicB 3 9001
//
// Tokens are separated by any white space; white space at the beginning of a
// line makes an empty first token. A file that ends before its second line is
// empty, not damaged. Entries behind a faulty line are read too, although a
// broker takes none of such a file; the error is that of the first fault.
// Digits outside ASCII, which Java would read, are malformed here.
func ReadOffsetCheckpoint(r io.ReaderAt, size int64) (OffsetCheckpoint, error) {
	var c OffsetCheckpoint
	err := readCheckpoint(r, size, 3, func(l line, f []string) *Error {
		partition, err := strconv.ParseInt(f[1], 10, 32)
		if err != nil {
			return badNumber(l, f[1], "partition")
		}
		offset, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			return badNumber(l, f[2], "offset")
		}
		c.Entries = append(c.Entries, CheckpointEntry{Topic: f[0], Partition: int32(partition), Offset: offset, Line: l.number})
		return nil
	})
	return c, err
}

// AppendOffsetCheckpoint appends the file that a broker writes for entries.
func AppendOffsetCheckpoint(dst []byte, entries []CheckpointEntry) []byte {
	dst = fmt.Appendf(dst, "%d\n%d\n", checkpointVersion, len(entries))
	for _, e := range entries {
		dst = fmt.Appendf(dst, "%s %d %d\n", e.Topic, e.Partition, e.Offset)
	}
	return dst
}

// EpochEntry is one line of a leader-epoch-checkpoint: the offset of the first
// record of a leader epoch.
type EpochEntry struct {
	Epoch       int32 `json:"epoch"`
	StartOffset int64 `json:"startOffset"`
	// Line is the number of the line in the file, from 1; Position its first
	// byte.
	Line     int   `json:"-"`
	Position int64 `json:"-"`
}

// LeaderEpochs is the content of a leader-epoch-checkpoint, in file order.
type LeaderEpochs struct {
	Entries []EpochEntry
}

// OutOfOrder returns the index of the first entry whose epoch does not rise
// or whose start offset falls against the entry before it, or -1. A broker
// loads such a file without a word (LeaderEpochFileCache).
func (e LeaderEpochs) OutOfOrder() int {
	for i := 1; i < len(e.Entries); i++ {
		a, b := &e.Entries[i-1], &e.Entries[i]
		if b.Epoch <= a.Epoch || b.StartOffset < a.StartOffset {
			return i
		}
	}
	return -1
}

// ReadLeaderEpochs reads a leader-epoch-checkpoint (LeaderEpochCheckpointFile):
// the layout of an offset checkpoint with the two tokens epoch and start
// offset in an entry. The files that tiered storage keeps per segment are the
// same. A fault makes the broker's load of the log fail. Of numbers below 0
// (ErrNegativeEpoch) that is so since 2.7: releases before don't look at them.
func ReadLeaderEpochs(r io.ReaderAt, size int64) (LeaderEpochs, error) {
	var c LeaderEpochs
	err := readCheckpoint(r, size, 2, func(l line, f []string) *Error {
		epoch, err := strconv.ParseInt(f[0], 10, 32)
		if err != nil {
			return badNumber(l, f[0], "epoch")
		}
		start, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return badNumber(l, f[1], "start offset")
		}
		c.Entries = append(c.Entries, EpochEntry{Epoch: int32(epoch), StartOffset: start, Line: l.number, Position: l.position})
		return nil
	})
	if err == nil {
		err = c.negative()
	}
	return c, err
}

// ErrNegativeEpoch is an entry of a leader-epoch-checkpoint with a number below 0.
var ErrNegativeEpoch = errors.New("neither an epoch nor a start offset is below 0")

// negative is the fault of the first entry with a number below 0. A broker takes
// the entries when it has read all of them (LeaderEpochFileCache.assign).
func (e LeaderEpochs) negative() error {
	for i := range e.Entries {
		if e := &e.Entries[i]; e.Epoch < 0 || e.StartOffset < 0 {
			return &Error{
				Line: e.Line, Position: e.Position, Kind: ErrMalformed,
				Cause: fmt.Errorf("epoch %d from offset %d on: %w", e.Epoch, e.StartOffset, ErrNegativeEpoch),
				broker: thrown("IllegalArgumentException", fmt.Sprintf(
					"Received invalid partition leader epoch entry EpochEntry[epoch=%d, startOffset=%d]", e.Epoch, e.StartOffset)),
			}
		}
	}
	return nil
}

// AppendLeaderEpochs appends the file that a broker writes for entries.
func AppendLeaderEpochs(dst []byte, entries []EpochEntry) []byte {
	dst = fmt.Appendf(dst, "%d\n%d\n", checkpointVersion, len(entries))
	for _, e := range entries {
		dst = fmt.Appendf(dst, "%d %d\n", e.Epoch, e.StartOffset)
	}
	return dst
}

// readCheckpoint walks the lines of a checkpoint. entry gets the tokens of
// each entry of the right number of them.
func readCheckpoint(r io.ReaderAt, size int64, tokens int, entry func(line, []string) *Error) error {
	data, err := readText(r, size)
	if err != nil {
		return err
	}
	first := checkUTF8(data)
	note := func(fault *Error) {
		if first == nil {
			first = fault
		}
	}
	if promised, entries, ok := checkpointHead(splitLines(data), note); ok {
		for _, l := range entries {
			f := strings.FieldsFunc(l.text, isJavaSpace)
			if l.text != "" && isJavaSpace(rune(l.text[0])) {
				f = slices.Insert(f, 0, "")
			}
			if len(f) != tokens {
				note(malformedLine(l, fmt.Errorf("not %d tokens: %s", tokens, quoted(l.text))))
			} else if fault := entry(l, f); fault != nil {
				note(fault)
			}
		}
		if int64(len(entries)) != promised {
			note(wrongCount(promised, len(entries), int64(len(data))))
		}
	}
	if first == nil {
		return nil
	}
	return first
}

// checkpointHead reads the version and the count; entries are the lines
// behind them. ok is false where there is nothing more to read.
func checkpointHead(lines []line, note func(*Error)) (promised int64, entries []line, ok bool) {
	if len(lines) == 0 {
		return 0, nil, false
	}
	version, err := strconv.ParseInt(lines[0].text, 10, 32)
	if err != nil {
		note(malformedLine(lines[0], fmt.Errorf("version %s is no number", quoted(lines[0].text))))
		return 0, nil, false
	}
	if version != checkpointVersion {
		note(&Error{
			Line: 1, Position: 0, Kind: ErrVersion,
			Cause:  fmt.Errorf("%d, not %d", version, checkpointVersion),
			broker: ioException("Unrecognised version:%d, expected version: %d in checkpoint file at: %s", version, checkpointVersion, pathArg),
		})
		return 0, nil, false
	}
	if len(lines) == 1 {
		return 0, nil, false
	}
	l := lines[1]
	promised, err = strconv.ParseInt(l.text, 10, 32)
	switch {
	case err != nil:
		note(malformedLine(l, fmt.Errorf("number of entries %s is no number", quoted(l.text))))
	case promised < 0:
		note(&Error{
			Line: l.number, Position: l.position, Kind: ErrMalformed,
			Cause:  fmt.Errorf("number of entries is negative: %d", promised),
			broker: thrown("IllegalArgumentException", fmt.Sprintf("Illegal Capacity: %d", promised)),
		})
	}
	return promised, lines[2:], true
}

func malformedLine(l line, cause error) *Error {
	return &Error{
		Line: l.number, Position: l.position, Kind: ErrMalformed, Cause: cause,
		broker: ioException("Malformed line in checkpoint file [%s]: %s", pathArg, l.text),
	}
}

func wrongCount(promised int64, found int, end int64) *Error {
	return &Error{
		Line: 2, Position: end, Kind: ErrCount,
		Cause:  fmt.Errorf("%d promised, %d found", promised, found),
		broker: ioException("Expected [%d] entries in checkpoint file [%s], but found only [%d]", promised, pathArg, found),
	}
}

// badNumber is a token of an entry that is no number. Unlike a wrong number
// of tokens this is no IOException for a broker: the exception that it is
// gets past every handler of the start.
func badNumber(l line, text, what string) *Error {
	return &Error{
		Line: l.number, Position: l.position, Kind: ErrMalformed,
		Cause:  fmt.Errorf("%s %s is no number", what, quoted(text)),
		broker: numberFormat(text),
	}
}
