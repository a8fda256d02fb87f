//go:build kafka

package oracle

import (
	"encoding/json"
	"fmt"
)

// RecordsOpts says how far to walk.
type RecordsOpts struct {
	// BatchesOnly leaves Records nil: headers are ten times as fast.
	BatchesOnly bool `json:"batchesOnly,omitempty"`
	// Position is where the first batch is.
	Position int64 `json:"position,omitempty"`
	// MaxBatches ends the walk early; 0 means all.
	MaxBatches int `json:"maxBatches,omitempty"`
}

// Segment is a log file as kafka-clients reads it.
type Segment struct {
	Logged
	Batches []Batch
	// Error ended the walk early.
	Error *Error
	// EndPosition is behind the last whole batch; smaller than FileSize
	// without an Error if the last batch is incomplete.
	EndPosition int64
	FileSize    int64
}

// Batch is a RecordBatch. A getter that threw is in FieldErrors, by the JSON
// name, and its field is the zero value.
type Batch struct {
	Position             int64             `json:"position"`
	SizeInBytes          int32             `json:"sizeInBytes"`
	BaseOffset           int64             `json:"baseOffset"`
	LastOffset           int64             `json:"lastOffset"`
	Magic                int8              `json:"magic"`
	PartitionLeaderEpoch int32             `json:"partitionLeaderEpoch"`
	ProducerID           int64             `json:"producerId"`
	ProducerEpoch        int16             `json:"producerEpoch"`
	BaseSequence         int32             `json:"baseSequence"`
	LastSequence         int32             `json:"lastSequence"`
	IsTransactional      bool              `json:"isTransactional"`
	IsControl            bool              `json:"isControl"`
	HasDeleteHorizon     bool              `json:"hasDeleteHorizon"`
	DeleteHorizonMs      *int64            `json:"deleteHorizonMs"`
	Compression          string            `json:"compression"`
	TimestampType        string            `json:"timestampType"`
	MaxTimestamp         int64             `json:"maxTimestamp"`
	Checksum             uint32            `json:"checksum"`
	IsValid              bool              `json:"isValid"`
	CountOrNull          *int32            `json:"countOrNull"`
	Records              []Record          `json:"records"`
	RecordsError         *Error            `json:"recordsError"`
	FieldErrors          map[string]string `json:"fieldErrors"`
}

// Record is one record; a nil Key or Value is null, an empty one is empty.
type Record struct {
	Offset    int64    `json:"offset"`
	Timestamp int64    `json:"timestamp"`
	Sequence  int32    `json:"sequence"`
	Key       []byte   `json:"key"`
	Value     []byte   `json:"value"`
	Headers   []Header `json:"headers"`
	// Control is set in control batches.
	Control *Control `json:"control"`
}

// Header is a record header; a nil Value is null.
type Header struct {
	Key   string
	Value []byte
}

// UnmarshalJSON takes [key, value].
func (h *Header) UnmarshalJSON(b []byte) error {
	pair := [2]any{&h.Key, &h.Value}
	return json.Unmarshal(b, &pair)
}

// Control is a control record's meaning.
type Control struct {
	KeyVersion int16  `json:"keyVersion"`
	TypeID     int16  `json:"typeId"`
	Type       string `json:"type"`
	// Version and CoordinatorEpoch are those of ABORT and COMMIT.
	Version          *int16 `json:"version"`
	CoordinatorEpoch *int32 `json:"coordinatorEpoch"`
	// Body is the toString of a KRaft control record.
	Body  string `json:"body"`
	Error *Error `json:"error"`
}

// UnmarshalJSON takes the list of batches that a line of another type ends.
func (s *Segment) UnmarshalJSON(b []byte) error {
	var lines []json.RawMessage
	if err := json.Unmarshal(b, &lines); err != nil {
		return err
	}
	if len(lines) == 0 {
		return fmt.Errorf("records: no end line")
	}
	last := len(lines) - 1
	s.Batches = make([]Batch, last)
	for i := range s.Batches {
		if err := json.Unmarshal(lines[i], &s.Batches[i]); err != nil {
			return fmt.Errorf("records: batch %d: %w", i, err)
		}
	}
	var end struct {
		Type        string `json:"type"`
		Error       *Error `json:"error"`
		Batches     int    `json:"batches"`
		EndPosition int64  `json:"endPosition"`
		FileSize    int64  `json:"fileSize"`
	}
	if err := json.Unmarshal(lines[last], &end); err != nil {
		return fmt.Errorf("records: end line: %w", err)
	}
	if end.Type != "end" || end.Batches != last {
		return fmt.Errorf("records: %d batches in front of the line %s", last, lines[last])
	}
	s.Error, s.EndPosition, s.FileSize = end.Error, end.EndPosition, end.FileSize
	return nil
}

// Records walks a log file, or a part of it.
func (c *Client) Records(file string, opts RecordsOpts) *Segment {
	c.tb.Helper()
	s := new(Segment)
	c.must("records", map[string]any{"file": file}, opts, s)
	return s
}
