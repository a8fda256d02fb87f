package sanity

import (
	"encoding/json"
	"strconv"
)

// Finding is one fault, or one thing worth knowing, at a place. Positions,
// offsets and slots that don't apply are −1, which JSON shows as null.
type Finding struct {
	Code        Code
	Severity    Severity
	File        string // as reached from the argument
	Position    int64  // first byte concerned
	EndPosition int64  // behind the last byte concerned
	Offset      int64  // first offset concerned
	LastOffset  int64  // last offset concerned
	Slot        int64  // of an index entry, from 0
	Message     string // what is there and what should be
	Broker      string // what a broker does about it
	Detail      map[string]any

	folded   int64 // how many faults are in it; 0 is one
	lastSlot int64 // of the last of them
}

// At is a finding of code in file with nothing else known yet; its severity
// is the code's own.
func At(code Code, file string) Finding {
	return Finding{
		Code: code, Severity: code.Severity(), File: file,
		Position: -1, EndPosition: -1, Offset: -1, LastOffset: -1, Slot: -1,
	}
}

// AppendJSON appends the finding as one JSON object, without a newline.
func (f *Finding) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"finding","code":`...)
	dst = appendString(dst, string(f.Code))
	dst = append(dst, `,"severity":"`...)
	dst = append(dst, f.Severity.String()...)
	dst = append(dst, `","file":`...)
	dst = appendString(dst, f.File)
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"position", f.Position},
		{"endPosition", f.EndPosition},
		{"offset", f.Offset},
		{"lastOffset", f.LastOffset},
		{"slot", f.Slot},
	} {
		dst = append(dst, `,"`...)
		dst = append(dst, n.name...)
		dst = append(dst, `":`...)
		if n.value < 0 {
			dst = append(dst, "null"...)
		} else {
			dst = strconv.AppendInt(dst, n.value, 10)
		}
	}
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, f.Message)
	dst = append(dst, `,"broker":`...)
	dst = appendString(dst, f.Broker)
	dst = append(dst, `,"detail":`...)
	detail := f.Detail
	if detail == nil {
		detail = map[string]any{}
	}
	encoded, err := json.Marshal(detail)
	if err != nil {
		encoded = []byte("{}")
	}
	dst = append(dst, encoded...)
	return append(dst, '}')
}

// appendString appends s as a JSON string.
func appendString(dst []byte, s string) []byte {
	encoded, err := json.Marshal(s)
	if err != nil {
		return append(dst, `""`...)
	}
	return append(dst, encoded...)
}
