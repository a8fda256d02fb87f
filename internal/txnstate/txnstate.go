// Package txnstate replays the logs of __transaction_state and says what a
// transaction coordinator knew at their end of each transactional id.
package txnstate

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/kafsck/kafsck/internal/message"
	"github.com/kafsck/kafsck/internal/topiclog"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/sanity"
)

// State is the last that a coordinator wrote down of a transactional id.
type State struct {
	ID        string
	Partition string // of __transaction_state
	// State is Kafka's name: Empty, Ongoing, PrepareCommit, PrepareAbort,
	// CompleteCommit, CompleteAbort, Dead or PrepareEpochFence, or a number.
	State         string
	ProducerID    int64
	ProducerEpoch int16
	// PreviousProducerID is that of the last transaction that ended, and
	// NextProducerID with NextProducerEpoch what the producer was promised; −1
	// where there is none.
	PreviousProducerID int64
	NextProducerID     int64
	NextProducerEpoch  int16
	TimeoutMs          int32
	Partitions         []TopicPartitions // of the transaction under way, by topic
	LastUpdate         int64
	Start              int64 // −1 where none began
	ClientVersion      int16 // transaction version of the client
	RecordOffset       int64 // of the record in __transaction_state
	// PendingMs is how long the transaction has been under way, by the largest
	// timestamp in the log; −1 where none is.
	PendingMs int64
}

// Pending says whether a transaction is under way: it holds back readers of
// committed data on its partitions.
func (s *State) Pending() bool { return s.PendingMs >= 0 }

// Expired says whether the transaction under way is older than its timeout, at
// which a coordinator aborts it.
func (s *State) Expired() bool { return s.PendingMs > int64(s.TimeoutMs) }

// TopicPartitions are partitions of a topic.
type TopicPartitions struct {
	Topic      string  `json:"topic"`
	Partitions []int32 `json:"partitions"`
}

// Result is what Load found.
type Result struct {
	States     []State // by transactional id
	Partitions []topiclog.Replayed
	Skipped    int64 // records that could not be decoded, or of a newer type
}

// Load reads the transactional ids at a path: a log directory, or a partition
// or log of __transaction_state; up to the offset last, itself included, or
// topiclog.All. What is damaged goes to finding. What can't be read is told by
// the error, beside a result of the rest.
func Load(ctx context.Context, path string, last int64, finding func(sanity.Finding)) (*Result, error) {
	sources, _, err := topiclog.Find(path, topics.TransactionState)
	var logs []topiclog.Log
	for _, s := range sources {
		if len(s.Logs) > 0 {
			logs = append(logs, topiclog.Log{Topic: topics.TransactionState, Source: s})
		}
	}
	result := &Result{}
	states := map[string]State{} // of one partition
	partition := 0
	done, readErr := topiclog.Replay(ctx, logs, last, topiclog.Visitor{
		Finding: finding,
		Record: func(r *topiclog.Record) {
			switch {
			case r.Err != nil:
				result.Skipped++
			case r.Value == nil:
				delete(states, r.Key.Get("transactionalId").Text())
			default:
				s := stateOf(r)
				s.Partition = logs[partition].Source.Name
				states[s.ID] = s
			}
		},
		End: func() {
			result.States = slices.AppendSeq(result.States, maps.Values(states))
			clear(states)
			partition++
		},
	})
	if errors.Is(readErr, topiclog.ErrManyPartitions) {
		return nil, readErr
	}
	result.Partitions = done
	result.age()
	return result, errors.Join(err, readErr)
}

func stateOf(r *topiclog.Record) State {
	v := r.Value
	s := State{
		ID: r.Key.Get("transactionalId").Text(), State: stateName(v.Get("transactionStatus").Int),
		ProducerID: v.Get("producerId").Int, ProducerEpoch: int16(v.Get("producerEpoch").Int),
		PreviousProducerID: v.Get("previousProducerId").Int, NextProducerID: v.Get("nextProducerId").Int,
		NextProducerEpoch: int16(v.Get("nextProducerEpoch").Int), TimeoutMs: int32(v.Get("transactionTimeoutMs").Int),
		Partitions: partitionsOf(v.Get("transactionPartitions")), LastUpdate: v.Get("transactionLastUpdateTimestampMs").Int,
		Start: v.Get("transactionStartTimestampMs").Int, ClientVersion: int16(v.Get("clientTransactionVersion").Int),
		RecordOffset: r.Offset,
	}
	return s
}

func stateName(n int64) string {
	if n >= 0 && n < int64(len(topics.TransactionStates)) {
		return topics.TransactionStates[n]
	}
	return strconv.FormatInt(n, 10)
}

func partitionsOf(v *message.Value) []TopicPartitions {
	list := make([]TopicPartitions, len(v.Items))
	for i := range v.Items {
		list[i] = TopicPartitions{v.Items[i].Get("topic").Text(), v.Items[i].Get("partitionIds").Ints()}
		slices.Sort(list[i].Partitions)
	}
	slices.SortFunc(list, func(a, b TopicPartitions) int { return cmp.Compare(a.Topic, b.Topic) })
	return list
}

// age tells how old the transactions under way are, and sorts.
func (r *Result) age() {
	ends := map[string]int64{}
	for _, p := range r.Partitions {
		ends[p.Partition] = p.LastTimestamp
	}
	for i := range r.States {
		s := &r.States[i]
		s.PendingMs = -1
		switch s.State {
		case "Ongoing", "PrepareCommit", "PrepareAbort", "PrepareEpochFence":
			s.PendingMs = max(0, ends[s.Partition]-max(s.Start, 0))
		}
	}
	slices.SortFunc(r.States, func(a, b State) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Partition, b.Partition))
	})
}
