//go:build kafka

package oracle

import (
	"encoding/json"
	"fmt"

	"github.com/kafsck/kafsck/internal/fixture"
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

// Batch is a RecordBatch, in the form in which fixtures hold one.
type Batch struct {
	fixture.Batch
	// RecordsError ended the iteration over the records early.
	RecordsError *Error `json:"recordsError"`
	// FieldErrors holds, by JSON name, what getters threw; the field is then
	// the zero value.
	FieldErrors map[string]string `json:"fieldErrors"`
	// ControlErrors tells which control records could not be parsed.
	ControlErrors []ControlError `json:"controlErrors"`
}

// ControlError is what parsing a control record threw.
type ControlError struct {
	Error
	Offset int64 `json:"offset"`
}

// OK tells whether Kafka reads all of the batch without complaint; it then
// has a right checksum.
func (b *Batch) OK() bool {
	return b.IsValid && b.RecordsError == nil && len(b.FieldErrors) == 0 && len(b.ControlErrors) == 0
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
