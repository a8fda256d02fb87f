package message

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// A control is a type of control record whose value is a message.
type control struct {
	name   string
	text   string // what Kafka's dump tool prints before the JSON
	schema *Schema
}

// Types of control records of the metadata quorum, by the id in their key. 0
// and 1 end transactions; their values are no messages of this kind.
var controls = map[int16]control{
	2: {"LEADER_CHANGE", " LeaderChange: ", find(common, "LeaderChangeMessage")},
	3: {"SNAPSHOT_HEADER", " SnapshotHeader ", find(common, "SnapshotHeaderRecord")},
	4: {"SNAPSHOT_FOOTER", " SnapshotFooter ", find(common, "SnapshotFooterRecord")},
	5: {"KRAFT_VERSION", " KRaftVersion ", find(common, "KRaftVersionRecord")},
	6: {"KRAFT_VOTERS", " KRaftVoters ", find(common, "VotersRecord")},
}

func find(table []Schema, name string) *Schema {
	for i := range table {
		if table[i].Name == name {
			return &table[i]
		}
	}
	panic("message: no schema " + name)
}

// ControlText appends what Kafka's dump tool prints behind a control record's
// line, with the space that it starts with: the value as JSON for the types 2 to
// 6, the name and number of others. On an error, for which Kafka dies,
// nothing is appended.
//
// Kafka takes every value for version 0 and writes it as the version in its
// first field (ControlRecordUtils, DumpLogSegments), and so does this.
func ControlText(dst []byte, typeID int16, value []byte) ([]byte, error) {
	c, ok := controls[typeID]
	if !ok {
		dst = append(dst, " controlType: UNKNOWN("...)
		dst = strconv.AppendInt(dst, int64(typeID), 10)
		return append(dst, ')'), nil
	}
	m, _, err := c.schema.Read(value, 0)
	if err != nil {
		return dst, err
	}
	m.Version = int16(m.Get("version").Int)
	return m.AppendJSON(append(dst, c.text...)), nil
}

// ReadControl reads the value of a control record of the types 2 to 6 as the
// version that it starts with.
func ReadControl(typeID int16, value []byte) (Message, error) {
	c, ok := controls[typeID]
	if !ok {
		return Message{}, fmt.Errorf("control record type %d is not known", typeID)
	}
	r := reader{buf: value}
	version := r.int16()
	if r.err != nil {
		return Message{}, r.err
	}
	m, n, err := c.schema.Read(value, version)
	switch {
	case err != nil:
	case !c.schema.Valid.Has(version):
		err = &UnknownVersionError{Type: c.name, Version: version}
	case n < len(value):
		err = &Error{Position: n, Kafka: fmt.Sprintf("%d bytes are left over", len(value)-n)}
	}
	return m, err
}

// ControlBody is the value of a control record of the types 2 to 6 as a JSON
// object. On an error nothing should be made of the value but its bytes.
func ControlBody(typeID int16, value []byte) (json.RawMessage, error) {
	m, err := ReadControl(typeID, value)
	if err != nil {
		return nil, err
	}
	return m.AppendJSON(nil), nil
}
