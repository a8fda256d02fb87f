package statefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

// decodeObject reads the JSON object at the beginning of data; what follows
// it is ignored, of equal names the last one counts, as in Jackson's readers.
// position is that of the fault.
func decodeObject(data []byte) (object map[string]json.RawMessage, position int64, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&object); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, syntax.Offset, err
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, int64(len(data)), errors.New("the JSON text ends early")
		}
		return nil, 0, errors.New("not a JSON object")
	}
	if object == nil {
		return nil, 0, errors.New("not a JSON object")
	}
	return object, 0, nil
}

// jsonInteger reads a number that is written as an integer.
func jsonInteger(raw json.RawMessage, bits int) (int64, error) {
	return strconv.ParseInt(string(raw), 10, bits)
}

// jsonString reads a string.
func jsonString(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", errors.New("no string")
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}
