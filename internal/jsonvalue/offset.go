// Package jsonvalue has the types by which JSON objects of several commands
// tell "none" from a number.
package jsonvalue

import "strconv"

// Offset is an offset, or −1 where there is none, which JSON shows as null.
type Offset int64

// MarshalJSON writes a number or null.
func (o Offset) MarshalJSON() ([]byte, error) {
	if o < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(o), 10), nil
}
