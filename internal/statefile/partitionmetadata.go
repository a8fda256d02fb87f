package statefile

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
)

// PartitionMetadata is the content of partition.metadata: which topic the
// directory belongs to. Of a damaged file the fields that were not read are
// zero.
type PartitionMetadata struct {
	Version int32 `json:"version"`
	TopicID UUID  `json:"topicId"`
}

// metadataSeparator separates key and value as Kafka's reader sees it.
var metadataSeparator = regexp.MustCompile(`:[ \t\n\x0B\f\r]+`)

// ReadPartitionMetadata reads a partition.metadata file
// (PartitionMetadataFile, PartitionMetadataReadBuffer):
//
//	version: 0
//	topic_id: XtXUDxRIQ5eYz5PPhMCIFg
//
// without a line end behind the id. Kafka's reader looks at the first two
// lines by their order, not at the names in them; it takes every version from
// 0 on, and no id of only zero bits. A fault makes the load of the log fail.
func ReadPartitionMetadata(r io.ReaderAt, size int64) (PartitionMetadata, error) {
	var m PartitionMetadata
	data, err := readText(r, size)
	if err != nil {
		return m, err
	}
	lines := splitLines(data)
	fault := m.parse(lines, int64(len(data)))
	if bad := checkUTF8(data); bad != nil {
		fault = bad
	}
	if fault != nil {
		return m, fault
	}
	return m, nil
}

func (m *PartitionMetadata) parse(lines []line, end int64) *Error {
	value, fault := metadataValue(lines, 0, end)
	if fault != nil {
		return fault
	}
	version, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return malformedMetadata(lines[0], fmt.Errorf("version %s is no number", quoted(value)))
	}
	if version < 0 {
		return &Error{
			Line: 1, Position: 0, Kind: ErrVersion, Cause: fmt.Errorf("%d", version),
			broker: ioException("Unrecognized version of partition metadata file (%s): %d", pathArg, version),
		}
	}
	m.Version = int32(version)
	if value, fault = metadataValue(lines, 1, end); fault != nil {
		return fault
	}
	l := lines[1]
	if m.TopicID, err = ParseUUID(value); err != nil {
		return &Error{
			Line: l.number, Position: l.position, Kind: ErrMalformed, Cause: err,
			broker: thrown("IllegalArgumentException", ""),
		}
	}
	if m.TopicID == ZeroUUID {
		return &Error{
			Line: l.number, Position: l.position, Kind: ErrMalformed, Cause: fmt.Errorf("topic id is zero"),
			broker: ioException("Invalid topic ID in partition metadata file (%s)", pathArg),
		}
	}
	return nil
}

// metadataValue is the second of the two tokens of line i.
func metadataValue(lines []line, i int, end int64) (string, *Error) {
	if i >= len(lines) {
		missing := [...]string{"version", "topic id"}[i]
		return "", &Error{
			Line: i + 1, Position: end, Kind: ErrMalformed, Cause: fmt.Errorf("the file ends before its %s", missing),
			broker: thrown("NullPointerException", `Cannot invoke "java.lang.CharSequence.length()" because "this.text" is null`),
		}
	}
	tokens := metadataSeparator.Split(lines[i].text, -1)
	// Java drops empty tokens at the end.
	for len(tokens) > 0 && tokens[len(tokens)-1] == "" {
		tokens = tokens[:len(tokens)-1]
	}
	if len(tokens) != 2 {
		return "", malformedMetadata(lines[i], fmt.Errorf("not a name and a value: %s", quoted(lines[i].text)))
	}
	return tokens[1], nil
}

func malformedMetadata(l line, cause error) *Error {
	return &Error{
		Line: l.number, Position: l.position, Kind: ErrMalformed, Cause: cause,
		broker: ioException("Malformed line in partition metadata file [%s]: %s", pathArg, l.text),
	}
}

// AppendPartitionMetadata appends the file that a broker writes.
func AppendPartitionMetadata(dst []byte, m PartitionMetadata) []byte {
	return fmt.Appendf(dst, "version: %d\ntopic_id: %s", m.Version, m.TopicID)
}
