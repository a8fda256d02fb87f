package cmd

import (
	"strconv"
	"strings"

	"github.com/kafsck/kafsck/internal/txnstate"
)

// The objects of transactions --coordinator in JSON.
type (
	transactionalIDObject struct {
		Type               string                     `json:"type"`
		TransactionalID    string                     `json:"transactionalId"`
		State              string                     `json:"state"`
		ProducerID         int64                      `json:"producerId"`
		ProducerEpoch      int16                      `json:"producerEpoch"`
		PreviousProducerID int64                      `json:"previousProducerId"`
		NextProducerID     int64                      `json:"nextProducerId"`
		NextProducerEpoch  int16                      `json:"nextProducerEpoch"`
		TimeoutMs          int32                      `json:"timeoutMs"`
		Partitions         []txnstate.TopicPartitions `json:"partitions"`
		LastUpdate         int64                      `json:"lastUpdateTimestamp"`
		Start              int64                      `json:"startTimestamp"`
		PendingMs          int64                      `json:"pendingMs"`
		Expired            bool                       `json:"expired"`
		ClientVersion      int16                      `json:"clientTransactionVersion"`
		Partition          string                     `json:"partition"`
		RecordOffset       int64                      `json:"recordOffset"`
	}
	coordinatorSummaryObject struct {
		Type       string           `json:"type"`
		IDs        int              `json:"transactionalIds"`
		Pending    int              `json:"pending"`
		Expired    int              `json:"expired"`
		Skipped    int64            `json:"skipped"`
		Partitions []replayedObject `json:"partitions"`
	}
)

func showCoordinator(e *emitter, result *txnstate.Result) (skipped int64) {
	switch e.format {
	case formatJSON:
		coordinatorJSON(e, result)
	case formatTable:
		rows := make([][]string, 0, len(result.States))
		for i := range result.States {
			rows = append(rows, coordinatorRow(&result.States[i]))
		}
		e.table(coordinatorColumns, rows)
	default:
		w := columns{emitter: e}
		w.header(coordinatorColumns...)
		for i := range result.States {
			w.row(coordinatorRow(&result.States[i])...)
		}
		w.endBlock()
	}
	return result.Skipped
}

var coordinatorColumns = []string{"transactionalId", "state", "producerId", "epoch", "lastUpdate", "pendingMs", "partitions"}

func coordinatorRow(s *txnstate.State) []string {
	pending := "-"
	if s.Pending() {
		pending = strconv.FormatInt(s.PendingMs, 10)
	}
	if s.Expired() {
		pending += " (timeout " + strconv.Itoa(int(s.TimeoutMs)) + ")"
	}
	var partitions []string
	for _, tp := range s.Partitions {
		partitions = append(partitions, tp.Topic+":"+idList(tp.Partitions))
	}
	return []string{
		s.ID, s.State, strconv.FormatInt(s.ProducerID, 10), strconv.Itoa(int(s.ProducerEpoch)),
		clockText(s.LastUpdate), pending, strings.Join(partitions, " "),
	}
}

func coordinatorJSON(e *emitter, result *txnstate.Result) {
	summary := coordinatorSummaryObject{
		Type: "transactional-ids-summary", IDs: len(result.States), Skipped: result.Skipped, Partitions: replayed(result.Partitions),
	}
	for i := range result.States {
		s := &result.States[i]
		if s.Pending() {
			summary.Pending++
		}
		if s.Expired() {
			summary.Expired++
		}
		e.object(transactionalIDObject{
			"transactional-id", s.ID, s.State, s.ProducerID, s.ProducerEpoch, s.PreviousProducerID, s.NextProducerID,
			s.NextProducerEpoch, s.TimeoutMs, notNil(s.Partitions), s.LastUpdate, s.Start, s.PendingMs, s.Expired(),
			s.ClientVersion, s.Partition, s.RecordOffset,
		})
	}
	e.object(summary)
}
