package statefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// QuorumState is the content of quorum-state: what a KRaft node has promised
// in elections. Version 0 has ClusterID, AppliedOffset and CurrentVoters,
// version 1 (kraft.version 1 and later) VotedDirectoryID; what a version does
// not have is nil. LeaderID and VotedID are −1 for none.
type QuorumState struct {
	DataVersion      int16   `json:"dataVersion"`
	ClusterID        *string `json:"clusterId"`
	LeaderID         int32   `json:"leaderId"`
	LeaderEpoch      int32   `json:"leaderEpoch"`
	VotedID          int32   `json:"votedId"`
	VotedDirectoryID *UUID   `json:"votedDirectoryId"`
	AppliedOffset    *int64  `json:"appliedOffset"`
	CurrentVoters    []Voter `json:"currentVoters"`
}

// Voter is a member of the quorum of a version 0 file.
type Voter struct {
	VoterID int32 `json:"voterId"`
}

// ReadQuorumState reads a quorum-state file (FileQuorumStateStore,
// QuorumStateData): one JSON object on the first line, whose data_version says
// which fields are required. What stands behind it is not looked at. The
// values of a damaged file are those before the fault; −1 elsewhere.
func ReadQuorumState(r io.ReaderAt, size int64) (QuorumState, error) {
	q := QuorumState{LeaderID: -1, LeaderEpoch: -1, VotedID: -1}
	data, err := readText(r, size)
	if err != nil {
		return q, err
	}
	if fault := q.parse(data); fault != nil {
		return q, fault
	}
	return q, nil
}

func (q *QuorumState) parse(data []byte) *Error {
	if bad := checkUTF8(data); bad != nil {
		return bad
	}
	lines := splitLines(data)
	if len(lines) == 0 {
		return &Error{
			Position: 0, Kind: ErrMalformed, Cause: errors.New("the file is empty"),
			broker: thrown("EOFException", "File ended prematurely."),
		}
	}
	object, position, err := decodeObject([]byte(lines[0].text))
	if err != nil {
		return &Error{Line: 1, Position: position, Kind: ErrMalformed, Cause: err, broker: thrown("IOException", "")}
	}
	raw, ok := object["data_version"]
	if !ok {
		return quorumFault(ErrMalformed, errors.New("data_version is missing"), "IOException", "")
	}
	if q.DataVersion = quorumVersion(raw); q.DataVersion < 0 || q.DataVersion > 1 {
		return quorumFault(ErrVersion, fmt.Errorf("data_version %d, not 0 or 1", q.DataVersion), "IllegalStateException",
			fmt.Sprintf("data_version (%d) is not within the min (0) and max (1) supported version", q.DataVersion))
	}
	return q.fields(quorumObject{object, q.DataVersion})
}

// fields reads what the version requires, in the order of Kafka's reader.
func (q *QuorumState) fields(o quorumObject) (fault *Error) {
	if o.version == 0 {
		var id string
		if id, fault = o.text("clusterId"); fault != nil {
			return fault
		}
		q.ClusterID = &id
	}
	for _, f := range []struct {
		name string
		to   *int32
	}{{"leaderId", &q.LeaderID}, {"leaderEpoch", &q.LeaderEpoch}, {"votedId", &q.VotedID}} {
		if fault = o.int32("QuorumStateData", f.name, f.to); fault != nil {
			return fault
		}
	}
	if o.version == 0 {
		return q.fieldsV0(o)
	}
	text, fault := o.text("votedDirectoryId")
	if fault != nil {
		return fault
	}
	id, err := ParseUUID(text)
	if err != nil {
		return quorumFault(ErrMalformed, fmt.Errorf("votedDirectoryId: %w", err), "IllegalArgumentException", "")
	}
	q.VotedDirectoryID = &id
	return nil
}

func (q *QuorumState) fieldsV0(o quorumObject) *Error {
	raw, fault := o.required("QuorumStateData", "appliedOffset")
	if fault != nil {
		return fault
	}
	offset, err := jsonInteger(raw, 64)
	if err != nil {
		return badQuorumNumber("appliedOffset", raw)
	}
	q.AppliedOffset = &offset
	if raw, fault = o.required("QuorumStateData", "currentVoters"); fault != nil {
		return fault
	}
	var voters []json.RawMessage
	if err := json.Unmarshal(raw, &voters); err != nil || voters == nil {
		class := "RuntimeException"
		if string(raw) == "null" {
			class = "NullPointerException"
		}
		return quorumFault(ErrMalformed, errors.New("currentVoters is no list"), class, "")
	}
	q.CurrentVoters = make([]Voter, 0, len(voters))
	for _, raw := range voters {
		var voter Voter
		var object map[string]json.RawMessage
		// Anything but an object has no field either.
		_ = json.Unmarshal(raw, &object)
		if fault := (quorumObject{object, o.version}).int32("Voter", "voterId", &voter.VoterID); fault != nil {
			return fault
		}
		q.CurrentVoters = append(q.CurrentVoters, voter)
	}
	return nil
}

// quorumObject is a JSON object read by the rules of one data_version.
type quorumObject struct {
	object  map[string]json.RawMessage
	version int16
}

func (o quorumObject) required(owner, name string) (json.RawMessage, *Error) {
	raw, ok := o.object[name]
	if !ok {
		return nil, quorumFault(ErrMalformed, fmt.Errorf("%s is missing", name), "RuntimeException",
			fmt.Sprintf("%s: unable to locate field '%s', which is mandatory in version %d", owner, name, o.version))
	}
	return raw, nil
}

func (o quorumObject) text(name string) (string, *Error) {
	raw, fault := o.required("QuorumStateData", name)
	if fault != nil {
		return "", fault
	}
	s, err := jsonString(raw)
	if err != nil {
		return "", quorumFault(ErrMalformed, fmt.Errorf("%s is no string: %s", name, quoted(string(raw))), "RuntimeException", "")
	}
	return s, nil
}

func (o quorumObject) int32(owner, name string, to *int32) *Error {
	raw, fault := o.required(owner, name)
	if fault != nil {
		return fault
	}
	v, err := jsonInteger(raw, 32)
	if err != nil {
		return badQuorumNumber(name, raw)
	}
	*to = int32(v)
	return nil
}

// quorumVersion reads data_version as Jackson's shortValue does: the low 16
// bits of a number, 0 for anything that is none.
func quorumVersion(raw json.RawMessage) int16 {
	if v, err := jsonInteger(raw, 64); err == nil {
		return int16(v)
	}
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil && f > -(1<<31) && f < 1<<31 {
		return int16(int32(f))
	}
	return 0
}

func badQuorumNumber(name string, raw json.RawMessage) *Error {
	return quorumFault(ErrMalformed, fmt.Errorf("%s is no integer: %s", name, quoted(string(raw))), "NumberFormatException", "")
}

func quorumFault(kind, cause error, class, message string) *Error {
	return &Error{Line: 1, Position: 0, Kind: kind, Cause: cause, broker: thrown(class, message)}
}
