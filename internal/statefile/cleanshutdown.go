package statefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// CleanShutdown is the content of .kafka_cleanshutdown. Both fields are nil in
// the empty file that brokers before 3.7 left behind.
type CleanShutdown struct {
	Version     *int32 `json:"version"`
	BrokerEpoch *int64 `json:"brokerEpoch"`
}

// ReadCleanShutdown reads a .kafka_cleanshutdown file
// (CleanShutdownFileHandler): nothing, or since 3.7
//
//	{"version":0,"brokerEpoch":14}
//
// The presence of the file is what counts: a broker that cannot read it still
// takes the directory for closed cleanly, only without the epoch. It deletes
// the file before it loads the logs. So no fault has a broker failure.
func ReadCleanShutdown(r io.ReaderAt, size int64) (CleanShutdown, error) {
	var c CleanShutdown
	data, err := readText(r, size)
	if err != nil {
		return c, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return c, nil
	}
	object, position, err := decodeObject(data)
	if err != nil {
		return c, &Error{Position: position, Kind: ErrMalformed, Cause: err}
	}
	version, err := looseInteger(object["version"])
	if err == nil && version != nil && (*version < math.MinInt32 || *version > math.MaxInt32) {
		err = strconv.ErrRange
	}
	if err != nil {
		return c, &Error{Position: -1, Kind: ErrMalformed, Cause: fmt.Errorf("version: %w", err)}
	}
	if version != nil {
		v := int32(*version)
		c.Version = &v
	}
	if c.BrokerEpoch, err = looseInteger(object["brokerEpoch"]); err != nil {
		return c, &Error{Position: -1, Kind: ErrMalformed, Cause: fmt.Errorf("broker epoch: %w", err)}
	}
	return c, nil
}

// looseInteger reads a number the way Jackson binds one to a field: integers
// in quotes too, fractions cut off, null and absent as nothing.
func looseInteger(raw json.RawMessage) (*int64, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	text := string(raw)
	if s, err := jsonString(raw); err == nil {
		text = s
	}
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return &v, nil
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f >= 1<<63 || f < -(1<<63) {
		return nil, errors.New("no integer of 64 bits: " + quoted(text))
	}
	v := int64(f)
	return &v, nil
}
