package statefile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/kafsck/kafsck/internal/logdir"
)

// MaxTextSize is the largest text file that is read: 64 MiB, more than a
// million checkpoint lines.
const MaxTextSize = 64 << 20

// ReadFile opens path read-only, applies one of the package's readers to it
// and puts the path into the error.
//
//	epochs, err := statefile.ReadFile(path, statefile.ReadLeaderEpochs)
func ReadFile[T any](path string, read func(io.ReaderAt, int64) (T, error)) (T, error) {
	var none T
	f, size, err := logdir.OpenFile(path)
	if err != nil {
		return none, err
	}
	defer func() { _ = f.Close() }()
	value, err := read(f, size)
	var fault *Error
	if errors.As(err, &fault) {
		fault.File = path
	}
	return value, err
}

// readText reads the whole of a text file, growing with what is there.
func readText(r io.ReaderAt, size int64) ([]byte, error) {
	if size > MaxTextSize {
		return nil, &Error{Position: -1, Kind: ErrTooLarge, Cause: fmt.Errorf("%d bytes, at most %d are read", size, MaxTextSize)}
	}
	data, err := io.ReadAll(io.NewSectionReader(r, 0, size))
	if err != nil {
		return data, &Error{Position: int64(len(data)), Kind: ErrRead, Cause: err}
	}
	return data, nil
}

// line is one line of a text file without its terminator.
type line struct {
	text     string
	number   int
	position int64
}

// splitLines cuts text as Java's BufferedReader.readLine does: a line ends
// with \n, \r or \r\n, and a terminator at the end of the file begins no
// further line.
func splitLines(data []byte) []line {
	var lines []line
	start := 0
	add := func(end int) {
		lines = append(lines, line{text: string(data[start:end]), number: len(lines) + 1, position: int64(start)})
	}
	for i := 0; i < len(data); i++ {
		if data[i] != '\n' && data[i] != '\r' {
			continue
		}
		add(i)
		if data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n' {
			i++
		}
		start = i + 1
	}
	if start < len(data) {
		add(len(data))
	}
	return lines
}

// checkUTF8 finds the first byte that is no UTF-8. Kafka reads these files
// with a strict decoder, which throws before any line of its buffer is looked
// at; so this fault goes before all others.
func checkUTF8(data []byte) *Error {
	if utf8.Valid(data) {
		return nil
	}
	position, number := 0, 1
	for position < len(data) {
		r, n := utf8.DecodeRune(data[position:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		if r == '\n' || r == '\r' && (position+1 == len(data) || data[position+1] != '\n') {
			number++
		}
		position += n
	}
	return &Error{
		Line: number, Position: int64(position), Kind: ErrMalformed,
		Cause:  fmt.Errorf("byte 0x%02x is no UTF-8", data[position]),
		broker: thrown("MalformedInputException", ""),
	}
}

// isJavaSpace is \s of a Java regular expression.
func isJavaSpace(r rune) bool {
	return r == ' ' || r >= '\t' && r <= '\r'
}

// quoted shortens text that goes into a message.
func quoted(text string) string {
	const most = 80
	if len(text) > most {
		return fmt.Sprintf("%q… (%d bytes)", text[:most], len(text))
	}
	return fmt.Sprintf("%q", text)
}

// maxSnapshotSize is the longest file that Kafka can read into one array.
const maxSnapshotSize = math.MaxInt32
