package statefile

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
)

// Property is one key with its value, in the order of the file. Of several
// with one key the last one counts.
type Property struct {
	Key, Value string
	// Line is the number of the line on which the property begins, from 1.
	Line int
}

// ParseProperties reads the text of a Java properties file
// (java.util.Properties.load of a byte stream: every byte is one character of
// ISO 8859-1). Lines that begin with # or ! are comments; an odd number of
// backslashes at the end of a line continues it; key and value are separated
// by =, : or white space; \t, \n, \r, \f and \uXXXX are escapes, and a
// backslash before anything else is dropped. A \u without four hex digits is
// the only fault there is; properties behind it are read too.
func ParseProperties(data []byte) ([]Property, error) {
	var properties []Property
	var first *Error
	s := propertyScanner{data: data, number: 1}
	for {
		text, number, position, ok := s.next()
		if !ok {
			break
		}
		key, value := splitProperty(text)
		k, errKey := unescape(key)
		v, errValue := unescape(value)
		if err := errors.Join(errKey, errValue); err != nil {
			if first == nil {
				first = &Error{
					Line: number, Position: int64(position), Kind: ErrMalformed, Cause: errBadEscape,
					broker: thrown("IllegalArgumentException", `Malformed \uxxxx encoding.`),
				}
			}
			continue
		}
		properties = append(properties, Property{Key: k, Value: v, Line: number})
	}
	if first != nil {
		return properties, first
	}
	return properties, nil
}

var errBadEscape = errors.New(`a \u escape without four hex digits`)

// propertyScanner cuts the text into logical lines: without comments, blank
// lines, line ends and the white space that a line begins with.
type propertyScanner struct {
	data   []byte
	at     int
	number int
}

// next returns a logical line, escapes untouched, and where it begins.
func (s *propertyScanner) next() (text []byte, number, position int, ok bool) {
	for s.skipSpace(true); s.at < len(s.data); s.skipSpace(true) {
		if c := s.data[s.at]; c == '#' || c == '!' {
			s.skipComment()
			continue
		}
		number, position = s.number, s.at
		text = s.natural(text)
		for endsOpen(text) {
			text = text[:len(text)-1]
			if s.at+1 >= len(s.data) {
				// The text ends here: Java makes a property of it even
				// where nothing is left, with an empty key.
				s.lineEnd()
				return text, number, position, true
			}
			s.lineEnd()
			s.skipSpace(false)
			if len(text) == 0 {
				// Nothing of a line is there yet: what follows is looked
				// at like the beginning of one.
				break
			}
			text = s.natural(text)
		}
		if len(text) > 0 {
			return text, number, position, true
		}
	}
	return nil, 0, 0, false
}

// natural appends the bytes up to the line end.
func (s *propertyScanner) natural(text []byte) []byte {
	start := s.at
	for s.at < len(s.data) && s.data[s.at] != '\n' && s.data[s.at] != '\r' {
		s.at++
	}
	return append(text, s.data[start:s.at]...)
}

// lineEnd passes \n, \r or \r\n.
func (s *propertyScanner) lineEnd() {
	if s.at >= len(s.data) {
		return
	}
	if s.data[s.at] == '\r' && s.at+1 < len(s.data) && s.data[s.at+1] == '\n' {
		s.at++
	}
	s.at++
	s.number++
}

// skipSpace passes white space, and blank lines too where lines is set.
func (s *propertyScanner) skipSpace(lines bool) {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\f':
			s.at++
		case '\n', '\r':
			if !lines {
				return
			}
			s.lineEnd()
		default:
			return
		}
	}
}

func (s *propertyScanner) skipComment() {
	for s.at < len(s.data) && s.data[s.at] != '\n' && s.data[s.at] != '\r' {
		s.at++
	}
}

// endsOpen says whether text ends with an odd number of backslashes.
func endsOpen(text []byte) bool {
	n := 0
	for n < len(text) && text[len(text)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// splitProperty cuts a logical line at its separator.
func splitProperty(text []byte) (key, value []byte) {
	end := 0
	for end < len(text) && !isSeparator(text[end]) {
		if text[end] == '\\' && end+1 < len(text) {
			end++
		}
		end++
	}
	key, value = text[:end], text[end:]
	signSeen := false
	for len(value) > 0 && isSeparator(value[0]) {
		if value[0] == '=' || value[0] == ':' {
			if signSeen {
				break
			}
			signSeen = true
		}
		value = value[1:]
	}
	return key, value
}

func isSeparator(c byte) bool {
	return c == '=' || c == ':' || c == ' ' || c == '\t' || c == '\f'
}

// unescape turns ISO 8859-1 with escapes into a string.
func unescape(text []byte) (string, error) {
	units := make([]uint16, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '\\' || i+1 == len(text) {
			units = append(units, uint16(c))
			continue
		}
		i++
		switch c = text[i]; c {
		case 'u':
			if i+4 >= len(text) {
				return "", errBadEscape
			}
			v, err := strconv.ParseUint(string(text[i+1:i+5]), 16, 16)
			if err != nil {
				return "", errBadEscape
			}
			units = append(units, uint16(v))
			i += 4
		case 't':
			units = append(units, '\t')
		case 'n':
			units = append(units, '\n')
		case 'r':
			units = append(units, '\r')
		case 'f':
			units = append(units, '\f')
		default:
			units = append(units, uint16(c))
		}
	}
	return string(utf16.Decode(units)), nil
}

// AppendProperties appends properties as Java writes them: separators, white
// space at the beginning and control characters escaped, everything that is
// not ASCII as \uXXXX.
func AppendProperties(dst []byte, properties []Property) []byte {
	for _, p := range properties {
		dst = appendEscaped(dst, p.Key, true)
		dst = append(dst, '=')
		dst = appendEscaped(dst, p.Value, false)
		dst = append(dst, '\n')
	}
	return dst
}

func appendEscaped(dst []byte, s string, key bool) []byte {
	for i, u := range utf16.Encode([]rune(s)) {
		switch {
		case u == ' ':
			if key || i == 0 {
				dst = append(dst, '\\')
			}
			dst = append(dst, ' ')
		case u < ' ' || u > '~':
			dst = fmt.Appendf(dst, `\u%04X`, u)
		default:
			switch u {
			case '\\', '=', ':', '#', '!':
				dst = append(dst, '\\')
			}
			dst = append(dst, byte(u))
		}
	}
	return dst
}
