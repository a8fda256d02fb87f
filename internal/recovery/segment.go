package recovery

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/blocks"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/leaderepoch"
	"github.com/kafsck/kafsck/internal/producerstate"
	"github.com/kafsck/kafsck/recordbatch"
)

// Rule says which offsets the entries name.
type Rule uint8

const (
	// Recover is what LogSegment.recover builds.
	Recover Rule = iota
	// Append is what a leader's LogSegment.append builds in one session, each
	// batch an append of its own, when the segment is then rolled or closed.
	// Entries stand where Recover puts them; releases before 3.7 name another
	// offset in the time index.
	Append
)

// maxMessageBytes is the default of max.message.bytes in the releases that apply
// it in a recovery, 0.8.1 to 0.10.2.
const maxMessageBytes = 1000012

// Options say how a segment is recovered.
type Options struct {
	// File is the path of the .log in Kafka's messages and in errors.
	File       string
	BaseOffset int64
	Version    kafkaversion.Version
	Rule       Rule
	// Interval is index.interval.bytes, MaxIndexSize segment.index.bytes.
	Interval     int64
	MaxIndexSize int
	// Producers, where not nil, is the state before the segment, and
	// afterwards that behind it. Without it no transaction index is built.
	Producers *producerstate.State
	// Epochs, where not nil, gets the leader epochs of the segment.
	Epochs *leaderepoch.Cache
	// Visit, where not nil, is called with each batch that stays, before it is
	// applied to Producers. The batch is valid until it returns. An error ends
	// the recovery and is returned.
	Visit func(*recordbatch.Batch) error
}

// Segment recovers size bytes of r. Its error is about reading the file; what
// Kafka throws is in the result.
func Segment(r io.ReaderAt, size int64, o Options) (*Result, error) {
	s := &segment{options: o, result: Result{Size: size, Largest: Timestamp{-1, o.BaseOffset}, NextOffset: o.BaseOffset}}
	s.walker = walker{r: r, end: size, file: o.File, version: o.Version, ahead: blocks.New(r, 0, size)}
	defer s.walker.close()
	if !o.Version.Before(0, 8, 1) && o.Version.Before(0, 11) {
		s.walker.maxMessage = maxMessageBytes
	}
	if size > math.MaxInt32 {
		return s.fail(0, &indexfile.KafkaError{Class: classKafka, Message: fmt.Sprintf(
			"The size of segment %s (%d) is larger than the maximum allowed segment size of %d", o.File, size, math.MaxInt32)}), nil
	}
	var err error
	if s.result.Offset, err = indexfile.NewOffsetBuilder(o.BaseOffset, o.MaxIndexSize); err == nil {
		s.result.Time, err = indexfile.NewTimeBuilder(o.BaseOffset, o.MaxIndexSize)
	}
	if err != nil {
		return s.thrown(err)
	}
	s.result.Offset.Wrap, s.result.Time.Wrap = o.Version.Before(2), o.Version.Before(2)
	return s.run()
}

// segment is one recovery under way.
type segment struct {
	options     Options
	walker      walker
	decoder     recordbatch.Decoder
	result      Result
	lastIndexed int64
}

func (s *segment) run() (*Result, error) {
	for {
		more, err := s.step()
		if err != nil {
			return nil, err
		}
		if s.result.Failure != nil {
			return &s.result, nil
		}
		if !more {
			break
		}
	}
	if s.hasTimes() {
		if _, err := s.result.Time.MaybeAppend(s.result.Largest.Timestamp, s.result.Largest.Offset, true); err != nil {
			return s.thrown(err)
		}
	}
	return &s.result, nil
}

// step takes one batch.
func (s *segment) step() (more bool, err error) {
	w, result := &s.walker, &s.result
	ok, caught, err := w.header()
	if err != nil {
		return false, err
	}
	if ok {
		caught, err = w.load()
	}
	if err != nil {
		return false, err
	}
	if caught != nil && !catches(caught) {
		s.fail(w.position, caught)
		return false, nil
	}
	if !ok || caught != nil {
		result.stop(w.position, caught)
		return false, nil
	}
	b := &w.batch
	if relative := b.LastOffset() - s.options.BaseOffset; !s.options.Version.Before(2) && (relative < 0 || relative > math.MaxInt32) {
		s.fail(b.Position, &indexfile.KafkaError{Class: classOffsetOverflow, Message: fmt.Sprintf(
			"Detected offset overflow at offset %d in segment LogSegment(baseOffset=%d, size=%d)", b.LastOffset(), s.options.BaseOffset, result.Size)})
		return false, nil
	}
	if b.MaxTimestamp > result.Largest.Timestamp {
		if result.Largest, err = s.largest(b); err != nil {
			return false, err
		}
	}
	if b.Position-s.lastIndexed > s.options.Interval {
		if err := s.index(b); err != nil {
			_, err := s.thrown(err)
			return false, err
		}
		s.lastIndexed = b.Position
	}
	w.next()
	result.ValidBytes = w.position
	result.Batches++
	result.NextOffset = b.LastOffset() + 1
	if s.options.Visit != nil {
		if err := s.options.Visit(b); err != nil {
			return false, err
		}
	}
	if !b.IsLegacy() {
		if s.options.Epochs != nil {
			s.options.Epochs.Recovered(s.options.Version, b.PartitionLeaderEpoch, b.BaseOffset())
		}
		if more, err := s.produce(b); !more || err != nil {
			return false, err
		}
	}
	return true, nil
}

// catches says whether a recovery is over with an exception and does not fail.
func catches(thrown *indexfile.KafkaError) bool {
	return thrown.Class == classCorruptRecord || thrown.Class == classInvalidRecord
}

// index adds the entries of a batch that is due.
func (s *segment) index(b *recordbatch.Batch) error {
	offset := b.LastOffset()
	if s.options.Version.Before(2) {
		var err error
		if offset, err = s.firstOffset(b); err != nil {
			return err
		}
	}
	if err := s.result.Offset.Append(offset, int32(b.Position)); err != nil {
		return err
	}
	if !s.hasTimes() {
		return nil
	}
	_, err := s.result.Time.MaybeAppend(s.result.Largest.Timestamp, s.result.Largest.Offset, false)
	return err
}

// hasTimes: releases before 0.10.1 have no time index.
func (s *segment) hasTimes() bool { return !s.options.Version.Before(0, 10, 1) }

// firstOffset is the offset of the first message, for which a wrapper has to
// be decompressed.
func (s *segment) firstOffset(b *recordbatch.Batch) (int64, error) {
	if !b.IsLegacy() || b.Codec() == recordbatch.CodecNone {
		return b.BaseOffset(), nil
	}
	if err := s.walker.needData(); err != nil {
		return 0, err
	}
	s.decoder.Reset(b)
	if !s.decoder.Next() {
		message := "a wrapper without messages"
		if err := s.decoder.Err(); err != nil {
			message = err.Error()
		}
		return 0, &indexfile.KafkaError{Class: classKafka, Message: message}
	}
	return s.decoder.Record().Offset, nil
}

// produce applies a v2 batch to the state of the producers, and writes the
// transaction index. more is false where the recovery ends behind the batch.
func (s *segment) produce(b *recordbatch.Batch) (more bool, err error) {
	state := s.options.Producers
	if b.ProducerID >= 0 {
		s.result.ProducerBatches++
		if b.IsTransactional() || b.IsControl() {
			s.result.TransactionalBatches++
		}
		if state != nil && b.IsControl() {
			if err := s.walker.needData(); err != nil {
				return false, err
			}
		}
	}
	if state == nil {
		return true, nil
	}
	outcome, err := state.Append(b)
	if err == nil && outcome.Completed && outcome.Txn.Aborted {
		err = s.result.Txn.Append(outcome.Txn.IndexEntry())
	}
	if err == nil {
		return true, nil
	}
	var kafka *indexfile.KafkaError
	if errors.As(err, &kafka) && kafka.Class == classInvalidRecord {
		s.result.stop(s.walker.position, kafka)
		return false, nil
	}
	_, err = s.thrown(err)
	return false, err
}

// thrown turns what a builder or the producers' state refused into the result.
// Errors of another kind come back.
func (s *segment) thrown(err error) (*Result, error) {
	var kafka *indexfile.KafkaError
	var refused *indexfile.AppendError
	var size *indexfile.SizeError
	switch {
	case errors.As(err, &kafka):
	case errors.As(err, &refused):
		kafka = refused.Kafka(strings.TrimSuffix(s.options.File, ".log") + refused.Kind.Suffix())
	case errors.As(err, &size):
		kafka = size.Kafka()
	default:
		return nil, err
	}
	s.fail(s.walker.position, kafka)
	s.result.Cause = err
	return &s.result, nil
}

func (s *segment) fail(position int64, thrown *indexfile.KafkaError) *Result {
	s.result.StopPosition, s.result.Failure, s.result.Cause = position, thrown, thrown
	return &s.result
}

const classKafka = "org.apache.kafka.common.KafkaException"
