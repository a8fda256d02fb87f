package statefile

import (
	"errors"
	"fmt"
	"strings"
)

// The kinds of fault. Test with errors.Is.
var (
	// ErrMalformed is a line or a value that does not have the form the
	// file's format asks for.
	ErrMalformed = errors.New("malformed")
	// ErrVersion is a text file of a version that its readers refuse.
	ErrVersion = errors.New("unrecognised version")
	// ErrCount is a checkpoint whose number of entries is not the number
	// that its second line promises.
	ErrCount = errors.New("wrong number of entries")
	// ErrTooLarge is a file that is not read because no broker writes one of
	// that size. It is "unsupported", not damage.
	ErrTooLarge = errors.New("too large to be such a file")
	// ErrRead is a failure of the reader underneath: nothing is known about
	// the content.
	ErrRead = errors.New("read failed")

	// ErrSnapshotVersion is a producer snapshot of a version other than 1.
	ErrSnapshotVersion = errors.New("unknown snapshot version")
	// ErrSnapshotSize is a producer snapshot that is too short for its header
	// or for the number of entries that the header claims.
	ErrSnapshotSize = errors.New("snapshot size does not fit its entry count")
	// ErrSnapshotCRC is a producer snapshot whose CRC-32C does not match.
	ErrSnapshotCRC = errors.New("snapshot checksum mismatch")
)

// BrokerFailure is what a broker's own reader throws on a malformed file: the
// innermost Kafka exception (an IOException arrives at the caller wrapped in a
// KafkaStorageException). Message is empty where it is a JSON or Base64
// library's wording.
type BrokerFailure struct {
	Class   string
	Message string
}

// Offline says whether the failure of a log's load takes the log directory
// offline: an IOException does (LogManager.loadLogs). Any other one stops the
// broker.
func (f BrokerFailure) Offline() bool {
	switch f.Class {
	case "IOException", "EOFException", "MalformedInputException":
		return true
	}
	return false
}

// Error is one fault of a file.
type Error struct {
	// File is the path as the caller gave it; empty where a reader was used
	// without one.
	File string
	// Line is the number of the faulty line, from 1; 0 where the file has no
	// lines or the fault is none of a single line.
	Line int
	// Position is the byte position in the file where the faulty line or
	// value begins, or where the missing bytes should have been; -1 unknown.
	Position int64
	// Kind is one of the Err… variables of this package.
	Kind error
	// Cause says in words what is wrong, or is the underlying error.
	Cause error

	broker func(path string) BrokerFailure
}

// Error names the file, the place and the cause.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ": ")
	}
	switch {
	case e.Line > 0 && e.Position >= 0:
		fmt.Fprintf(&b, "line %d at position %d: ", e.Line, e.Position)
	case e.Line > 0:
		fmt.Fprintf(&b, "line %d: ", e.Line)
	case e.Position >= 0:
		fmt.Fprintf(&b, "position %d: ", e.Position)
	}
	b.WriteString(e.Kind.Error())
	if e.Cause != nil {
		b.WriteString(": ")
		b.WriteString(e.Cause.Error())
	}
	return b.String()
}

// Unwrap gives access to the kind and to the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// Broker returns what a broker's reader throws when it meets this fault. path
// is the file's path as the broker knows it, which its messages repeat. ok is
// false where no broker fails (it ignores the fault or never reads it).
func (e *Error) Broker(path string) (failure BrokerFailure, ok bool) {
	if e.broker == nil {
		return BrokerFailure{}, false
	}
	return e.broker(path), true
}

// Damage is the fault of a file's content that an error of one of the readers
// is about. It is nil where nobody knows what the content is worth: the file
// could not be opened or read (ErrRead), or is larger than what is read of such
// files (ErrTooLarge).
func Damage(err error) *Error {
	var fault *Error
	if !errors.As(err, &fault) || errors.Is(fault.Kind, ErrRead) || errors.Is(fault.Kind, ErrTooLarge) {
		return nil
	}
	return fault
}

// ioException is the failure whose message has the path at %s.
func ioException(format string, args ...any) func(string) BrokerFailure {
	return func(path string) BrokerFailure {
		resolved := make([]any, len(args))
		for i, a := range args {
			if a == pathArg {
				a = path
			}
			resolved[i] = a
		}
		return BrokerFailure{Class: "IOException", Message: fmt.Sprintf(format, resolved...)}
	}
}

// pathMark stands for the file's path among the arguments of ioException.
type pathMark struct{}

var pathArg = pathMark{}

// thrown is a failure whose message does not name the file.
func thrown(class, message string) func(string) BrokerFailure {
	return func(string) BrokerFailure { return BrokerFailure{Class: class, Message: message} }
}

// numberFormat is what Integer.parseInt and Long.parseLong throw.
func numberFormat(text string) func(string) BrokerFailure {
	return thrown("NumberFormatException", `For input string: "`+text+`"`)
}
